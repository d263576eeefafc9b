(policy "policy" @context name: (name) @name) @item
(library "library" @context name: (name) @name) @item
(param_declaration "param" @context name: (name) @name) @item
(const_declaration "const" @context name: (name) @name) @item
(state_declaration "state" @context name: (name) @name) @item
(table_declaration "table" @context name: (name) @name) @item
(input_declaration "input" @context name: (name) @name) @item
(ghost_declaration "ghost" @context name: (name) @name) @item
(list_name name: (name) @name) @item
(enum_declaration "enum" @context name: (name) @name) @item
(fn_declaration "fn" @context name: (name) @name) @item
(action_declaration "action" @context name: (name) @name) @item
(score_declaration "score" @context name: (name) @name) @item
(handler "on" @context (event) @name) @item
(test_declaration "test" @context name: (name) @name) @item
(doc_comment) @annotation
