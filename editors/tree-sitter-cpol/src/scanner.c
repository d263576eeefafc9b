/* SPDX-License-Identifier: MIT */
/*
 * Tokens of cpol that need a look further than a regular expression has.
 *
 * - Numbers: `12k` is no number and a name, but an error.
 * - Units: `5 s` is a duration, unless what follows makes `s` a name, as in `x = 5  s = 3` (compiler/syntax/durations.py).
 * - Words at the end of a step of a test, such as `cached`: any name may start the next step (compiler/syntax/marks.py).
 * - The sign `-`, since `--` is a mistake of other languages.
 *
 * tests/editors/test_tree_sitter.py compares the words here with those of the compiler.
 */
#include "tree_sitter/parser.h"

#include <string.h>

enum token { INTEGER, FIXED, UNIT, HOW_FAULT, HOW_REQUEST, HOW_SWAP, OF_SWAP, MINUS, ERROR };

enum { LONGEST = 64 };

static const char *const units[] = {"ms", "s", "min", "h", NULL};
static const char *const how_fault[] = {"cached", "prefetched", NULL};
static const char *const how_request[] = {"sequential", "marker", "mapped", NULL};
static const char *const how_swap[] = {"shared", "workingset", NULL};
static const char *const verbs[] = {
	"access", "write", "readahead", "fault", "request", "open", "read", "written", "swap", "remove", "reclaim", "room",
	"busy", "idle", "dirty", "writeback", "clean", "mapped", "executable", "unmapped", "device", "cgroup", "readers",
	"tick", "repeat", NULL,
};
/* Words that may follow a number of a step, and are no names. */
static const char *const no_names[] = {"as", "of", "expect", NULL};

