#include "base/err.h"

#include "support/check.h"

static void keeps_the_first_error(void)
{
    rift_err err;
    rift_err_in(&err, RIFT_STR("base.skn"));
    CHECK_CODE(&err, RIFT_OK);
    CHECK(!rift_fail(&err, RIFT_ERR_LIMIT, "submesh[3]", 40, "count %d is over %d", 90000, 65536));
    CHECK(!rift_fail(&err, RIFT_ERR_FORMAT, "other", 50, "later"));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    CHECK_U64(err.offset, 40);
    CHECK(strcmp(err.where, "submesh[3]") == 0);
    CHECK(strcmp(err.text, "count 90000 is over 65536") == 0);
    rift_err_in(&err, RIFT_STR("next.skl"));
    CHECK_CODE(&err, RIFT_OK);
    CHECK_U64(err.offset, RIFT_NO_OFFSET);
    CHECK(err.where[0] == '\0' && err.text[0] == '\0');
}

static void prints_what_is_known(void)
{
    static const struct {
        const char *file, *where;
        uint64_t offset;
        const char *want;
    } rows[] = {
        {"base.skn", "name", 7, "base.skn: name: bad (offset 7)"},
        {"", "name", 0, "name: bad (offset 0)"},
        {"base.skn", "", RIFT_NO_OFFSET, "base.skn: bad"},
        {"", NULL, RIFT_NO_OFFSET, "bad"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_err err;
        rift_err_in(&err, (rift_str){rows[i].file, strlen(rows[i].file)});
        (void)rift_fail(&err, RIFT_ERR_FORMAT, rows[i].where, rows[i].offset, "bad");
        char text[200];
        check_row("%zu", i);
        CHECK(strcmp(rift_err_print(&err, text, sizeof text), rows[i].want) == 0);
        char small[6];
        CHECK_U64(strlen(rift_err_print(&err, small, sizeof small)), strlen(rows[i].want) < 5 ? 3 : 5);
    }
}

static void cuts_long_names_from_the_left(void)
{
    char path[300];
    memset(path, 'a', sizeof path);
    memcpy(path + sizeof path - 8, "/end.skn", 8);
    rift_err err;
    rift_err_in(&err, (rift_str){path, sizeof path});
    CHECK_U64(strlen(err.file), sizeof err.file - 1);
    CHECK(strcmp(err.file + sizeof err.file - 9, "/end.skn") == 0);
    rift_err_in(&err, (rift_str){NULL, 0});
    CHECK_U64(strlen(err.file), 0);
}

static void cuts_long_texts(void)
{
    rift_err err = check_err();
    (void)rift_fail(&err, RIFT_ERR_FORMAT, "x", 0, "%500d", 1);
    CHECK_U64(strlen(err.text), sizeof err.text - 1);
}

static void names_every_code(void)
{
    static const char *const want[] = {"OK",        "TRUNCATED", "FORMAT",    "UNSUPPORTED",
                                       "LIMIT",     "NOMEM",     "NOT_FOUND", "IO",
                                       "CANCELLED", "ARGUMENT",  "INTERNAL"};
    CHECK_U64(RIFT_COUNT(want), RIFT_STATUS_COUNT);
    for (unsigned i = 0; i < RIFT_COUNT(want); i++)
        CHECK(strcmp(rift_status_name((rift_status)i), want[i]) == 0);
    CHECK(strcmp(rift_status_name((rift_status)99), "UNKNOWN") == 0);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(keeps_the_first_error);
    RUN(prints_what_is_known);
    RUN(cuts_long_names_from_the_left);
    RUN(cuts_long_texts);
    RUN(names_every_code);
    return check_finish();
}
