/* What a client can write: the first byte chooses the function, the rest is its text. Properties that must hold are asserted. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "body/body.h"
#include "http/fields.h"
#include "http/guard.h"

static void require(bool ok)
{
    if (!ok)
        abort();
}

/* A target that passed decodes, without NUL, control bytes or a dot segment, into a path that starts with '/'. */
static void fuzz_target(rift_str text)
{
    char path[512], name[64], value[256];
    if (rift_guard_target(text) != NULL)
        return;
    if (!rift_target_path(text, path, sizeof path))
        return;
    require(path[0] == '/' || strcmp(path, "*") == 0);
    require(strstr(path, "/../") == NULL && strstr(path, "/./") == NULL);
    for (const char *c = path; *c != '\0'; c++)
        require((unsigned char)*c >= 0x20 && *c != 0x7f && *c != '\\');
    rift_str rest = rift_target_query(text), got;
    bool bad = false;
    while (rift_query_next(&rest, name, sizeof name, value, sizeof value, &got, &bad))
        require(strlen(name) < sizeof name && got.size == strlen(value));
}

/* Lines "name: value". */
static void fuzz_headers(rift_str text)
{
    rift_guard guard = {0};
    rift_str line;
    while (rift_str_next(&text, "\n", &line)) {
        const char *colon = memchr(line.data, ':', line.size);
        const size_t at = colon != NULL ? (size_t)(colon - line.data) : line.size;
        rift_guard_header(&guard, (rift_str){line.data, at},
                          colon != NULL ? (rift_str){colon + 1, line.size - at - 1} : (rift_str){0});
    }
    if (rift_guard_finish(&guard, true) != NULL)
        return;
    require(guard.hosts == 1 && guard.lengths <= 1 && guard.codings <= 1);
    require(guard.lengths == 0 || guard.codings == 0);
}

static void fuzz_fields(rift_str text)
{
    uint64_t first = 0, last = 0;
    int64_t seconds = 0;
    if (rift_range_parse(text, 1000, &first, &last) == RIFT_RANGE_PART)
        require(first <= last && last < 1000);
    (void)rift_etag_in_list(text, RIFT_STR("\"abc\""));
    (void)rift_if_range(text, RIFT_STR("\"abc\""), RIFT_STR("Sun, 06 Nov 1994 08:49:37 GMT"));
    const rift_prefer prefer = rift_prefer_parse(text);
    require(prefer.wait_s <= 86400);
    require(rift_accept_encoding(text, RIFT_STR("zstd")) <= 1000);
    require(rift_accept_encoding(text, RIFT_STR("identity")) <= 1000);
    (void)rift_accepts(text, RIFT_STR("model/gltf-binary"));
    (void)rift_is_type(text, RIFT_STR("application/json"));
    if (rift_http_date_parse(text, &seconds)) {
        char again[RIFT_HTTP_DATE_SIZE];
        rift_http_date(seconds, again);
        require(rift_str_contains_nocase(text, rift_str_c(again)));
    }
}

/* Options that were taken have a canonical text that gives the same options again. */
static void check_options(const rift_options *options, rift_arena *arena)
{
    rift_err err;
    rift_options again;
    rift_err_in(&err, (rift_str){0});
    const rift_str text = rift_options_text(options, arena);
    if (arena->failed != RIFT_OK)
        return;
    require(rift_options_parse(&again, text, arena, &err));
    require(rift_str_eq(text, rift_options_text(&again, arena)));
}

static bool
take(rift_options *out, rift_bytes bytes, bool is_body, rift_str defaults, rift_arena *arena, rift_err *err)
{
    rift_job_body body;
    rift_err_in(err, (rift_str){0});
    if (!is_body)
        return rift_query_options(out, (rift_str){(const char *)bytes.data, bytes.size}, defaults, arena,
                                  err);
    if (!rift_job_body_parse(&body, bytes, defaults, arena, err))
        return false;
    *out = body.options;
    return true;
}

/* What is taken does not depend on the defaults, and options that differ from them do not either. */
static void check_defaults(rift_bytes bytes, bool is_body, bool ok, const rift_options *without)
{
    static const rift_str defaults = {"texture=webp&units=league&keys=cubic", 36};
    rift_arena arena;
    rift_err err;
    rift_options with;
    rift_arena_init(&arena, 16 * 1024 * 1024);
    const bool also = take(&with, bytes, is_body, defaults, &arena, &err);
    require(also == ok || arena.failed != RIFT_OK);
    if (also && ok) {
        require(with.given == without->given && with.content == without->content);
        require(without->texture == RIFT_TEXTURE_PNG || with.texture == without->texture);
        require(without->keys == RIFT_KEYS_OPTION_ADAPTIVE || with.keys == without->keys);
        check_options(&with, &arena);
    }
    rift_arena_release(&arena);
}

static void fuzz_request(rift_bytes bytes, bool is_body)
{
    rift_arena arena;
    rift_err err;
    rift_options options;
    rift_arena_init(&arena, 16 * 1024 * 1024);
    const bool ok = take(&options, bytes, is_body, (rift_str){0}, &arena, &err);
    require(ok == (err.code == RIFT_OK) && err.code != RIFT_ERR_INTERNAL);
    if (ok)
        check_options(&options, &arena);
    if (arena.failed == RIFT_OK)
        check_defaults(bytes, is_body, ok, &options);
    rift_arena_release(&arena);
}

/* A batch that was taken asks for something, in one way. */
static void fuzz_batch(rift_bytes bytes)
{
    rift_arena arena;
    rift_err err;
    rift_batch_body body;
    rift_arena_init(&arena, 16 * 1024 * 1024);
    rift_err_in(&err, (rift_str){0});
    const bool ok = rift_batch_body_parse(&body, bytes, (rift_str){0}, &arena, &err);
    require(ok == (err.code == RIFT_OK) && err.code != RIFT_ERR_INTERNAL);
    if (ok) {
        require((body.skin_count > 0) + body.all + (body.champion.size > 0) == 1);
        check_options(&body.options, &arena);
    }
    rift_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 64 * 1024)
        return 0;
    const rift_str text = {(const char *)data + 1, size - 1};
    switch (data[0]) {
    case 't':
        fuzz_target(text);
        break;
    case 'h':
        fuzz_headers(text);
        break;
    case 'f':
        fuzz_fields(text);
        break;
    case 'q':
        fuzz_request((rift_bytes){data + 1, size - 1}, false);
        break;
    case 'b':
        fuzz_request((rift_bytes){data + 1, size - 1}, true);
        break;
    case 'l':
        fuzz_batch((rift_bytes){data + 1, size - 1});
        break;
    default:
        break;
    }
    return 0;
}
