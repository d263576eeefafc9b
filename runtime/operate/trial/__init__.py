"""Tries a policy on a cgroup for a time, measures before and meanwhile, and keeps it or rolls back."""
