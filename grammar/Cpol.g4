// The syntax of cpol, and nothing else: no meaning lives here.
//
// Every decision needs one token of lookahead (tests/grammar asserts that the generated parser never
// simulates an ATN). Newlines mean nothing: a statement starts with a word, and an expression cannot be
// continued by a word, so the end of each is plain.
grammar Cpol;

file : policy EOF ;

policy : POLICY name '{' item* '}' ;

item
    : constDecl | paramDecl | listDecl | ghostDecl | folioDecl | stateDecl | scoreDecl | handler | invariant
    | laterDecl
    ;

constDecl : CONST name ':' typeName '=' expr ;
paramDecl : PARAM name ':' typeName '=' expr (IN expr '..' expr)? ;
listDecl  : LIST name (',' name)* ;
ghostDecl : GHOST name '{' ghostItem* '}' ;
ghostItem : name ':' expr ','? ;
folioDecl : FOLIO '{' fieldDecl* '}' ;
fieldDecl : name ':' typeName '=' expr ','? ;
stateDecl : STATE name ':' typeName '=' expr ;
scoreDecl : SCORE name '(' name ')' '=' expr ;
invariant : INVARIANT expr ;

handler   : ON (event (',' event)* handlerParams? block | laterEvent later* ) ;
event     : IDENT | EVICT ;
handlerParams : '(' name (',' name)* ')' ;

// What is coming: swallowed whole, and refused with one clear error.
laterDecl  : (HAND | TABLE | INPUT | ENUM | FN | TEST | EVERY | ADMIT | FAULT | PREFETCH | PIN | RANDOM) later* ;
laterEvent : EVERY | ADMIT | FAULT | PREFETCH | PIN ;
laterStmt  : EVERY | ADMIT | FAULT | PREFETCH | PIN ;
later
    : '{' inner* '}'
    | '(' inner* ')'
    | ~( '{' | '}' | '(' | ')' | CONST | PARAM | LIST | GHOST | FOLIO | STATE | SCORE | ON | INVARIANT
       | HAND | TABLE | INPUT | ENUM | FN | TEST | EVERY | ADMIT | FAULT | PREFETCH | PIN | RANDOM | POLICY )
    ;
inner : '{' inner* '}' | '(' inner* ')' | ~( '{' | '}' | '(' | ')' ) ;

// Statements

block : '{' statement* '}' ;

statement
    : letStmt | ifStmt | placeStmt | moveStmt | scanStmt | evictStmt | stopStmt | keepStmt | pathStmt | laterStmt
    ;

letStmt   : LET name '=' expr ;
ifStmt    : IF expr block elsePart* ;
elsePart  : ELSE (IF expr block | block) ;
placeStmt : PLACE name AT end OF name ;
moveStmt  : MOVE name TO end OF name ;
scanStmt  : SCAN name FROM end bound? AS name '{' scanItem* '}' ;
bound     : UP TO expr ;
scanItem  : WHEN expr block | OTHERWISE block | statement ;
evictStmt : EVICT (LOWEST name OF bound FROM end OF name | name) ;
stopStmt  : STOP ;
keepStmt  : KEEP ;
pathStmt  : path (assignOp expr | arguments) ;
assignOp  : '=' | '+=' | '-=' | '*=' ;
end       : HEAD | TAIL ;

// Expressions, loosest first. Comparisons do not chain and `=` does not compare: both parse, for a better message.

expr       : andExpr (OR andExpr)* ;
andExpr    : notExpr (AND notExpr)* ;
notExpr    : NOT* comparison ;
comparison : sum (compareOp sum)* ;
compareOp  : '==' | '!=' | '<' | '<=' | '>' | '>=' | '=' ;
sum        : term (('+' | '-') term)* ;
term       : unary (('*' | '/' | '%') unary)* ;
unary      : '-'* primary ;
primary    : INT | FIXED | TRUE | FALSE | '(' expr ')' | path arguments? | evictAttr | laterExpr ;
evictAttr  : EVICT '.' member ;
laterExpr  : RANDOM arguments? ;
path       : name ('.' member)* ;
arguments  : '(' (expr (',' expr)*)? ')' ;
member     : IDENT | LIST ;
name       : IDENT ;
typeName   : IDENT ;

// Words

POLICY : 'policy' ; CONST : 'const' ; PARAM : 'param' ; LIST : 'list' ; GHOST : 'ghost' ; FOLIO : 'folio' ;
STATE : 'state' ; SCORE : 'score' ; ON : 'on' ; INVARIANT : 'invariant' ;
LET : 'let' ; IF : 'if' ; ELSE : 'else' ; PLACE : 'place' ; MOVE : 'move' ; SCAN : 'scan' ; EVICT : 'evict' ;
STOP : 'stop' ; KEEP : 'keep' ; WHEN : 'when' ; OTHERWISE : 'otherwise' ; LOWEST : 'lowest' ;
AT : 'at' ; TO : 'to' ; OF : 'of' ; FROM : 'from' ; UP : 'up' ; AS : 'as' ; IN : 'in' ;
HEAD : 'head' ; TAIL : 'tail' ; TRUE : 'true' ; FALSE : 'false' ; AND : 'and' ; OR : 'or' ; NOT : 'not' ;

// Words that are kept for what is coming.
HAND : 'hand' ; TABLE : 'table' ; INPUT : 'input' ; ENUM : 'enum' ; FN : 'fn' ; EVERY : 'every' ; ADMIT : 'admit' ;
TEST : 'test' ; FAULT : 'fault' ; PREFETCH : 'prefetch' ; PIN : 'pin' ; RANDOM : 'random' ;

LBRACE : '{' ; RBRACE : '}' ; LPAREN : '(' ; RPAREN : ')' ; COLON : ':' ; COMMA : ',' ; DOTDOT : '..' ; DOT : '.' ;
ASSIGN : '=' ; ADD_ASSIGN : '+=' ; SUB_ASSIGN : '-=' ; MUL_ASSIGN : '*=' ;
EQ : '==' ; NE : '!=' ; LE : '<=' ; GE : '>=' ; LT : '<' ; GT : '>' ;
PLUS : '+' ; MINUS : '-' ; STAR : '*' ; SLASH : '/' ; PERCENT : '%' ;

IDENT : [A-Za-z_] [A-Za-z_0-9]* ;
FIXED : DIGITS '.' DIGITS ;
INT   : DIGITS ;
fragment DIGITS : [0-9] ('_'? [0-9])* ;

DOC     : '///' (~[/\r\n] ~[\r\n]*)? -> channel(HIDDEN) ;
COMMENT : '//' ~[\r\n]* -> channel(HIDDEN) ;
SPACE   : [ \t\r\n]+ -> skip ;

// What people write out of habit: tokens of their own, so that the error can say what to write instead.
FOREIGN    : '&&' | '||' | '!' | ';' | '++' | '--' | '/=' | '%=' | '&' | '|' | '^' | '~' | '<<' | '>>' | '?' | '#' | '/*' | '->' ;
BAD_NUMBER : [0-9] [0-9A-Za-z_]* ('.' [0-9] [0-9A-Za-z_]*)? ;
UNKNOWN    : . ;
