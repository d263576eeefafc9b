; Names first: what follows in this file overrides them where it is more exact. Patterns are about the innermost node,
; since editors prefer that.
(name) @variable

((name) @variable.builtin
  (#any-of? @variable.builtin "cache" "task"))

[
  "policy" "library" "import" "const" "param" "enum" "list" "ghost" "folio" "state" "table" "input" "fn" "action"
  "score" "invariant" "test" "let" "var"
] @keyword

["on" "every" "do"] @keyword.function
["if" "then" "else" "match" "when" "otherwise"] @keyword.conditional
["for" "while" "scan"] @keyword.repeat
["return"] @keyword.return
["and" "or" "not"] @keyword.operator

[
  "place" "leave" "refuse" "move" "evict" "prefetch" "pin" "unpin" "keep" "expect" "at" "to" "of" "from" "up" "as" "in"
  "lowest" "highest" "by"
] @keyword

(stop_statement) @keyword
(keep_statement) @keyword
(default_statement) @keyword
(drop_statement "drop" @keyword)
(flush_statement ["flush" "wait"] @keyword)
(readahead_statement "readahead" @keyword)
(reclaim_statement "reclaim" @keyword)
(cache_declaration "cache" @keyword)
(record_declaration record: _ @keyword)
(test_case "case" @keyword)
(in_space "slot" @keyword)
(prefetch_statement ["slot" "page"] @keyword)
(argument ["slot" "page"] @keyword)
(how) @keyword
(end ["head" "tail"] @constant.builtin)

(policy name: (name) @type.definition)
(library name: (name) @type.definition)
(enum_declaration name: (name) @type.definition)
(enum_declaration member: (name) @constant)
(match_arm member: (name) @constant)
(const_declaration name: (name) @constant)
(param_declaration name: (name) @variable.parameter)
(type (name) @type)
(note (name) @attribute)

((type (name) @type.builtin)
  (#match? @type.builtin "^([us]([1-9]|[1-5][0-9]|6[0-4])|bool|fix)$"))

(path "." (name) @property)

(event (name) @function.builtin)
(event ["evict" "prefetch" "pin"] @function.builtin)
(fn_declaration name: (name) @function)
(action_declaration name: (name) @function)
(score_declaration name: (name) @function)
(test_declaration name: (name) @function)
(test_case name: (name) @function)
(do_statement action: (name) @function.call)
(evict_statement score: (name) @function.call)
(call (path . (name) @function.call .))
(call (path "." (name) @function.method.call .))
(path_statement (path "." (name) @function.method.call .) (arguments))
(step verb: (name) @function.builtin)
(step input: (name) @variable)

(parameter name: (name) @variable.parameter)
(parameter ["folio" "list"] @type.builtin)
(handler_parameters (name) @variable.parameter)
(score_declaration folio: (name) @variable.parameter)
(field_declaration name: (name) @property)
(ghost_item name: (name) @property)
(setting name: (name) @property)
(cell name: (name) @property)
(program_attribute ["evict" "every"] @variable.builtin)
(program_attribute (name) @property)

(integer) @number
(fixed) @number.float
(unit) @type.builtin
[(true) (false)] @boolean
(string) @string
(import_declaration source: (string) @string.special.path)

(comment) @comment
(doc_comment) @comment.documentation

["(" ")" "{" "}" "[" "]"] @punctuation.bracket
["," ":" "." ".."] @punctuation.delimiter
["+" "-" "*" "/" "%" "&" "|" "^" "~" "<<" ">>" "==" "!=" "<" "<=" ">" ">=" "="] @operator
(assignment_operator) @operator
