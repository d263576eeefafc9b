"""A hook of mkdocs: what Material's pages lack for those who hear them."""

from __future__ import annotations

SEARCH = 'data-md-component="search" role="dialog"'


def on_post_page(output: str, **_: object) -> str:
    """Name the dialog of the search."""
    assert output.count(SEARCH) == 1, "Material has another search now: look whether it has a name"
    return output.replace(SEARCH, f'{SEARCH} aria-label="Search"')
