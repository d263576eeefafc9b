// The syntax of cpol. docs/semantics.md defines the meaning.
//
// Newlines have no meaning. A statement starts with a word, and no word can continue an expression,
// so the end of a statement is unambiguous.
//
// Soft words, such as `by`, are words of the language where the grammar asks for them, and names everywhere else (`name`).
// Where both fit, the first alternative wins: `prefetch x by (3)` is a stride, and not a call of `by`. tests/grammar holds each
// soft word as a name, and the few decisions of the parser that look further than one token because of them.
//
// A UNIT is the name ms, s, min or h behind an INT, unless `=`, `+=`, `-=`, `*=`, `.`, `[`, `(` or `:` follows: `x = 5  s = 3`
// parses as a comparison, too, so that its error can be explained. A HOW is a word such as cached behind `fault` or `request` in a
// test, an OF_SWAP the word slot behind the pages of a `fault`; any name may start the next step. compiler/syntax/durations.py and
// marks.py tell these two before the parser runs.
grammar Cpol;

tokens { UNIT, HOW, OF_SWAP }

file : (policy | library) EOF ;

policy  : POLICY name '{' item* '}' ;
library : LIBRARY name '{' item* '}' ;

item
    : importDecl | constDecl | paramDecl | enumDecl | listDecl | ghostDecl | folioDecl | recordDecl | stateDecl | tableDecl
    | inputDecl | pinDecl | keepDecl | cacheDecl | fnDecl | actionDecl | scoreDecl | handler | everyDecl | invariant | testDecl | laterDecl
    ;

importDecl : IMPORT name (',' name)* FROM (name | STRING) ;
constDecl : CONST name ':' typeName '=' expr ;
paramDecl : PARAM name ':' typeName '=' expr (IN expr '..' expr)? note* ;
note      : name ;
enumDecl  : ENUM name '{' enumItem* '}' ;
enumItem  : name ','? ;
listDecl  : LIST listName (',' listName)* ;
listName  : name ('[' expr ']')? ;
ghostDecl : GHOST name '{' ghostItem* '}' ;
ghostItem : name ':' expr ','? | folioDecl ','? ;
folioDecl : FOLIO '{' fieldDecl* '}' ;
fieldDecl : word ':' typeName index? '=' expr ','? ;
recordDecl : RECORD bound '{' fieldDecl+ '}' ;
stateDecl : STATE name ':' typeName '=' expr ;
pinDecl   : PIN bound note? ;
keepDecl  : KEEP bound note? ;
cacheDecl : CACHE bound note? ;
tableDecl : TABLE name ':' typeName '[' expr (',' expr)* ']' '=' expr ;
inputDecl : INPUT name ':' note index? OF typeName (TO typeName '=' expr)? ;
fnDecl    : FN name '(' (fnParam (',' fnParam)*)? ')' ':' typeName ('=' expr | fnBody) ;
fnBody    : '{' letStmt* fnResult '}' ;
fnResult  : RETURN expr ;
fnParam   : name ':' (typeName | FOLIO | LIST) ;
actionDecl : ACTION name '(' (fnParam (',' fnParam)*)? ')' block ;
scoreDecl : SCORE name '(' name ')' '=' expr ;
invariant : INVARIANT expr ;
everyDecl : EVERY expr note? block ;

handler   : ON event (',' event)* handlerParams? block ;
event     : name | EVICT | PREFETCH | PIN ;
handlerParams : '(' name (',' name)* ')' ;

// Tests. Steps name folios by number, or by one name, so no step can continue into the next one.

testDecl   : TEST name '(' (setting (',' setting)*)? ')' '{' testCase* step* '}' ;
setting    : name ':' expr ('..' expr)? ;
testCase   : CASE name '(' cell (',' cell)* ')' ;
cell       : name ':' (argument | '[' argument (',' argument)* ']') ;
step
    : EXPECT expr
    | name (folioRange (',' folioRange)* inSpace? folioSize? HOW* (AS (number (OF STRING)? | STRING))? stepBlock? | '.' member arguments)
    ;
inSpace    : OF_SWAP number ;
stepBlock  : '{' step* '}' ;
folioSize  : OF number name ;
folioRange : number (UNIT | (':' number)? ('..' number)?) ;
number     : INT | name ;  // the name of a value of the case

