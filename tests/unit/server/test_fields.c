#include "base/str.h"
#include "http/fields.h"
#include "http/guard.h"
#include "support/check.h"

static void refuses_smuggling(void)
{
    static const struct {
        const char *name;
        const char *headers; /* name \n value \n …, or NULL */
        bool http11;
        bool refused;
    } rows[] = {
        {"plain", "Host\nx\n", true, false},
        {"HTTP/1.0 without Host", "", false, false},
        {"length", "Host\nx\nContent-Length\n5\n", true, false},
        {"chunked", "Host\nx\nTransfer-Encoding\nchunked\n", true, false},
        {"chunked in capitals", "Host\nx\ntransfer-encoding\nCHUNKED\n", true, false},
        {"length and coding", "Host\nx\nContent-Length\n5\nTransfer-Encoding\nchunked\n", true, true},
        {"two lengths", "Host\nx\nContent-Length\n5\nContent-Length\n6\n", true, true},
        {"two equal lengths", "Host\nx\nContent-Length\n5\nContent-Length\n5\n", true, true},
        {"list of lengths", "Host\nx\nContent-Length\n5, 5\n", true, true},
        {"signed length", "Host\nx\nContent-Length\n+5\n", true, true},
        {"negative length", "Host\nx\nContent-Length\n-5\n", true, true},
        {"hex length", "Host\nx\nContent-Length\n0x5\n", true, true},
        {"empty length", "Host\nx\nContent-Length\n\n", true, true},
        {"huge length", "Host\nx\nContent-Length\n99999999999999999999\n", true, true},
        {"unknown coding", "Host\nx\nTransfer-Encoding\nxchunked\n", true, true},
        {"coding list", "Host\nx\nTransfer-Encoding\ngzip, chunked\n", true, true},
        {"identity", "Host\nx\nTransfer-Encoding\nidentity\n", true, true},
        {"two codings", "Host\nx\nTransfer-Encoding\nchunked\nTransfer-Encoding\nchunked\n", true, true},
        {"coding in HTTP/1.0", "Host\nx\nTransfer-Encoding\nchunked\n", false, true},
        {"two hosts", "Host\nx\nHost\ny\n", true, true},
        {"no host", "Accept\n*/*\n", true, true},
        {"blank before the colon", "Host \nx\n", true, true},
        {"empty name", "\nx\n", true, true},
        {"control byte in a value", "Host\nx\nX-A\na\001b\n", true, true},
        {"tab in a value", "Host\nx\nX-A\na\tb\n", true, false},
        {"delete in a value", "Host\nx\nX-A\na\177b\n", true, true},
        {"slash in a name", "Host\nx\nX/A\nb\n", true, true},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_guard guard = {0};
        const char *at = rows[i].headers;
        while (*at != '\0') {
            const char *colon = strchr(at, '\n');
            const char *end = strchr(colon + 1, '\n');
            rift_guard_header(&guard, (rift_str){at, (size_t)(colon - at)},
                              (rift_str){colon + 1, (size_t)(end - colon - 1)});
            at = end + 1;
        }
        CHECK_U64(rift_guard_finish(&guard, rows[i].http11) != NULL, rows[i].refused);
    }
}

