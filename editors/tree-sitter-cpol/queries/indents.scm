; Words of nvim-treesitter. Helix has its own words: editors/helix/queries/cpol/indents.scm.
[
  (policy_body)
  (block)
  (fn_body)
  (scan_statement)
  (match_statement)
  (test_declaration)
  (step_block)
  (ghost_declaration)
  (folio_declaration)
  (record_declaration)
  (enum_declaration)
  (arguments)
] @indent.begin

["}" ")"] @indent.branch @indent.end

[(comment) (doc_comment)] @indent.auto
