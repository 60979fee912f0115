#include "base/report.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"
#include "support/check.h"

static rift_arena arena;
static rift_report report;

static void start(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 1 << 20);
    rift_report_init(&report, &arena);
}

static void counts_in_order_of_first_sight(void)
{
    start();
    rift_report_add(&report, "key_conflict", "joint %d", 3);
    rift_report_add(&report, "normals_rebuilt", "Body");
    rift_report_add(&report, "key_conflict", "joint %d", 5);
    CHECK_U64(report.entry_count, 2);
    CHECK(strcmp(report.entries[0]->code, "key_conflict") == 0);
    CHECK(strcmp(report.entries[1]->code, "normals_rebuilt") == 0);
    CHECK_U64(rift_report_count(&report, "key_conflict"), 2);
    CHECK_U64(rift_report_count(&report, "normals_rebuilt"), 1);
    CHECK_U64(rift_report_count(&report, "never"), 0);
    CHECK_STR(report.entries[0]->examples[1], RIFT_STR("joint 5"));
}

static void names_the_context(void)
{
    start();
    rift_report_in(&report, RIFT_STR("Idle1"));
    rift_report_add(&report, "a", "x");
    rift_report_in(&report, (rift_str){0});
    rift_report_add(&report, "a", "y");
    CHECK_STR(report.entries[0]->examples[0], RIFT_STR("Idle1: x"));
    CHECK_STR(report.entries[0]->examples[1], RIFT_STR("y"));
}

static void keeps_twenty_examples(void)
{
    start();
    for (int i = 0; i < 50; i++)
        rift_report_add(&report, "a", "%d", i);
    CHECK_U64(rift_report_count(&report, "a"), 50);
    CHECK_U64(report.entries[0]->example_count, 20);
    CHECK_STR(report.entries[0]->examples[19], RIFT_STR("19"));
}

static void takes_errors(void)
{
    start();
    rift_err err;
    rift_err_in(&err, RIFT_STR("run.anm"));
    (void)rift_fail(&err, RIFT_ERR_FORMAT, "track[3]", 12, "bad magic");
    rift_report_err(&report, "clip_skipped", &err);
    CHECK_STR(report.entries[0]->examples[0], RIFT_STR("run.anm: track[3]: bad magic (offset 12)"));
}

static void counts_variants_that_are_not_read(void)
{
    static const struct {
        const char *file, *where, *text;
    } errors[] = {{"Run.anm", "header", "compressed version 9"},
                  {"DATA/FINAL/A.v2/Walk.ANM", "track", "compressed version 9"},
                  {"Run.anm", "anm", "compressed version 8"},
                  {"X.wad.client", "header", "archive version 4.0, not 1 to 3"},
                  {"A.v2/0123456789abcdef", "header", "compressed version 9"},
                  {"0123456789abcdef", "anm", "compressed version 8"},
                  {"a.bin", "DX10 header", "DXGI format 9 is not read"}};

    start();
    for (size_t i = 0; i < RIFT_COUNT(errors); i++) {
        rift_err err;
        rift_err_in(&err, rift_str_c(errors[i].file));
        (void)rift_fail(&err, RIFT_ERR_UNSUPPORTED, errors[i].where, 8, "%s", errors[i].text);
        rift_report_err(&report, "clip_skipped", &err);
    }
    rift_err bad;
    rift_err_in(&bad, RIFT_STR("Run.anm"));
    (void)rift_fail(&bad, RIFT_ERR_FORMAT, "header", 8, "compressed version 9");
    rift_report_err(&report, "clip_skipped", &bad);
    CHECK_U64(report.unsupported, 7);
    rift_buf b;
    rift_json j;
    rift_buf_init(&b, &arena, 4096);
    rift_json_init(&j, &b);
    rift_json_unsupported(&j, &report);
    const rift_bytes text = rift_buf_bytes(&b);
    CHECK_STR(((rift_str){(const char *)text.data, text.size}),
              RIFT_STR("[{\"format\":\"anm\",\"what\":\"compressed version 9\",\"count\":2},"
                       "{\"format\":\"anm\",\"what\":\"compressed version 8\",\"count\":2},"
                       "{\"format\":\"wad\",\"what\":\"archive version 4.0, not 1 to 3\",\"count\":1},"
                       "{\"format\":\"\",\"what\":\"compressed version 9\",\"count\":1},"
                       "{\"format\":\"dds\",\"what\":\"DXGI format 9 is not read\",\"count\":1}]"));
    for (int i = 0; i < 20; i++) {
        char what[16];
        (void)snprintf(what, sizeof what, "version %d", i);
        rift_report_unsupported(&report, (rift_str){0}, RIFT_STR("a.skn"), rift_str_c(what));
    }
    CHECK_U64(report.unsupported, 27);
    CHECK_U64(report.variant_count, RIFT_REPORT_MAX_UNSUPPORTED);
    rift_report_unsupported(NULL, (rift_str){0}, RIFT_STR("a.skn"), RIFT_STR("x"));
}

static void may_be_absent(void)
{
    rift_report_in(NULL, RIFT_STR("x"));
    rift_report_add(NULL, "a", "x");
    const rift_err err = check_err();
    rift_report_err(NULL, "a", &err);
    CHECK(true);
}

static void drops_examples_when_memory_ends(void)
{
    start();
    rift_report_add(&report, "a", "one");
    arena.limit = arena.used;
    rift_report_add(&report, "a", "two");
    CHECK_U64(rift_report_count(&report, "a"), 2);
    CHECK_U64(report.entries[0]->example_count, 1);
    rift_err err = check_err();
    CHECK(!rift_arena_ok(&arena, "report", &err));
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(counts_in_order_of_first_sight);
    RUN(names_the_context);
    RUN(keeps_twenty_examples);
    RUN(takes_errors);
    RUN(counts_variants_that_are_not_read);
    RUN(may_be_absent);
    RUN(drops_examples_when_memory_ends);
    rift_arena_release(&arena);
    return check_finish();
}