static void guards_targets(void)
{
    static const struct {
        const char *target;
        const char *path; /* NULL: refused */
    } rows[] = {
        {"/", "/"},
        {"/v1/skins/157036.glb", "/v1/skins/157036.glb"},
        {"/v1/skins/yasuo/36?profile=full", "/v1/skins/yasuo/36"},
        {"/a%20b", "/a b"},
        {"/%76%31", "/v1"},
        {"/...", "/..."},
        {"/a..b/.c", "/a..b/.c"},
        {"/x?q=..%2f&y=../..", "/x"},
        {"*", "*"},
        {"", NULL},
        {"v1/skins", NULL},
        {"http://evil.example/v1/skins", NULL},
        {"//evil.example/x", "//evil.example/x"},
        {"/v1/%00", NULL},
        {"/v1/a%2fb", NULL},
        {"/v1/a%2Fb", NULL},
        {"/v1/a%5cb", NULL},
        {"/v1/a\\b", NULL},
        {"/v1/../etc", NULL},
        {"/..", NULL},
        {"/.", NULL},
        {"/./x", NULL},
        {"/v1/%2e%2E/etc", NULL},
        {"/v1/.%2e", NULL},
        {"/v1/%", NULL},
        {"/v1/%4", NULL},
        {"/v1/%zz", NULL},
        {"/v1/%0a", NULL},
        {"/v1/%7f", NULL},
        {"/v1#x", NULL},
        {"/v1?a=%", NULL},
        {"/v1?a=%00", NULL},
        {"/v1 x", NULL},
        {"/v1\x80", NULL},
        {"/v1\x7f", NULL},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].target);
        const rift_str target = rift_str_c(rows[i].target);
        char path[64];
        if (rows[i].path == NULL) {
            CHECK(rift_guard_target(target) != NULL);
            continue;
        }
        CHECK(rift_guard_target(target) == NULL);
        CHECK(rift_target_path(target, path, sizeof path));
        CHECK_STR(rift_str_c(path), rift_str_c(rows[i].path));
    }
    char small[4];
    CHECK(!rift_target_path(RIFT_STR("/abc"), small, sizeof small));
}

static void reads_queries(void)
{
    rift_str rest = rift_target_query(RIFT_STR("/x?clips=idle%2A%2Crun+1&&empty=&flag&a=b=c&caf%C3%A9=1"));
    static const struct {
        const char *name, *value;
    } want[] = {{"clips", "idle*,run 1"}, {"empty", ""}, {"flag", ""}, {"a", "b=c"}, {"caf\xc3\xa9", "1"}};
    char name[32], value[32];
    rift_str got;
    bool bad = false;
    for (size_t i = 0; i < RIFT_COUNT(want); i++) {
        check_row("pair %zu", i);
        CHECK_FATAL(rift_query_next(&rest, name, sizeof name, value, sizeof value, &got, &bad));
        CHECK_STR(rift_str_c(name), rift_str_c(want[i].name));
        CHECK_STR(got, rift_str_c(want[i].value));
    }
    CHECK(!rift_query_next(&rest, name, sizeof name, value, sizeof value, &got, &bad));
    CHECK(!bad);
    rest = rift_str_c("a=0123456789012345678901234567890123456789");
    CHECK(!rift_query_next(&rest, name, sizeof name, value, sizeof value, &got, &bad));
    CHECK(bad);
    CHECK_U64(rift_target_query(RIFT_STR("/x")).size, 0);
}

static void matches_entity_tags(void)
{
    static const struct {
        const char *list;
        bool match;
    } rows[] = {
        {"\"abc\"", true},
        {"W/\"abc\"", true},
        {"*", true},
        {" * ", true},
        {"\"x\", \"abc\"", true},
        {"\"x\",\"abc\"", true},
        {",, \"abc\"", true},
        {"\"a,b\", \"abc\"", true},
        {"\"abc\", \"x\"", true},
        {"\"ab\"", false},
        {"\"abcd\"", false},
        {"\"ABC\"", false},
        {"abc", false},
        {"\"abc", false},
        {"w/\"abc\"", false},
        {"\"x\" \"abc\"", false},
        {"\"*\"", false},
        {"", false},
        {"\"", false},
        {"W/", false},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].list);
        CHECK_U64(rift_etag_in_list(rift_str_c(rows[i].list), RIFT_STR("\"abc\"")), rows[i].match);
    }
}

