"""Makes the site of the documentation: what mkdocs then turns into pages (docs/development.md).

build.py       writes all that mkdocs reads
staged.py      pages of the checkout, and the files that they link to, with links that a site can follow
order.py       the order of the pages: tutorials, how-to, reference, explanation
policies.py    pages of stdlib policies: miss curves, and links to the playground
codes.py       a page for each error and warning
grammar.py     reads the grammar; railroad.py draws it
accessible.py  names for those who hear the pages
benchmarks.py  drawings of what was measured
drawings.py    curves and bars as SVG
"""
