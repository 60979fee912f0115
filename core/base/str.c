#include "base/str.h"

#include <string.h>

rift_str rift_str_c(const char *s)
{
    return (rift_str){s, s ? strlen(s) : 0};
}

char rift_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

bool rift_str_eq(rift_str a, rift_str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool rift_str_starts_nocase(rift_str s, rift_str prefix)
{
    if (prefix.size > s.size)
        return false;
    for (size_t i = 0; i < prefix.size; i++) {
        if (rift_lower(s.data[i]) != rift_lower(prefix.data[i]))
            return false;
    }
    return true;
}

bool rift_str_eq_nocase(rift_str a, rift_str b)
{
    return a.size == b.size && rift_str_starts_nocase(a, b);
}

bool rift_str_ends_nocase(rift_str s, rift_str suffix)
{
    return suffix.size == 0 ||
           (suffix.size <= s.size &&
            rift_str_eq_nocase((rift_str){s.data + (s.size - suffix.size), suffix.size}, suffix));
}

bool rift_str_contains_nocase(rift_str s, rift_str part)
{
    if (part.size == 0)
        return true;
    for (size_t i = 0; i + part.size <= s.size; i++) {
        if (rift_str_starts_nocase((rift_str){s.data + i, s.size - i}, part))
            return true;
    }
    return false;
}

rift_str rift_str_base(rift_str path)
{
    size_t start = path.size;
    while (start > 0 && path.data[start - 1] != '/' && path.data[start - 1] != '\\')
        start--;
    return (rift_str){path.data ? path.data + start : NULL, path.size - start};
}

rift_str rift_str_stem(rift_str path)
{
    rift_str base = rift_str_base(path);
    for (size_t i = base.size; i-- > 1;) {
        if (base.data[i] == '.')
            return (rift_str){base.data, i};
    }
    return base;
}

bool rift_str_glob_nocase(rift_str s, rift_str pattern)
{
    /* Backtracks to the last star only, which is enough: linear in s for each star. */
    size_t i = 0;
    size_t p = 0;
    size_t star = SIZE_MAX;
    size_t star_i = 0;
    while (i < s.size) {
        if (p < pattern.size && pattern.data[p] == '*') {
            star = p++;
            star_i = i;
        } else if (p < pattern.size &&
                   (pattern.data[p] == '?' || rift_lower(pattern.data[p]) == rift_lower(s.data[i]))) {
            p++;
            i++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            i = ++star_i;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.data[p] == '*')
        p++;
    return p == pattern.size;
}

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

bool rift_str_next(rift_str *rest, const char *separators, rift_str *item)
{
    size_t i = 0;
    while (i < rest->size && (is_one_of(rest->data[i], separators) || is_one_of(rest->data[i], " \t\r\n")))
        i++;
    size_t end = i;
    while (end < rest->size && !is_one_of(rest->data[end], separators))
        end++;
    size_t last = end;
    while (last > i && is_one_of(rest->data[last - 1], " \t\r\n"))
        last--;
    if (last == i)
        return false;
    *item = (rift_str){rest->data + i, last - i};
    *rest = (rift_str){rest->data + end, rest->size - end};
    return true;
}

bool rift_str_u64(rift_str s, uint64_t max, uint64_t *out)
{
    if (s.size == 0)
        return false;
    uint64_t v = 0;
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] < '0' || s.data[i] > '9')
            return false;
        const uint64_t digit = (uint64_t)(s.data[i] - '0');
        if (v > (max - digit) / 10 || digit > max)
            return false;
        v = v * 10 + digit;
    }
    *out = v;
    return true;
}

int rift_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = rift_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool rift_str_hex(rift_str s, uint64_t *out)
{
    if (rift_str_starts_nocase(s, RIFT_STR("0x")))
        s = (rift_str){s.data + 2, s.size - 2};
    if (s.size == 0 || s.size > 16)
        return false;
    uint64_t v = 0;
    for (size_t i = 0; i < s.size; i++) {
        const int digit = rift_hex_digit(s.data[i]);
        if (digit < 0)
            return false;
        v = v << 4 | (uint64_t)digit;
    }
    *out = v;
    return true;
}

/* Length of the well-formed sequence at p, or 0. Table 3-7 of the Unicode standard. */
static size_t utf8_length(const uint8_t *p, size_t left)
{
    const uint8_t c = p[0];
    if (c < 0x80)
        return 1;
    const size_t len = c >= 0xC2 && c <= 0xDF ? 2 : (c & 0xF0) == 0xE0 ? 3 : c >= 0xF0 && c <= 0xF4 ? 4 : 0;
    if (len == 0 || len > left)
        return 0;
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    }
    const bool overlong = (c == 0xE0 && p[1] < 0xA0) || (c == 0xF0 && p[1] < 0x90);
    const bool beyond = (c == 0xED && p[1] > 0x9F) || (c == 0xF4 && p[1] > 0x8F);
    return overlong || beyond ? 0 : len;
}

bool rift_str_is_utf8(rift_str s)
{
    for (size_t i = 0; i < s.size;) {
        const size_t len = utf8_length((const uint8_t *)s.data + i, s.size - i);
        if (len == 0)
            return false;
        i += len;
    }
    return true;
}
