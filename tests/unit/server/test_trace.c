#include "base/str.h"
#include "http/trace.h"
#include "support/check.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define GOOD "00-" TRACE "-00f067aa0ba902b7-01" /* the example of the standard */

static rift_ids ids = {.seed = 7};

static rift_trace begin(const char *request, const char *parent)
{
    rift_trace t;
    rift_trace_begin(&t, &ids, rift_str_c(request), rift_str_c(parent));
    CHECK_U64(strlen(t.parent), 55);
    return t;
}

static void follows_a_trace(void)
{
    static const struct {
        const char *parent;
        bool taken;
    } rows[] = {
        {GOOD, true},
        {"01-" TRACE "-00f067aa0ba902b7-00", true},
        {"01-" TRACE "-00f067aa0ba902b7-00-more", true},
        {GOOD "-more", false},
        {GOOD "x", false},
        {"ff-" TRACE "-00f067aa0ba902b7-01", false},
        {"00-00000000000000000000000000000000-00f067aa0ba902b7-01", false},
        {"00-" TRACE "-0000000000000000-01", false},
        {"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false},
        {"00_" TRACE "-00f067aa0ba902b7-01", false},
        {"00-" TRACE "-00f067aa0ba902b7-0", false},
        {"00-" TRACE, false},
        {"", false},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].parent);
        const rift_trace t = begin("", rows[i].parent);
        CHECK_U64(rift_str_eq(rift_trace_id(&t), RIFT_STR(TRACE)), rows[i].taken);
        CHECK(memcmp(t.parent, "00-", 3) == 0 && t.parent[35] == '-' && t.parent[52] == '-');
        CHECK(memcmp(t.parent + 36, "00f067aa0ba902b7", 16) != 0); /* the span is ours */
    }
    const rift_trace sampled = begin("", GOOD);
    CHECK(strcmp(sampled.parent + 53, "01") == 0);
}

static void keeps_sound_request_ids(void)
{
    static const struct {
        const char *id;
        bool kept;
    } rows[] = {
        {"a", true},
        {"Build-7_x.9", true},
        {"0123456789012345678901234567890123456789012345678901234567890123", true},
        {"01234567890123456789012345678901234567890123456789012345678901234", false},
        {"", false},
        {"a b", false},
        {"a\"b", false},
        {"a\nb", false},
        {"\xc3\xa4", false},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].id);
        const rift_trace t = begin(rows[i].id, "");
        CHECK_U64(strcmp(t.request, rows[i].id) == 0, rows[i].kept);
        CHECK(t.request[0] != '\0');
    }
}

static void makes_ids_that_differ(void)
{
    const rift_trace a = begin("", "");
    const rift_trace b = begin("", "");
    CHECK(strcmp(a.request, b.request) != 0);
    CHECK(!rift_str_eq(rift_trace_id(&a), rift_trace_id(&b)));
    rift_ids other = {.seed = 8};
    rift_trace c, d;
    ids = (rift_ids){.seed = 7};
    rift_trace_begin(&c, &ids, (rift_str){0}, (rift_str){0});
    rift_trace_begin(&d, &other, (rift_str){0}, (rift_str){0});
    CHECK(!rift_str_eq(rift_trace_id(&c), rift_trace_id(&d)));
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(follows_a_trace);
    RUN(keeps_sound_request_ids);
    RUN(makes_ids_that_differ);
    return check_finish();
}