static bool is_digit(int32_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(int32_t c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(int32_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_space(int32_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

/* Reads a word. Returns whether there is one that fits. */
static bool read_word(TSLexer *lexer, char word[LONGEST])
{
	size_t length = 0;

	if (!is_letter(lexer->lookahead))
		return false;
	for (; is_letter(lexer->lookahead) || is_digit(lexer->lookahead); lexer->advance(lexer, false)) {
		if (length == LONGEST - 1)
			return false;
		word[length++] = (char)lexer->lookahead;
	}
	word[length] = '\0';
	return true;
}

/* Passes by spaces and comments, behind the end of the token. Returns the sign `/` if one stands there alone. */
static int32_t next_sign(TSLexer *lexer)
{
	for (;;) {
		while (is_space(lexer->lookahead))
			lexer->advance(lexer, false);
		if (lexer->lookahead != '/')
			return lexer->lookahead;
		lexer->advance(lexer, false);
		if (lexer->lookahead != '/')
			return '/';
		while (!lexer->eof(lexer) && lexer->lookahead != '\n' && lexer->lookahead != '\r')
			lexer->advance(lexer, false);
	}
}

/* Whether what follows makes the word before it a name: an assignment, a member, an index, arguments, a colon. */
static bool names_the_word(TSLexer *lexer)
{
	int32_t sign = next_sign(lexer);

	switch (sign) {
	case '[':
	case '(':
	case ':':
		return true;
	case '=':
		lexer->advance(lexer, false);
		return lexer->lookahead != '=';
	case '.':
		lexer->advance(lexer, false);
		return lexer->lookahead != '.';
	case '+':
	case '-':
	case '*':
		lexer->advance(lexer, false);
		return lexer->lookahead == '=';
	default:
		return false;
	}
}

/* Reads digits with single `_` between them. Returns whether they are right, and nothing of a word follows. */
static bool read_digits(TSLexer *lexer, bool (*is_one)(int32_t))
{
	if (!is_one(lexer->lookahead))
		return false;
	for (;;) {
		while (is_one(lexer->lookahead))
			lexer->advance(lexer, false);
		if (lexer->lookahead != '_')
			return !is_letter(lexer->lookahead) && !is_digit(lexer->lookahead);
		lexer->advance(lexer, false);
		if (!is_one(lexer->lookahead))
			return false;
	}
}

static bool read_number(TSLexer *lexer, const bool *valid)
{
	if (lexer->lookahead == '0') {
		lexer->advance(lexer, false);
		if (lexer->lookahead == 'x') {
			lexer->advance(lexer, false);
			if (!read_digits(lexer, is_hex))
				return false;
			lexer->mark_end(lexer);
			lexer->result_symbol = INTEGER;
			if (lexer->lookahead == '.') { /* `0x1.2` is no number */
				lexer->advance(lexer, false);
				return valid[INTEGER] && !is_digit(lexer->lookahead);
			}
			return valid[INTEGER];
		}
		if (lexer->lookahead == '_') {
			lexer->advance(lexer, false);
			if (!is_digit(lexer->lookahead))
				return false;
		}
		if (is_letter(lexer->lookahead))
			return false;
	}
	if (is_digit(lexer->lookahead) && !read_digits(lexer, is_digit))
		return false;
	lexer->mark_end(lexer);
	lexer->result_symbol = INTEGER;
	if (lexer->lookahead != '.')
		return valid[INTEGER];
	lexer->advance(lexer, false);
	if (!is_digit(lexer->lookahead))
		return valid[INTEGER];
	if (!read_digits(lexer, is_digit))
		return false;
	lexer->mark_end(lexer);
	lexer->result_symbol = FIXED;
	return valid[FIXED];
}

/* Whether `mapped` starts a step of its own: folios follow, and not another step. */
static bool starts_step(TSLexer *lexer)
{
	char word[LONGEST];
	int32_t sign = next_sign(lexer);

	if (is_digit(sign))
		return true;
	if (!read_word(lexer, word) || is_one_of(word, no_names))
		return false;
	if (is_one_of(word, verbs) || is_one_of(word, how_request))
		return false;
	if (next_sign(lexer) != '.')
		return true;
	lexer->advance(lexer, false);
	return lexer->lookahead == '.';
}

static bool read_how(TSLexer *lexer, const char *word, enum token token)
{
	lexer->result_symbol = token;
	return strcmp(word, "mapped") != 0 || !starts_step(lexer);
}

static bool read_marked(TSLexer *lexer, const bool *valid)
{
	char word[LONGEST];

	if (!read_word(lexer, word))
		return false;
	lexer->mark_end(lexer);
	if (valid[UNIT] && is_one_of(word, units)) {
		lexer->result_symbol = UNIT;
		return !names_the_word(lexer);
	}
	if (valid[HOW_FAULT] && is_one_of(word, how_fault))
		return read_how(lexer, word, HOW_FAULT);
	if (valid[HOW_REQUEST] && is_one_of(word, how_request))
		return read_how(lexer, word, HOW_REQUEST);
	if (valid[HOW_SWAP] && is_one_of(word, how_swap))
		return read_how(lexer, word, HOW_SWAP);
	if (valid[OF_SWAP] && strcmp(word, "slot") == 0) {
		lexer->result_symbol = OF_SWAP;
		if (is_digit(next_sign(lexer)))
			return true;
		return read_word(lexer, word) && !is_one_of(word, no_names);
	}
	return false;
}

void *tree_sitter_cpol_external_scanner_create(void)
{
	return NULL;
}

void tree_sitter_cpol_external_scanner_destroy(void *payload)
{
	(void)payload;
}

unsigned tree_sitter_cpol_external_scanner_serialize(void *payload, char *buffer)
{
	(void)payload;
	(void)buffer;
	return 0;
}

void tree_sitter_cpol_external_scanner_deserialize(void *payload, const char *buffer, unsigned length)
{
	(void)payload;
	(void)buffer;
	(void)length;
}

bool tree_sitter_cpol_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid)
{
	(void)payload;
	while (is_space(lexer->lookahead))
		lexer->advance(lexer, true);
	if (is_digit(lexer->lookahead)) /* during recovery, too: numbers are as they are everywhere */
		return (valid[INTEGER] || valid[FIXED]) && read_number(lexer, valid);
	if (valid[ERROR])
		return false;
	if (lexer->lookahead == '-' && valid[MINUS]) {
		lexer->advance(lexer, false);
		lexer->mark_end(lexer);
		lexer->result_symbol = MINUS;
		return lexer->lookahead != '-' && lexer->lookahead != '=' && lexer->lookahead != '>';
	}
	return read_marked(lexer, valid);
}
