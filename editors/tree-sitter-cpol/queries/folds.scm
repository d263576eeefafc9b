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
] @fold

(doc_comment)+ @fold
(comment)+ @fold
(import_declaration)+ @fold
