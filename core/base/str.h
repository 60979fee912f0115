/* str.h - small helpers on rift_str. Only A-Z fold; no locale takes part. */
#ifndef RIFT_BASE_STR_H
#define RIFT_BASE_STR_H

#include <stdbool.h>

#include "base/bytes.h"

rift_str rift_str_c(const char *s); /* s may be NULL */
bool rift_str_eq(rift_str a, rift_str b);
bool rift_str_eq_nocase(rift_str a, rift_str b);
bool rift_str_starts_nocase(rift_str s, rift_str prefix);
bool rift_str_ends_nocase(rift_str s, rift_str suffix);
bool rift_str_contains_nocase(rift_str s, rift_str part);
char rift_lower(char c);
/* The part behind the last '/' or '\'. */
rift_str rift_str_base(rift_str path);
/* The base name without its last extension: "a/Idle1.anm" -> "Idle1". */
rift_str rift_str_stem(rift_str path);
/* Glob with '*' and '?', without case; the whole of s must match. */
bool rift_str_glob_nocase(rift_str s, rift_str pattern);
/* Next item of a list separated by any of `separators`; blanks around it and empty items are skipped. *rest is what
 * follows. False at the end. */
bool rift_str_next(rift_str *rest, const char *separators, rift_str *item);
/* Unsigned decimal digits only, the whole string, at most max. */
bool rift_str_u64(rift_str s, uint64_t max, uint64_t *out);
/* Its value, in either case; -1 for any other character. */
int rift_hex_digit(char c);
/* Hexadecimal digits, with or without "0x", 1 to 16 of them, the whole string. */
bool rift_str_hex(rift_str s, uint64_t *out);
/* True when the bytes are well-formed UTF-8 (no surrogates, no overlong forms). */
bool rift_str_is_utf8(rift_str s);

#endif
