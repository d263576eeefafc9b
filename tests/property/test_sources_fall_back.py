"""Why a random policy fell back in the kernel, from its statistics."""

from __future__ import annotations

import pytest
from sources.fallback import why_it_fell_back

NOTHING = {
    **dict.fromkeys(("wanted", "proposed", "evicted", "fallback", "owned"), 0),
    **dict.fromkeys(("refused_busy", "refused_dirty", "refused_admission"), 0),
}


@pytest.mark.parametrize(
    ("figures", "why"),
    [
        ({"wanted": 90, "proposed": 90, "evicted": 90, "owned": 9}, ""),
        ({"evicted": 50, "fallback": 50}, ""),
        ({"wanted": 90, "fallback": 90}, "owns nothing"),
        (
            {"wanted": 90, "proposed": 64, "evicted": 10, "refused_busy": 50, "refused_dirty": 4, "fallback": 80},
            "refused 54 of the 64 pages that it proposed, most as refused_busy",
        ),
        ({"wanted": 90, "proposed": 90, "evicted": 90, "fallback": 91, "owned": 9}, "all that was wanted"),
        ({"wanted": 90, "proposed": 8, "evicted": 8, "fallback": 82, "owned": 9}, "proposed 8 of 90"),
        # Pages that were not admitted are no proposals.
        ({"wanted": 90, "proposed": 8, "evicted": 8, "fallback": 82, "owned": 9, "refused_admission": 99}, "8 of 90"),
    ],
)
def test_reason(figures: dict[str, int], why: str) -> None:
    found = why_it_fell_back({**NOTHING, **figures})
    assert why in found and bool(why) == bool(found)


def test_no_statistics_no_reason() -> None:
    assert not why_it_fell_back({})