static void reads_ranges(void)
{
    static const struct {
        const char *range;
        uint64_t size;
        rift_range_kind kind;
        uint64_t first, last;
    } rows[] = {
        {"", 100, RIFT_RANGE_WHOLE, 0, 0},
        {"bytes=0-0", 100, RIFT_RANGE_PART, 0, 0},
        {"bytes=0-", 100, RIFT_RANGE_PART, 0, 99},
        {"bytes=10-19", 100, RIFT_RANGE_PART, 10, 19},
        {"Bytes=10-19", 100, RIFT_RANGE_PART, 10, 19},
        {"bytes=90-1000", 100, RIFT_RANGE_PART, 90, 99},
        {"bytes=99-99", 100, RIFT_RANGE_PART, 99, 99},
        {"bytes=-1", 100, RIFT_RANGE_PART, 99, 99},
        {"bytes=-100", 100, RIFT_RANGE_PART, 0, 99},
        {"bytes=-1000", 100, RIFT_RANGE_PART, 0, 99},
        {"bytes=5-99999999999999999999999", 100, RIFT_RANGE_PART, 5, 99},
        {"bytes=100-", 100, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=100-200", 100, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=99999999999999999999999-", 100, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=-0", 100, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=20-10", 100, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=", 100, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=-", 100, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=a-b", 100, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=1", 100, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=1-2x", 100, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=0-0", 0, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=-1", 0, RIFT_RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=0-1,5-6", 100, RIFT_RANGE_WHOLE, 0, 0},
        {"items=0-1", 100, RIFT_RANGE_WHOLE, 0, 0},
        {"0-1", 100, RIFT_RANGE_WHOLE, 0, 0},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s of %u", rows[i].range, (unsigned)rows[i].size);
        uint64_t first = 0, last = 0;
        CHECK_I64(rift_range_parse(rift_str_c(rows[i].range), rows[i].size, &first, &last), rows[i].kind);
        if (rows[i].kind == RIFT_RANGE_PART) {
            CHECK_U64(first, rows[i].first);
            CHECK_U64(last, rows[i].last);
        }
    }
}

static void judges_if_range(void)
{
    static const rift_str etag = {"\"abc\"", 5}, date = {"Sun, 06 Nov 1994 08:49:37 GMT", 29};
    CHECK(rift_if_range((rift_str){0}, etag, date));
    CHECK(rift_if_range(etag, etag, date));
    CHECK(rift_if_range(date, etag, date));
    CHECK(!rift_if_range(RIFT_STR("W/\"abc\""), etag, date));
    CHECK(!rift_if_range(RIFT_STR("\"abcd\""), etag, date));
    CHECK(!rift_if_range(RIFT_STR("Sun, 06 Nov 1994 08:49:38 GMT"), etag, date));
}

static void reads_preferences(void)
{
    static const struct {
        const char *text;
        bool async, has_wait;
        unsigned wait;
    } rows[] = {
        {"", false, false, 0},
        {"respond-async", true, false, 0},
        {"Respond-Async", true, false, 0},
        {"wait=10", false, true, 10},
        {"respond-async, wait=10", true, true, 10},
        {"wait=10;foo=bar, respond-async", true, true, 10},
        {"wait = \"7\"", false, true, 7},
        {"wait=10, wait=20", false, true, 10},
        {"wait=999999999999999999999", false, true, 86400},
        {"wait", false, false, 0},
        {"wait=", false, false, 0},
        {"wait=-1", false, false, 0},
        {"wait=1x", false, false, 0},
        {"waiting=5", false, false, 0},
        {"return=minimal", false, false, 0},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].text);
        const rift_prefer got = rift_prefer_parse(rift_str_c(rows[i].text));
        CHECK_U64(got.respond_async, rows[i].async);
        CHECK_U64(got.has_wait, rows[i].has_wait);
        CHECK_U64(got.wait_s, rows[i].wait);
    }
}

static void writes_and_reads_dates(void)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } rows[] = {
        {784111777, "Sun, 06 Nov 1994 08:49:37 GMT"}, /* RFC 9110, 5.6.7 */
        {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {1709164800, "Thu, 29 Feb 2024 00:00:00 GMT"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].text);
        char text[RIFT_HTTP_DATE_SIZE];
        rift_http_date(rows[i].seconds, text);
        CHECK_STR(rift_str_c(text), rift_str_c(rows[i].text));
        int64_t seconds = -1;
        CHECK(rift_http_date_parse(rift_str_c(rows[i].text), &seconds));
        CHECK_I64(seconds, rows[i].seconds);
    }
    static const char *const bad[] = {"",
                                      "now",
                                      "Mon, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:61 GMT",
                                      "Sun, 31 Feb 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:37 UTC",
                                      "Sunday, 06-Nov-94 08:49:37 GMT",
                                      "Sun, 06 Xxx 1994 08:49:37 GMT"};
    for (size_t i = 0; i < RIFT_COUNT(bad); i++) {
        check_row("%s", bad[i]);
        int64_t seconds;
        CHECK(!rift_http_date_parse(rift_str_c(bad[i]), &seconds));
    }
}

