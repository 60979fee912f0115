#include "base/str.h"

#include "base/num.h"
#include "support/check.h"

static const rift_str nothing = {NULL, 0};

static void compares(void)
{
    CHECK(rift_str_eq(rift_str_c("Head"), RIFT_STR("Head")));
    CHECK(!rift_str_eq(RIFT_STR("Head"), RIFT_STR("head")));
    CHECK(!rift_str_eq(RIFT_STR("Head"), RIFT_STR("Hea")));
    CHECK(rift_str_eq(nothing, rift_str_c(NULL)));
    CHECK(rift_str_eq_nocase(RIFT_STR("L_Hand[1]"), RIFT_STR("l_hAND[1]")));
    CHECK(!rift_str_eq_nocase(RIFT_STR("\xC4"), RIFT_STR("\xE4"))); /* only A-Z fold */
    CHECK(!rift_str_eq_nocase(RIFT_STR("@"), RIFT_STR("`")));
    CHECK(!rift_str_eq_nocase(RIFT_STR("["), RIFT_STR("{")));
    CHECK(rift_lower('Z') == 'z' && rift_lower('A') == 'a' && rift_lower('[') == '[' &&
          rift_lower('@') == '@');
    CHECK(rift_str_starts_nocase(RIFT_STR("ASSETS/x"), RIFT_STR("assets/")));
    CHECK(!rift_str_starts_nocase(RIFT_STR("as"), RIFT_STR("assets")));
    CHECK(rift_str_starts_nocase(nothing, nothing));
    CHECK(rift_str_ends_nocase(RIFT_STR("a.ANM"), RIFT_STR(".anm")));
    CHECK(!rift_str_ends_nocase(RIFT_STR("nm"), RIFT_STR(".anm")));
    CHECK(rift_str_contains_nocase(RIFT_STR("xxAlphaTest"), RIFT_STR("ALPHATEST")));
    CHECK(rift_str_contains_nocase(RIFT_STR("x"), nothing));
    CHECK(!rift_str_contains_nocase(RIFT_STR("alpha"), RIFT_STR("alphas")));
}

static void takes_views_without_bytes(void)
{
    rift_str rest = nothing;
    rift_str item;
    uint64_t number;
    CHECK(rift_str_ends_nocase(nothing, nothing));
    CHECK(rift_str_contains_nocase(nothing, nothing));
    CHECK(!rift_str_contains_nocase(nothing, RIFT_STR("x")));
    CHECK_U64(rift_str_stem(nothing).size, 0);
    CHECK(rift_str_glob_nocase(nothing, nothing));
    CHECK(rift_str_glob_nocase(nothing, RIFT_STR("*")));
    CHECK(!rift_str_next(&rest, ",", &item));
    CHECK(!rift_str_u64(nothing, 9, &number));
    CHECK(!rift_str_hex(nothing, &number));
}

static void splits_paths(void)
{
    const struct {
        const char *path, *base, *stem;
    } rows[] = {
        {"a/b/Idle1.anm", "Idle1.anm", "Idle1"},
        {"a\\b\\Idle1.anm", "Idle1.anm", "Idle1"},
        {"Idle1", "Idle1", "Idle1"},
        {"a.b/Idle", "Idle", "Idle"},
        {"x.tar.gz", "x.tar.gz", "x.tar"},
        {".hidden", ".hidden", ".hidden"},
        {"a/", "", ""},
        {"", "", ""},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].path);
        CHECK_STR(rift_str_base(rift_str_c(rows[i].path)), rift_str_c(rows[i].base));
        CHECK_STR(rift_str_stem(rift_str_c(rows[i].path)), rift_str_c(rows[i].stem));
    }
    CHECK_U64(rift_str_base(nothing).size, 0);
}

static void matches_globs(void)
{
    const struct {
        const char *text, *pattern;
        bool want;
    } rows[] = {
        {"idle1", "idle*", true},
        {"Idle1", "iDLE?", true},
        {"idle", "idle?", false},
        {"idle", "idle*", true},
        {"xidle", "idle*", false},
        {"run_in_air", "*in*", true},
        {"run", "", false},
        {"", "", true},
        {"", "*", true},
        {"", "?", false},
        {"abc", "***", true},
        {"aab", "*ab", true},
        {"abab", "*ab", true},
        {"ababx", "*ab", false},
        {"abcabd", "a*abd", true},
        {"mississippi", "m*iss*p?i", true},
        {"mississippi", "m*iss*x", false},
        {"a*b", "a*b", true},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a*a*a*a*a*a*a*a*a*a*a*b", false},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s against %s", rows[i].text, rows[i].pattern);
        CHECK(rift_str_glob_nocase(rift_str_c(rows[i].text), rift_str_c(rows[i].pattern)) == rows[i].want);
    }
}