// Reserved constructs. The parser accepts each as a whole, so that the compiler reports one error.
laterDecl  : HAND later* ;
later
    : '{' inner* '}'
    | '(' inner* ')'
    | ~( '{' | '}' | '(' | ')' | IMPORT | CONST | PARAM | ENUM | LIST | GHOST | FOLIO | RECORD | STATE | TABLE | INPUT | FN | ACTION | SCORE
       | ON
       | EVERY | INVARIANT | TEST | HAND | PIN | UNPIN | KEEP | CACHE | POLICY | LIBRARY )
    ;
inner : '{' inner* '}' | '(' inner* ')' | ~( '{' | '}' | '(' | ')' ) ;

// Statements

block : '{' statement* '}' ;

statement
    : letStmt | varStmt | ifStmt | matchStmt | forStmt | whileStmt | placeStmt | leaveStmt | refuseStmt | moveStmt | scanStmt | evictStmt
    | stopStmt | keepStmt | holdStmt | pinStmt | unpinStmt | prefetchStmt | defaultStmt | dropStmt | flushStmt | aheadStmt | reclaimStmt | doStmt
    | pathStmt
    ;

letStmt    : LET name '=' expr ;
varStmt    : VAR name ':' typeName '=' expr ;
ifStmt     : IF expr block elsePart* ;
elsePart   : ELSE (IF expr block | block) ;
matchStmt  : MATCH expr '{' matchArm+ '}' ;
matchArm   : name (',' name)* block | OTHERWISE block ;
forStmt    : FOR name IN expr '..' expr block ;
whileStmt  : WHILE expr bound block ;
placeStmt  : PLACE name AT end OF listRef ;
leaveStmt  : LEAVE name ;
refuseStmt : REFUSE name ;
moveStmt   : MOVE name TO end OF listRef ;
scanStmt   : SCAN listRef FROM end bound? AS name '{' scanItem* '}' ;
bound      : UP TO expr ;
scanItem   : WHEN expr block | OTHERWISE block | statement ;
evictStmt  : EVICT ((LOWEST | HIGHEST) name OF bound FROM end OF listRef | name) ;
listRef    : name ('[' expr ']')? ;
stopStmt   : STOP ;
keepStmt   : KEEP ;
holdStmt   : KEEP name ;
pinStmt    : PIN name ;
unpinStmt  : UNPIN name ;
prefetchStmt : PREFETCH SPACE_OF? expr bound? stride? ;
stride     : BY expr ;
defaultStmt : DEFAULT ;
dropStmt   : DROP name ;
flushStmt  : FLUSH name (AND WAIT)? ;
aheadStmt  : AHEAD expr ;
reclaimStmt : RECLAIM expr ;
doStmt     : DO name arguments ;
pathStmt   : path (assignOp expr | arguments) ;
assignOp   : '=' | '+=' | '-=' | '*=' ;
end        : HEAD | TAIL ;

// Expressions, lowest precedence first. Chained comparisons, `=`, and operations on bits beside others without parentheses
// parse, so that the error can be explained.

expr       : IF expr THEN expr ELSE expr | orExpr ;
orExpr     : andExpr (OR andExpr)* ;
andExpr    : notExpr (AND notExpr)* ;
notExpr    : NOT* comparison ;
comparison : bits (compareOp bits)* ;
compareOp  : '==' | '!=' | '<' | '<=' | '>' | '>=' | '=' ;
bits       : sum (bitOp sum)* ;
bitOp      : '&' | '|' | '^' | '<<' | '>>' ;
sum        : term (('+' | '-') term)* ;
term       : unary (('*' | '/' | '%') unary)* ;
unary      : ('-' | '~')* primary ;
primary    : INT UNIT? | FIXED | STRING | TRUE | FALSE | '(' expr ')' | path (arguments index?)? | evictAttr ;
evictAttr  : (EVICT | EVERY) '.' member ;
path       : name index? ('.' member index?)* ;
index      : '[' expr (',' expr)* ']' ;
arguments  : '(' (argument (',' argument)*)? ')' ;
argument   : SPACE_OF? expr (':' expr)? ('..' expr)? | smallWord ':' expr ;  // `field: value`, or folios, slots or pages in a test
member     : word | LIST ;
word       : name | smallWord ;
smallWord  : AT | TO | OF | FROM | UP | AS | IN | HEAD | TAIL | LOWEST | HIGHEST ;  // start no statement or declaration, so fields may have these names
name       : IDENT | RECORD | CASE | SPACE_OF | BY | DEFAULT | DROP | FLUSH | WAIT | AHEAD | CACHE | RECLAIM ;
typeName   : name ;

