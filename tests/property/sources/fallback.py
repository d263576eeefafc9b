"""Why a policy fell back in the kernel."""

from __future__ import annotations


def why_it_fell_back(figures: dict[str, int]) -> str:
    """Return why the kernel chose more pages than the policy, from the policy's statistics; empty if it did not.

    `cpolc check` cannot see the first three: a policy makes progress with what it owns and what reclaim takes.
    """
    if not figures or figures["fallback"] <= figures["evicted"]:
        return ""
    wanted, proposed, owned = figures["wanted"], figures["proposed"], figures["owned"]
    refused = {
        key: value for key, value in figures.items() if key.startswith("refused_") and key != "refused_admission"
    }
    if not proposed and not owned:
        return "it owns nothing: it leaves each folio to the kernel, or lets it go"
    if sum(refused.values()) > figures["evicted"]:
        most = max(refused, key=lambda key: refused[key])
        return f"reclaim refused {sum(refused.values())} of the {proposed} pages that it proposed, most as {most}"
    if proposed >= wanted:
        return "it proposed all that was wanted of it, and other folios are the kernel's"
    return f"it proposed {proposed} of {wanted} pages that were wanted, and owns {owned}"