static void negotiates_types(void)
{
    static const struct {
        const char *accept;
        bool ok;
    } rows[] = {
        {"", true},
        {"*/*", true},
        {"model/gltf-binary", true},
        {"model/*", true},
        {"Model/GLTF-Binary", true},
        {"text/html, */*;q=0.1", true},
        {"text/html", false},
        {"application/json, text/plain", false},
        {"*/*;q=0", false},
        {"model/gltf-binary;q=0, */*", false},
        {"*/*;q=0, model/gltf-binary", true},
        {"model/gltf-binary;q=0.001", true},
        {"model/gltf-binary2", false},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].accept);
        CHECK_U64(rift_accepts(rift_str_c(rows[i].accept), RIFT_STR("model/gltf-binary")), rows[i].ok);
    }
    CHECK(rift_is_type(RIFT_STR("application/json; charset=utf-8"), RIFT_STR("application/json")));
    CHECK(rift_is_type(RIFT_STR("Application/JSON"), RIFT_STR("application/json")));
    CHECK(!rift_is_type(RIFT_STR("application/jsonp"), RIFT_STR("application/json")));
    CHECK(!rift_is_type((rift_str){0}, RIFT_STR("application/json")));
}

/* RFC 9110, 12.5.3: weights have three digits at most; what is not mentioned is what '*' says, else not taken. */
static void weighs_encodings(void)
{
    static const struct {
        const char *header;
        unsigned gzip, zstd, identity;
    } rows[] = {
        {"", 0, 0, 1},
        {"gzip", 1000, 0, 1},
        {"gzip, zstd", 1000, 1000, 1},
        {"gzip;q=0.5, zstd;q=1.0", 500, 1000, 1},
        {"GZip;Q=0.25", 250, 0, 1},
        {" gzip ; q=0.125 , zstd;q=0", 125, 0, 1},
        {"*", 1000, 1000, 1000},
        {"*;q=0", 0, 0, 0},
        {"*;q=0.1, gzip;q=0", 0, 100, 100},
        {"identity;q=0, gzip", 1000, 0, 0},
        {"gzip;q=1.000", 1000, 0, 1},
        {"gzip;q=0.001", 1, 0, 1},
        {"gzip;q=0.0001", 0, 0, 1},
        {"gzip;q=1.001", 0, 0, 1},
        {"gzip;q=2", 0, 0, 1},
        {"gzip;q=", 0, 0, 1},
        {"gzip;q=x", 0, 0, 1},
        {"gzip;q=0,5", 0, 0, 1},
        {"gzip;level=9", 1000, 0, 1},
        {",;,gzip,", 1000, 0, 1},
        {"x-gzip, gzipx", 0, 0, 1},
        {"gzip;q=0, gzip", 0, 0, 1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].header);
        const rift_str header = rift_str_c(rows[i].header);
        CHECK_U64(rift_accept_encoding(header, RIFT_STR("gzip")), rows[i].gzip);
        CHECK_U64(rift_accept_encoding(header, RIFT_STR("zstd")), rows[i].zstd);
        CHECK_U64(rift_accept_encoding(header, RIFT_STR("identity")), rows[i].identity);
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(refuses_smuggling);
    RUN(guards_targets);
    RUN(reads_queries);
    RUN(matches_entity_tags);
    RUN(reads_ranges);
    RUN(judges_if_range);
    RUN(reads_preferences);
    RUN(writes_and_reads_dates);
    RUN(negotiates_types);
    RUN(weighs_encodings);
    return check_finish();
}
