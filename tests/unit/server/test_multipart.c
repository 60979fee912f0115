#include "base/str.h"
#include "body/multipart.h"
#include "support/check.h"

static rift_arena arena;
static rift_multipart out;
static rift_err err;

#define TYPE "multipart/form-data; boundary=xyz"

static bool parse(const char *type, const char *body, size_t size)
{
    /* Its own allocation, so that a sanitizer sees a step too far. */
    uint8_t *copy = RIFT_NEW(&arena, uint8_t, size);
    memcpy(copy, body, size);
    out = (rift_multipart){0};
    err = check_err();
    return rift_multipart_parse(&out, rift_str_c(type), (rift_bytes){copy, size}, 3, &arena, &err);
}

#define PARSE(body) parse(TYPE, body, sizeof(body) - 1)
#define PART(name, data) "--xyz\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" data "\r\n"

static rift_str text(size_t i)
{
    return (rift_str){(const char *)out.parts[i].data.data, out.parts[i].data.size};
}

static void cuts_parts(void)
{
    CHECK_OK(
        PARSE("preamble\r\n--xyz\r\nContent-Type: application/octet-stream\r\n"
              "Content-Disposition: form-data; name=\"skn\"; filename=\"C:\\mods\\a b.skn\"\r\n\r\n"
              "a\0b\r\n--xy\r\n--\r\n--xyz\r\n"
              "content-disposition:form-data;filename=x/y.anm;name=anm\r\n\r\n\r\n"
              "--xyz\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{}\r\n--xyz--\r\nepilogue"),
        &err);
    CHECK_U64(out.count, 3);
    CHECK_STR(out.parts[0].name, RIFT_STR("skn"));
    CHECK_STR(out.parts[0].file, RIFT_STR("a b.skn"));
    CHECK_STR(text(0), RIFT_STR("a\0b\r\n--xy\r\n--"));
    CHECK_STR(out.parts[1].name, RIFT_STR("anm"));
    CHECK_STR(out.parts[1].file, RIFT_STR("y.anm"));
    CHECK_STR(text(1), RIFT_STR(""));
    CHECK_STR(out.parts[2].name, RIFT_STR("options"));
    CHECK_STR(out.parts[2].file, RIFT_STR(""));
    CHECK_STR(text(2), RIFT_STR("{}"));
    CHECK_OK(PARSE("--xyz--"), &err);
    CHECK_U64(out.count, 0);
    /* A part without even the line end of its own. */
    CHECK_OK(PARSE("--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\n--xyz--"), &err);
    CHECK_STR(text(0), RIFT_STR(""));
    static const char spaced[] = "--x y\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--x y--";
    CHECK_OK(parse("Multipart/Form-Data; charset=\"a;b\"; Boundary=\"x y\"", spaced, sizeof spaced - 1),
             &err);
    CHECK_STR(text(0), RIFT_STR("1"));
}

static void refuses(void)
{
    static const struct {
        const char *what, *type, *body;
        rift_status code;
    } rows[] = {
        {"no boundary", "multipart/form-data", "--xyz--", RIFT_ERR_ARGUMENT},
        {"an empty boundary", "multipart/form-data; boundary=", "----", RIFT_ERR_ARGUMENT},
        {"an open quote", "multipart/form-data; boundary=\"xyz", "--xyz--", RIFT_ERR_ARGUMENT},
        {"a long boundary",
         "multipart/form-data; "
         "boundary=01234567890123456789012345678901234567890123456789012345678901234567890",
         "", RIFT_ERR_ARGUMENT},
        {"another type", "multipart/mixed; boundary=xyz", "--xyz--", RIFT_ERR_ARGUMENT},
        {"an empty body", TYPE, "", RIFT_ERR_ARGUMENT},
        {"another boundary", TYPE, "--abc--", RIFT_ERR_ARGUMENT},
        {"no end", TYPE, "--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\n1", RIFT_ERR_ARGUMENT},
        {"no end of headers", TYPE, "--xyz\r\nContent-Disposition: form-data; name=a\r\n", RIFT_ERR_ARGUMENT},
        {"no line end behind a boundary", TYPE, "--xyzContent", RIFT_ERR_ARGUMENT},
        {"one dash", TYPE, "--xyz-", RIFT_ERR_ARGUMENT},
        {"no name", TYPE, "--xyz\r\nContent-Disposition: form-data\r\n\r\n1\r\n--xyz--", RIFT_ERR_ARGUMENT},
        {"an empty name", TYPE, PART("", "1") "--xyz--", RIFT_ERR_ARGUMENT},
        {"an open name", TYPE, "--xyz\r\nContent-Disposition: form-data; name=\"a\r\n\r\n1\r\n--xyz--",
         RIFT_ERR_ARGUMENT},
        {"no disposition", TYPE, "--xyz\r\nX: y\r\n\r\n1\r\n--xyz--", RIFT_ERR_ARGUMENT},
        {"two dispositions", TYPE,
         "--xyz\r\nContent-Disposition: form-data; name=a\r\nContent-Disposition: form-data; "
         "name=b\r\n\r\n1\r\n--xyz--",
         RIFT_ERR_ARGUMENT},
        {"an attachment", TYPE, "--xyz\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n--xyz--",
         RIFT_ERR_ARGUMENT},
        {"a control byte", TYPE, "--xyz\r\nContent-Disposition: form-data; name=\"a\tb\"\r\n\r\n1\r\n--xyz--",
         RIFT_ERR_ARGUMENT},
        {"too many", TYPE, PART("a", "1") PART("a", "2") PART("a", "3") PART("a", "4") "--xyz--",
         RIFT_ERR_LIMIT},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].what);
        CHECK(!parse(rows[i].type, rows[i].body, strlen(rows[i].body)));
        CHECK_CODE(&err, rows[i].code);
    }
    char long_name[600];
    (void)snprintf(long_name, sizeof long_name,
                   "--xyz\r\nContent-Disposition: form-data; name=a; filename=%0256d\r\n\r\n1\r\n--xyz--", 0);
    CHECK(!parse(TYPE, long_name, strlen(long_name)));
    static char headers[5000];
    (void)snprintf(headers, sizeof headers,
                   "--xyz\r\nX: %04096d\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--xyz--", 0);
    CHECK(!parse(TYPE, headers, strlen(headers)));
}

static bool parse_whole(rift_bytes in, rift_arena *a, rift_err *e)
{
    rift_multipart parts;
    return rift_multipart_parse(&parts, RIFT_STR(TYPE), in, 3, a, e);
}

static void survives_damage(void)
{
    static const char body[] = PART("a", "1") PART("b", "\r\n--xy\r\n") "--xyz--";
    const rift_bytes whole = {(const uint8_t *)body, sizeof body - 1};
    check_prefixes(parse_whole, whole, 0, RIFT_ERR_ARGUMENT);
    check_every_byte(parse_whole, whole);
    check_allocations(parse_whole, whole);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    rift_arena_init(&arena, 1 << 20);
    RUN(cuts_parts);
    RUN(refuses);
    RUN(survives_damage);
    rift_arena_release(&arena);
    return check_finish();
}
