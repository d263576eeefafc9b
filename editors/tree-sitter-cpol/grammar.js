/**
 * cpol for tree-sitter, after grammar/Cpol.g4, which is the grammar of the compiler.
 *
 * Editors parse while somebody types, so this grammar keeps the shape of that one where it can, and says more where the
 * compiler's parser takes what a later stage refuses: chained comparisons, `=` in expressions, `hand`. Rules of that
 * grammar have nodes here as tests/editors/correspondence.py lists; a test compares both trees on random policies.
 *
 * src/scanner.c reads what needs a look further: numbers, which must not run into letters; units behind them; and the
 * words that a step of a test may end with.
 */

/// <reference types="tree-sitter-cli/dsl" />

const SOFT = ['file', 'task', 'area', 'case', 'slot', 'page', 'by', 'default', 'drop', 'flush', 'wait', 'readahead',
  'cache', 'reclaim'];
const WITH_HOW = ['fault', 'request', 'swap'];
const SMALL = ['at', 'to', 'of', 'from', 'up', 'as', 'in', 'head', 'tail', 'lowest', 'highest'];
const WORDS = [
  'policy', 'library', 'import', 'const', 'param', 'enum', 'list', 'ghost', 'folio', 'state', 'table', 'input', 'fn',
  'action', 'score', 'on', 'every', 'invariant', 'test', 'expect', 'let', 'var', 'if', 'then', 'else', 'match', 'for',
  'while', 'place', 'leave', 'refuse', 'move', 'scan', 'evict', 'stop', 'keep', 'prefetch', 'do', 'pin', 'unpin', 'when',
  'return', 'otherwise', ...SMALL, 'true', 'false', 'and', 'or', 'not', 'hand',
];

const comma = rule => optional(comma1(rule));
const comma1 = rule => seq(rule, repeat(seq(',', rule)));
const BITS = ['_bits_and', '_bits_or', '_bits_xor', '_bits_shift'];
/** Operations on bits: of one kind in a row, and beside others only in parentheses. */
const bits = ($, again, sign) => seq(choice($._unary, alias(again, $.binary_expression)), field('operator', sign), $._unary);
const block = rule => seq('{', repeat(rule), '}');