static void walks_lists(void)
{
    const struct {
        const char *list, *separators;
        const char *want[5];
    } rows[] = {
        {"A, b c;D", " ,;", {"A", "b", "c", "D"}}, /* bug log B106 */
        {"a b, c", ",", {"a b", "c"}},
        {",,a,, ,b,", ",", {"a", "b"}},
        {"  \t", ",", {NULL}},
        {"", ",", {NULL}},
        {"one", ",", {"one"}},
        {" one \r\n", ",", {"one"}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("\"%s\"", rows[i].list);
        rift_str rest = rift_str_c(rows[i].list);
        rift_str item;
        size_t n = 0;
        while (n < 4 && rift_str_next(&rest, rows[i].separators, &item)) {
            CHECK_STR(item, rift_str_c(rows[i].want[n]));
            n++;
        }
        CHECK(rows[i].want[n] == NULL);
    }
}

static void reads_numbers(void)
{
    const struct {
        const char *text;
        uint64_t max;
        bool ok;
        uint64_t want;
    } rows[] = {
        {"0", 0, true, 0},
        {"1", 0, false, 0},
        {"157036", 999999999, true, 157036},
        {"007", 10, true, 7},
        {"255", 255, true, 255},
        {"256", 255, false, 0},
        {"18446744073709551615", UINT64_MAX, true, UINT64_MAX},
        {"18446744073709551616", UINT64_MAX, false, 0},
        {"99999999999999999999999", UINT64_MAX, false, 0},
        {"", 10, false, 0},
        {"-1", 10, false, 0},
        {"+1", 10, false, 0},
        {" 1", 10, false, 0},
        {"1x", 10, false, 0},
        {"0x1", 100, false, 0},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("\"%s\" up to %llu", rows[i].text, (unsigned long long)rows[i].max);
        uint64_t got = 0;
        CHECK(rift_str_u64(rift_str_c(rows[i].text), rows[i].max, &got) == rows[i].ok);
        CHECK_U64(got, rows[i].want);
    }
}

static void reads_hex(void)
{
    const struct {
        const char *text;
        bool ok;
        uint64_t want;
    } rows[] = {
        {"0", true, 0},
        {"0xFf", true, 255},
        {"0XaB", true, 171},
        {"deadBEEF", true, 0xDEADBEEF},
        {"ffffffffffffffff", true, UINT64_MAX},
        {"0x0123456789abcdef", true, 0x0123456789ABCDEF},
        {"00000000000000001", false, 0},
        {"", false, 0},
        {"0x", false, 0},
        {"g", false, 0},
        {"1 ", false, 0},
        {"-1", false, 0},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("\"%s\"", rows[i].text);
        uint64_t got = 0;
        CHECK(rift_str_hex(rift_str_c(rows[i].text), &got) == rows[i].ok);
        CHECK_U64(got, rows[i].want);
    }
}

static void knows_utf8(void)
{
    const struct {
        const char *name;
        rift_str bytes;
        bool want;
    } rows[] = {
        {"empty", {NULL, 0}, true},
        {"ASCII with NUL", RIFT_STR("a\0b"), true},
        {"u umlaut", RIFT_STR("\xC3\xBC"), true},
        {"lowest of two", RIFT_STR("\xC2\x80"), true},
        {"overlong of two", RIFT_STR("\xC0\xAF"), false},
        {"overlong of two, C1", RIFT_STR("\xC1\xBF"), false},
        {"lowest of three", RIFT_STR("\xE0\xA0\x80"), true},
        {"overlong of three", RIFT_STR("\xE0\x9F\xBF"), false},
        {"last before surrogates", RIFT_STR("\xED\x9F\xBF"), true},
        {"surrogate", RIFT_STR("\xED\xA0\x80"), false},
        {"lowest of four", RIFT_STR("\xF0\x90\x80\x80"), true},
        {"overlong of four", RIFT_STR("\xF0\x8F\xBF\xBF"), false},
        {"highest", RIFT_STR("\xF4\x8F\xBF\xBF"), true},
        {"beyond", RIFT_STR("\xF4\x90\x80\x80"), false},
        {"F5", RIFT_STR("\xF5\x80\x80\x80"), false},
        {"cut of two", RIFT_STR("a\xC3"), false},
        {"cut of four", RIFT_STR("\xF0\x90\x80"), false},
        {"lone continuation", RIFT_STR("\x80"), false},
        {"bad continuation", RIFT_STR("\xE2\x82z"), false},
        {"good, then bad", RIFT_STR("\xC3\xBC\xFF"), false},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        CHECK(rift_str_is_utf8(rows[i].bytes) == rows[i].want);
    }
}

static void arithmetic_tells_overflow(void)
{
    size_t s;
    uint64_t u;
    CHECK(rift_add_size(&s, SIZE_MAX - 1, 1) && s == SIZE_MAX);
    CHECK(!rift_add_size(&s, SIZE_MAX, 1));
    CHECK(rift_mul_size(&s, SIZE_MAX / 2, 2) && s == SIZE_MAX - 1);
    CHECK(!rift_mul_size(&s, SIZE_MAX / 2 + 1, 2));
    CHECK(rift_mul_size(&s, 0, SIZE_MAX) && s == 0);
    CHECK(rift_add_u64(&u, 1, 2) && u == 3);
    CHECK(!rift_add_u64(&u, UINT64_MAX, 1));
    CHECK_U64(rift_min_size(2, 3), 2);
    CHECK_U64(rift_max_size(2, 3), 3);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(compares);
    RUN(takes_views_without_bytes);
    RUN(splits_paths);
    RUN(matches_globs);
    RUN(walks_lists);
    RUN(reads_numbers);
    RUN(reads_hex);
    RUN(knows_utf8);
    RUN(arithmetic_tells_overflow);
    return check_finish();
}