// Words

POLICY : 'policy' ; LIBRARY : 'library' ; IMPORT : 'import' ; CONST : 'const' ; PARAM : 'param' ; ENUM : 'enum' ; LIST : 'list' ; GHOST : 'ghost' ;
FOLIO : 'folio' ; STATE : 'state' ; TABLE : 'table' ; INPUT : 'input' ; FN : 'fn' ; ACTION : 'action' ; SCORE : 'score' ; ON : 'on' ;
EVERY : 'every' ; INVARIANT : 'invariant' ; TEST : 'test' ; EXPECT : 'expect' ;
LET : 'let' ; VAR : 'var' ; IF : 'if' ; THEN : 'then' ; ELSE : 'else' ; MATCH : 'match' ; FOR : 'for' ; WHILE : 'while' ; PLACE : 'place' ; LEAVE : 'leave' ;
REFUSE : 'refuse' ; MOVE : 'move' ; SCAN : 'scan' ; EVICT : 'evict' ; STOP : 'stop' ; KEEP : 'keep' ; PREFETCH : 'prefetch' ; DO : 'do' ; PIN : 'pin' ; UNPIN : 'unpin' ; WHEN : 'when' ; RETURN : 'return' ;
OTHERWISE : 'otherwise' ; LOWEST : 'lowest' ; HIGHEST : 'highest' ;
AT : 'at' ; TO : 'to' ; OF : 'of' ; FROM : 'from' ; UP : 'up' ; AS : 'as' ; IN : 'in' ;
HEAD : 'head' ; TAIL : 'tail' ; TRUE : 'true' ; FALSE : 'false' ; AND : 'and' ; OR : 'or' ; NOT : 'not' ;

// Words reserved for later versions.
HAND : 'hand' ;

// Soft words
RECORD : 'file' | 'task' | 'area' ; SPACE_OF : 'slot' | 'page' ; BY : 'by' ; DEFAULT : 'default' ; DROP : 'drop' ; FLUSH : 'flush' ;
WAIT : 'wait' ; AHEAD : 'readahead' ; CASE : 'case' ; CACHE : 'cache' ; RECLAIM : 'reclaim' ;

LBRACE : '{' ; RBRACE : '}' ; LPAREN : '(' ; RPAREN : ')' ; LBRACK : '[' ; RBRACK : ']' ;
COLON : ':' ; COMMA : ',' ; DOTDOT : '..' ; DOT : '.' ;
ASSIGN : '=' ; ADD_ASSIGN : '+=' ; SUB_ASSIGN : '-=' ; MUL_ASSIGN : '*=' ;
EQ : '==' ; NE : '!=' ; LE : '<=' ; GE : '>=' ; LT : '<' ; GT : '>' ;
PLUS : '+' ; MINUS : '-' ; STAR : '*' ; SLASH : '/' ; PERCENT : '%' ;
AMP : '&' ; BAR : '|' ; CARET : '^' ; TILDE : '~' ; SHL : '<<' ; SHR : '>>' ;

IDENT : [A-Za-z_] [A-Za-z_0-9]* ;
FIXED : DIGITS '.' DIGITS ;
STRING : '"' ~["\r\n]* '"' ;
INT   : DIGITS | '0x' HEX ('_'? HEX)* ;
fragment DIGITS : [0-9] ('_'? [0-9])* ;
fragment HEX : [0-9a-fA-F] ;

DOC     : '///' (~[/\r\n] ~[\r\n]*)? -> channel(HIDDEN) ;
COMMENT : '//' ~[\r\n]* -> channel(HIDDEN) ;
SPACE   : [ \t\r\n]+ -> skip ;

// Operators of other languages are tokens, so that the error can say what to write instead.
FOREIGN    : '&&' | '||' | '!' | ';' | '++' | '--' | '/=' | '%=' | '&=' | '|=' | '^=' | '<<=' | '>>=' | '?' | '#' | '/*' | '->' ;
BAD_NUMBER : [0-9] [0-9A-Za-z_]* ('.' [0-9] [0-9A-Za-z_]*)? ;
UNKNOWN    : . ;
