"""Pages about a policy (`cpolc doc`): page.py builds a page, the other modules print it."""
