"""What a policy gets that is given a quota of cached pages (expand/quota.py)."""

from __future__ import annotations

from typing import Final

PARAM: Final = "quota_pages"
"""The live param with the quota. The compiler reports a policy that has this name already."""

MAX_PAGES: Final = 1 << 40
