#include "base/json.h"

#include <cJSON.h>
#include <float.h>
#include <locale.h>
#include <stdlib.h>

#include "base/report.h"
#include "base/str.h"
#include "support/check.h"

static rift_arena arena;
static rift_buf buf;
static rift_json j;

static void start(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 1 << 20);
    rift_buf_init(&buf, &arena, 1 << 20);
    rift_json_init(&j, &buf);
}

static rift_str text(void)
{
    return (rift_str){(const char *)buf.data, buf.size};
}

static void nests_and_places_commas(void)
{
    start();
    rift_json_object(&j);
    rift_json_put_uint(&j, "a", 1);
    rift_json_key(&j, "b");
    rift_json_array(&j);
    rift_json_int(&j, -2);
    rift_json_bool(&j, true);
    rift_json_null(&j);
    rift_json_array(&j);
    rift_json_array_end(&j);
    rift_json_object(&j);
    rift_json_object_end(&j);
    rift_json_array_end(&j);
    rift_json_put_bool(&j, "c", false);
    rift_json_put_cstr(&j, "d", NULL);
    rift_json_put_hex(&j, "e", 0xABCu, 8);
    rift_json_key_str(&j, RIFT_STR("f"));
    rift_json_raw(&j, RIFT_STR("[1, 2]"));
    rift_json_put_str(&j, "g", RIFT_STR("x"));
    rift_json_object_end(&j);
    CHECK_STR(text(),
              RIFT_STR("{\"a\":1,\"b\":[-2,true,null,[],{}],\"c\":false,\"d\":null,\"e\":\"0x00000abc\","
                       "\"f\":[1, 2],\"g\":\"x\"}"));
    CHECK_U64(j.depth, 0);
}

static void adds_ready_members(void)
{
    start();
    rift_json_object(&j);
    rift_json_raw_members(&j, RIFT_STR("\"a\":1,\"b\":2"));
    rift_json_raw_members(&j, (rift_str){0});
    rift_json_put_int(&j, "c", 3);
    rift_json_raw_members(&j, RIFT_STR("\"d\":4"));
    rift_json_object_end(&j);
    CHECK_STR(text(), RIFT_STR("{\"a\":1,\"b\":2,\"c\":3,\"d\":4}"));
}

static void indents_when_pretty(void)
{
    start();
    j.pretty = true;
    rift_json_object(&j);
    rift_json_put_uint(&j, "a", 1);
    rift_json_key(&j, "b");
    rift_json_array(&j);
    rift_json_uint(&j, 2);
    rift_json_array_end(&j);
    rift_json_key(&j, "c");
    rift_json_array(&j);
    rift_json_array_end(&j);
    rift_json_object_end(&j);
    CHECK_STR(text(), RIFT_STR("{\n  \"a\": 1,\n  \"b\": [\n    2\n  ],\n  \"c\": []\n}"));
}

static void escapes_strings(void)
{
    const struct {
        const char *name;
        rift_str in;
        rift_str want;
    } rows[] = {
        {"empty", {NULL, 0}, RIFT_STR("\"\"")},
        {"plain", RIFT_STR("Head_01"), RIFT_STR("\"Head_01\"")},
        {"quote and backslash", RIFT_STR("a\"b\\c"), RIFT_STR("\"a\\\"b\\\\c\"")},
        {"line ends and tab", RIFT_STR("\r\n\t"), RIFT_STR("\"\\r\\n\\t\"")},
        {"NUL, 1 and 1f", RIFT_STR("a\0\1\x1f"), RIFT_STR("\"a\\u0000\\u0001\\u001f\"")},
        {"delete stays", RIFT_STR("\x7f"), RIFT_STR("\"\x7f\"")},
        {"two bytes", RIFT_STR("\xC3\xBC"), RIFT_STR("\"\xC3\xBC\"")},
        {"three bytes", RIFT_STR("\xE2\x82\xAC!"), RIFT_STR("\"\xE2\x82\xAC!\"")},
        {"four bytes", RIFT_STR("\xF0\x9F\x98\x80"), RIFT_STR("\"\xF0\x9F\x98\x80\"")},
        {"u umlaut in Latin-1", RIFT_STR("M\xFCller"), RIFT_STR("\"M\xC3\xBCller\"")},
        {"UTF-8, then a bad byte", RIFT_STR("\xC3\xBC\xE9"), RIFT_STR("\"\xC3\xBC\xC3\xA9\"")},
        {"cut sequence", RIFT_STR("\xE2\x82"), RIFT_STR("\"\xC3\xA2\xC2\x82\"")},
        {"surrogate", RIFT_STR("\xED\xA0\x80"), RIFT_STR("\"\xC3\xAD\xC2\xA0\xC2\x80\"")},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        start();
        rift_json_str(&j, rows[i].in);
        CHECK_STR(text(), rows[i].want);
    }
}

static void writes_integers(void)
{
    start();
    rift_json_array(&j);
    rift_json_uint(&j, 0);
    rift_json_uint(&j, UINT64_MAX);
    rift_json_int(&j, INT64_MIN);
    rift_json_int(&j, INT64_MAX);
    rift_json_hex(&j, UINT64_MAX, 16);
    rift_json_hex(&j, 0x123456789u, 8);
    rift_json_array_end(&j);
    CHECK_STR(text(), RIFT_STR("[0,18446744073709551615,-9223372036854775808,9223372036854775807,"
                               "\"0xffffffffffffffff\",\"0x123456789\"]"));
}

