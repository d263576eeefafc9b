"""Student's t: how far a mean of few values may be off."""

from __future__ import annotations

import math


def quantile(share: float, freedom: float) -> float:
    """The quantile of Student's t above 1/2, with any number of degrees of freedom from 1 on."""
    low, high = 0.0, 1.0
    while cumulative(high, freedom) < share:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if cumulative(middle, freedom) < share else (low, middle)
    return (low + high) / 2


def cumulative(t: float, freedom: float) -> float:
    """The distribution of Student's t, for t >= 0.

    With t = sqrt(freedom) * tan(angle), the density is a power of cos(angle), which is smooth: Simpson's rule.
    """
    steps, angle = 400, math.atan(t / math.sqrt(freedom))
    width = angle / steps
    total = math.fsum(
        (1 if i in (0, steps) else 4 if i % 2 else 2) * math.cos(i * width) ** (freedom - 1) for i in range(steps + 1)
    )
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return 0.5 + scale * total * width / 3
