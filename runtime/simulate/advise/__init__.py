"""Which policy a recorded workload wants, and what it would gain: chosen on one part, judged on another."""
