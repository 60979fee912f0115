#include "base/report.h"

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
    RUN(may_be_absent);
    RUN(drops_examples_when_memory_ends);
    rift_arena_release(&arena);
    return check_finish();
}