module.exports = grammar({
  name: 'cpol',

  word: $ => $.identifier,

  reserved: { global: _ => WORDS },

  extras: $ => [/[ \t\r\n]+/, $.comment, $.doc_comment],

  externals: $ => [
    $.integer, $.fixed, $.unit, $._how_fault, $._how_request, $._how_swap, $._of_swap, $._minus, $._error,
  ],

  // Soft words are names, too, and a step may begin with any name: the parser tries both, and `prec.dynamic` prefers what
  // the first alternative of the compiler's grammar takes.
  conflicts: $ => [
    [$.prefetch_statement],                   // `prefetch x by (3)`
    [$.prefetch_statement, $._plain_name],    // `prefetch slot (3)`
    [$.argument, $._plain_name],
    [$.readahead_statement, $._plain_name],   // `readahead (3)`
    [$.reclaim_statement, $._plain_name],
    [$.keep_statement, $.hold_statement],     // `keep drop f`
    [$.param_declaration],                    // `param p: u8 = 1 in 0..2 file up to 9 { … }`
    [$.pin_declaration],
    [$.keep_declaration],
    [$.cache_declaration],
    [$.step],
    [$._folios],
    [$.test_case, $._plain_name],
    [$.test_declaration],
  ],

  rules: {
    source_file: $ => choice($.policy, $.library),

    policy: $ => seq('policy', field('name', $.name), field('body', $.policy_body)),
    library: $ => seq('library', field('name', $.name), field('body', $.policy_body)),
    policy_body: $ => block($._item),

    _item: $ => choice(
      $.import_declaration, $.const_declaration, $.param_declaration, $.enum_declaration, $.list_declaration,
      $.ghost_declaration, $.folio_declaration, $.record_declaration, $.state_declaration, $.table_declaration,
      $.input_declaration, $.pin_declaration, $.keep_declaration, $.cache_declaration, $.fn_declaration, $.action_declaration,
      $.score_declaration, $.handler, $.every_declaration, $.invariant, $.test_declaration, $._later,
    ),

    // Declarations

    import_declaration: $ => seq('import', comma1(field('name', $.name)), 'from', field('source', choice($.name, $.string))),
    const_declaration: $ => seq('const', field('name', $.name), ':', $.type, '=', field('value', $._expression)),
    param_declaration: $ => seq(
      'param', field('name', $.name), ':', $.type, '=', field('value', $._expression),
      optional(seq('in', field('low', $._expression), '..', field('high', $._expression))),
      repeat($.note),
    ),
    note: $ => $.name,
    enum_declaration: $ => seq('enum', field('name', $.name), block(seq(field('member', $.name), optional(',')))),
    list_declaration: $ => seq('list', comma1($.list_name)),
    list_name: $ => seq(field('name', $.name), optional(seq('[', field('length', $._expression), ']'))),
    ghost_declaration: $ => seq('ghost', field('name', $.name), block($.ghost_item)),
    ghost_item: $ => choice(
      seq(field('name', $.name), ':', field('value', $._expression), optional(',')),
      seq($.folio_declaration, optional(',')),
    ),
    folio_declaration: $ => seq('folio', block($.field_declaration)),
    field_declaration: $ => seq(
      field('name', $._word), ':', $.type, optional($.index), '=', field('value', $._expression), optional(','),
    ),
    record_declaration: $ => seq(
      field('record', choice('file', 'task', 'area')), $.bound, '{', repeat1($.field_declaration), '}',
    ),
    state_declaration: $ => seq('state', field('name', $.name), ':', $.type, '=', field('value', $._expression)),
    pin_declaration: $ => seq('pin', $.bound, optional($.note)),
    keep_declaration: $ => seq('keep', $.bound, optional($.note)),
    cache_declaration: $ => seq('cache', $.bound, optional($.note)),
    table_declaration: $ => seq(
      'table', field('name', $.name), ':', $.type, '[', comma1(field('size', $._expression)), ']', '=',
      field('value', $._expression),
    ),
    input_declaration: $ => seq(
      'input', field('name', $.name), ':', $.note, optional($.index), 'of', $.type,
      optional(seq('to', $.type, '=', field('value', $._expression))),
    ),
    fn_declaration: $ => seq(
      'fn', field('name', $.name), $.parameters, ':', $.type, choice(seq('=', field('value', $._expression)), $.fn_body),
    ),
    fn_body: $ => seq('{', repeat($.let_statement), $.return, '}'),
    return: $ => seq('return', $._expression),
    parameters: $ => seq('(', comma($.parameter), ')'),
    parameter: $ => seq(field('name', $.name), ':', choice($.type, 'folio', 'list')),
    action_declaration: $ => seq('action', field('name', $.name), $.parameters, field('body', $.block)),
    score_declaration: $ => seq('score', field('name', $.name), '(', field('folio', $.name), ')', '=', field('value', $._expression)),
    invariant: $ => seq('invariant', $._expression),
    every_declaration: $ => seq('every', field('period', $._expression), optional($.note), field('body', $.block)),
    handler: $ => seq('on', comma1($.event), optional($.handler_parameters), field('body', $.block)),
    event: $ => choice($.name, 'evict', 'prefetch', 'pin'),
    handler_parameters: $ => seq('(', comma1($.name), ')'),

    _later: $ => seq('hand', $._error), // a word for a later version: always an error

    // Tests

    test_declaration: $ => seq(
      'test', field('name', $.name), '(', comma($.setting), ')', '{', repeat($.test_case), repeat($.step), '}',
    ),
    setting: $ => seq(field('name', $.name), ':', $._expression, optional(seq('..', $._expression))),
    test_case: $ => seq('case', field('name', $.name), '(', comma1($.cell), ')'),
    cell: $ => seq(field('name', $.name), ':', choice($.argument, seq('[', comma1($.argument), ']'))),
    step: $ => choice(
      seq('expect', $._expression),
      seq(field('verb', alias($._plain_name, $.name)), optional($._folios), optional($.step_block)),
      seq(field('verb', alias('fault', $.name)), optional(seq($._folios_how_fault)), optional($.step_block)),
      seq(field('verb', alias('request', $.name)), optional(seq($._folios_how_request)), optional($.step_block)),
      seq(field('verb', alias('swap', $.name)), optional(seq($._folios_how_swap)), optional($.step_block)),
      seq(field('input', $.name), '.', $._member, $.arguments),
    ),
    _folios: $ => prec.dynamic(1, seq(comma1($.folio_range), optional($.folio_size), optional($._as))),
    _folios_how_fault: $ => prec.dynamic(1, seq($._folios_of_swap, repeat(alias($._how_fault, $.how)), optional($._as))),
    _folios_how_request: $ => prec.dynamic(1, seq($._folios_of_swap, repeat(alias($._how_request, $.how)), optional($._as))),
    _folios_how_swap: $ => prec.dynamic(1, seq($._folios_of_swap, repeat(alias($._how_swap, $.how)), optional($._as))),
    _folios_of_swap: $ => seq(comma1($.folio_range), optional($.in_space), optional($.folio_size)),
    _as: $ => seq('as', choice(seq($._number, optional(seq('of', $.string))), $.string)),
    in_space: $ => seq(alias($._of_swap, 'slot'), $._number),
    step_block: $ => block($.step),
    folio_size: $ => seq('of', $._number, $.name),
    folio_range: $ => choice(
      seq($.integer, $.unit),
      seq($._number, optional(seq(':', $._number)), optional(seq('..', $._number))),
    ),
    _number: $ => choice($.integer, $.name),

    // Statements

    block: $ => block($._statement),

    _statement: $ => choice(
      $.let_statement, $.var_statement, $.if_statement, $.match_statement, $.for_statement, $.while_statement,
      $.place_statement, $.leave_statement, $.refuse_statement, $.move_statement, $.scan_statement, $.evict_statement,
      $.stop_statement, $.keep_statement, $.hold_statement, $.pin_statement, $.unpin_statement, $.prefetch_statement,
      $.default_statement, $.drop_statement, $.flush_statement, $.readahead_statement, $.reclaim_statement,
      $.do_statement, $.path_statement,
    ),

    let_statement: $ => seq('let', field('name', $.name), '=', field('value', $._expression)),
    var_statement: $ => seq('var', field('name', $.name), ':', $.type, '=', field('value', $._expression)),
    if_statement: $ => seq('if', field('condition', $._expression), $.block, repeat(alias($._else_if, $.else_part)),
      optional(alias($._else, $.else_part))),
    _else_if: $ => seq('else', 'if', field('condition', $._expression), $.block),
    _else: $ => seq('else', $.block),
    match_statement: $ => seq('match', field('value', $.path), '{', $._arms, '}'),
    _arms: $ => choice(
      seq(repeat1($.match_arm), optional(alias($._otherwise, $.match_arm))),
      alias($._otherwise, $.match_arm),
    ),
    match_arm: $ => seq(comma1(field('member', $.name)), $.block),
    for_statement: $ => seq(
      'for', field('name', $.name), 'in', field('low', $._expression), '..', field('high', $._expression), $.block,
    ),
    while_statement: $ => seq('while', field('condition', $._expression), $.bound, $.block),
    place_statement: $ => seq('place', field('folio', $.name), 'at', $.end, 'of', $.list_reference),
    leave_statement: $ => seq('leave', field('folio', $.name)),
    refuse_statement: $ => seq('refuse', field('folio', $.name)),
    move_statement: $ => seq('move', field('folio', $.name), 'to', $.end, 'of', $.list_reference),
    scan_statement: $ => seq(
      'scan', $.list_reference, 'from', $.end, optional($.bound), 'as', field('folio', $.name), '{', repeat($._statement),
      repeat(alias($._when, $.arm)), optional(alias($._otherwise, $.arm)), '}',
    ),
    bound: $ => seq('up', 'to', $._expression),
    _when: $ => seq('when', field('condition', $._expression), $.block),
    _otherwise: $ => seq('otherwise', $.block),
    evict_statement: $ => seq('evict', choice(
      seq(choice('lowest', 'highest'), field('score', $.name), 'of', $.bound, 'from', $.end, 'of', $.list_reference),
      field('folio', $.name),
    )),
    list_reference: $ => seq(field('name', $.name), optional(seq('[', $._expression, ']'))),
    stop_statement: _ => 'stop',
    keep_statement: _ => prec.dynamic(1, 'keep'),
    hold_statement: $ => seq('keep', field('folio', $.name)),
    pin_statement: $ => seq('pin', field('folio', $.name)),
    unpin_statement: $ => seq('unpin', field('folio', $.name)),
    prefetch_statement: $ => seq(
      'prefetch', choice($._expression, prec.dynamic(1, seq(choice('slot', 'page'), $._expression))), optional($.bound),
      optional($.stride),
    ),
    stride: $ => prec.dynamic(1, seq('by', $._expression)),
    default_statement: _ => 'default',
    drop_statement: $ => seq('drop', field('folio', $.name)),
    flush_statement: $ => seq('flush', field('folio', $.name), optional(seq('and', 'wait'))),
    readahead_statement: $ => prec.dynamic(1, seq('readahead', $._expression)),
    reclaim_statement: $ => prec.dynamic(1, seq('reclaim', $._expression)),
    do_statement: $ => seq('do', field('action', $.name), $.arguments),
    path_statement: $ => seq($.path, choice(seq($.assignment_operator, field('value', $._expression)), $.arguments)),
    assignment_operator: _ => choice('=', '+=', '-=', '*='),
    end: _ => choice('head', 'tail'),

    // Expressions, lowest precedence first

    _expression: $ => choice($.if_expression, $._or),
    if_expression: $ => seq(
      'if', field('condition', $._expression), 'then', field('then', $._expression), 'else', field('else', $._expression),
    ),
    _or: $ => choice($._and, alias($._or_binary, $.binary_expression)),
    _or_binary: $ => seq($._or, field('operator', 'or'), $._and),
    _and: $ => choice($._not, alias($._and_binary, $.binary_expression)),
    _and_binary: $ => seq($._and, field('operator', 'and'), $._not),
    _not: $ => choice($._comparison, $.not_expression),
    not_expression: $ => seq('not', $._not),
    _comparison: $ => choice($._bits, alias($._comparison_binary, $.binary_expression)),
    _comparison_binary: $ => seq($._sum, field('operator', choice('==', '!=', '<', '<=', '>', '>=')), $._sum),
    _bits: $ => choice($._sum, ...BITS.map(name => alias($[name], $.binary_expression))),
    _bits_and: $ => bits($, $._bits_and, '&'),
    _bits_or: $ => bits($, $._bits_or, '|'),
    _bits_xor: $ => bits($, $._bits_xor, '^'),
    _bits_shift: $ => seq($._unary, field('operator', choice('<<', '>>')), $._unary),
    _sum: $ => choice($._term, alias($._sum_binary, $.binary_expression)),
    _sum_binary: $ => seq($._sum, field('operator', choice('+', alias($._minus, '-'))), $._term),
    _term: $ => choice($._unary, alias($._term_binary, $.binary_expression)),
    _term_binary: $ => seq($._term, field('operator', choice('*', '/', '%')), $._unary),
    _unary: $ => choice($._primary, $.unary_expression),
    unary_expression: $ => seq(field('operator', choice(alias($._minus, '-'), '~')), $._unary),
    _primary: $ => choice(
      $.integer, $.duration, $.fixed, $.string, $.true, $.false, $.parenthesized, $.path, $.call, $.program_attribute,
    ),
    duration: $ => seq($.integer, $.unit),
    true: _ => 'true',
    false: _ => 'false',
    parenthesized: $ => seq('(', $._expression, ')'),
    call: $ => seq($.path, $.arguments, optional($.index)),
    program_attribute: $ => seq(choice('evict', 'every'), '.', $._member),
    path: $ => seq($.name, optional($.index), repeat(seq('.', $._member, optional($.index)))),
    index: $ => seq('[', comma1($._expression), ']'),
    arguments: $ => seq('(', comma($.argument), ')'),
    argument: $ => choice(
      seq($._expression, optional(seq(':', $._expression)), optional(seq('..', $._expression))),
      prec.dynamic(1, seq(
        choice('slot', 'page'), $._expression, optional(seq(':', $._expression)), optional(seq('..', $._expression)),
      )),
      seq(alias(choice(...SMALL), $.name), ':', $._expression),
    ),
    _member: $ => choice($._word, alias('list', $.name)),
    _word: $ => choice($.name, alias(choice(...SMALL), $.name)),
    name: $ => choice($._plain_name, ...WITH_HOW),
    _plain_name: $ => choice($.identifier, ...SOFT),
    type: $ => $.name,

    // Words

    identifier: _ => /[A-Za-z_][A-Za-z_0-9]*/,
    string: _ => /"[^"\r\n]*"/,
    doc_comment: _ => /\/\/\/([^\/\r\n][^\r\n]*)?/,
    comment: _ => token(choice(/\/\/([^\/\r\n][^\r\n]*)?/, /\/\/\/\/[^\r\n]*/)),
  },
});
