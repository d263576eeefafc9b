; Doc comments are Markdown, as `cpolc doc` shows them.
((doc_comment) @injection.content
  (#offset! @injection.content 0 3 0 0)
  (#set! injection.language "markdown_inline"))

([(comment) (doc_comment)] @injection.content
  (#set! injection.language "comment"))