static const struct {
    double value;
    const char *want;
} numbers[] = {
    {0, "0"},
    {-0.0, "0"},
    {1, "1"},
    {-1, "-1"},
    {0.5, "0.5"},
    {-0.25, "-0.25"},
    {100, "100"},
    {16777216, "16777216"},
    {0.01, "0.01"},
    {0.1, "0.1"},
    {1.0 / 3, "0.3333333333333333"},
    {0.30000000000000004, "0.30000000000000004"},
    {123456.75, "123456.75"},
    {1e-5, "0.00001"},
    {1.5e-6, "1.5e-6"},
    {1e22, "1e22"},
    {9007199254740993e3, "9.007199254740993e18"},
    {1.7976931348623157e308, "1.7976931348623157e308"},
    {5e-324, "5e-324"},
};

static void writes_doubles_shortest(void)
{
    for (size_t i = 0; i < RIFT_COUNT(numbers); i++) {
        start();
        rift_json_double(&j, numbers[i].value);
        CHECK_STR(text(), rift_str_c(numbers[i].want));
    }
}

static void writes_floats_shortest(void)
{
    static const struct {
        float value;
        const char *want;
    } rows[] = {
        {0.1f, "0.1"},
        {1.0f / 3, "0.33333334"},
        {16777216.0f, "16777216"},
        {0.7071068f, "0.7071068"},
        {1.00000012f, "1.0000001"},
        {-179.98f, "-179.98"},
        {8388607.5f, "8388607.5"},
        {FLT_MAX, "3.4028235e38"},
        {FLT_MIN, "1.1754944e-38"},
        {1e-45f, "1e-45"},
        {-0.0f, "0"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        start();
        rift_json_float(&j, rows[i].value);
        CHECK_STR(text(), rift_str_c(rows[i].want));
    }
}

/* Read back by somebody else's parser, over the whole range of exponents. */
static void floats_read_back_exactly(void)
{
    uint32_t state = 12345;
    for (int i = 0; i < 5000; i++) {
        state = state * 1664525u + 1013904223u;
        float value;
        memcpy(&value, &state, sizeof value);
        if (!isfinite(value))
            continue;
        start();
        rift_json_float(&j, value);
        rift_buf_u8(&buf, 0);
        check_row("%s", (const char *)buf.data);
        CHECK(strlen((const char *)buf.data) <= 18); /* sign and 17 digits before the point */
        cJSON *back = cJSON_Parse((const char *)buf.data);
        CHECK_FATAL(back != NULL);
        const float got = (float)back->valuedouble;
        CHECK(memcmp(&got, &value, sizeof got) == 0);
        cJSON_Delete(back);
    }
}

static void ignores_the_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool found = false;
    for (size_t i = 0; i < RIFT_COUNT(names) && !found; i++)
        found = setlocale(LC_ALL, names[i]) != NULL;
    if (!found) {
        printf(
            "note: no locale with a decimal comma is installed, numbers were checked in the C locale only\n");
    }
    writes_doubles_shortest();
    writes_floats_shortest();
    CHECK(setlocale(LC_ALL, "C") != NULL);
}

static void writes_a_report(void)
{
    start();
    rift_arena report_arena;
    rift_arena_init(&report_arena, 1 << 16);
    rift_report report;
    rift_report_init(&report, &report_arena);
    rift_json_report(&j, &report);
    CHECK_STR(text(), RIFT_STR("[]"));

    rift_report_in(&report, RIFT_STR("Idle1"));
    rift_report_add(&report, "key_conflict", "joint \"%s\"", "Head");
    rift_report_in(&report, (rift_str){0});
    rift_report_add(&report, "empty_submesh", "Cape");
    rift_report_add(&report, "empty_submesh", "Hair");
    start();
    rift_json_report(&j, &report);
    CHECK_STR(
        text(),
        RIFT_STR("[{\"code\":\"key_conflict\",\"count\":1,\"examples\":[\"Idle1: joint \\\"Head\\\"\"]},"
                 "{\"code\":\"empty_submesh\",\"count\":2,\"examples\":[\"Cape\",\"Hair\"]}]"));
    rift_arena_release(&report_arena);
}

static void shows_a_full_buffer(void)
{
    start();
    buf.max = 8;
    rift_json_str(&j, RIFT_STR("longer than eight"));
    rift_err err = check_err();
    CHECK(!rift_buf_ok(&buf, "json", &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(nests_and_places_commas);
    RUN(adds_ready_members);
    RUN(indents_when_pretty);
    RUN(escapes_strings);
    RUN(writes_integers);
    RUN(writes_doubles_shortest);
    RUN(writes_floats_shortest);
    RUN(floats_read_back_exactly);
    RUN(ignores_the_locale);
    RUN(writes_a_report);
    RUN(shows_a_full_buffer);
    rift_arena_release(&arena);
    return check_finish();
}
