#include "refresh/refresh_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "files/files.h"
#include "files/lists.h"
#include "hash/hash.h"
#include "refresh/fetch.h"
#include "store/hashes.h"

enum { MAX_PIECES = 100, STATE_MAX = 1024 * 1024 };

static const char first_line[] = "riftbake lists 1";
static const char nothing[] = "-";

/* One list, as it was noted or as it is. */
typedef struct seen {
    rift_name_table table;
    rift_str name; /* hashes.game.txt.0 */
    rift_fetch_tags tags;
    uint64_t digest; /* of its bytes */
} seen;

typedef struct seen_list {
    seen *items; /* RIFT_LISTS_MAX */
    size_t count;
} seen_list;

typedef struct run {
    rift_refresh_run *out;
    rift_arena arena;
    seen_list before, now;
    rift_hash_list *lists; /* what changed, as `now` at most */
} run;

bool rift_refresh_is_url(const char *source)
{
    return strstr(source, "://") != NULL;
}

bool rift_refresh_check(const char *source, rift_err *err)
{
    const rift_str text = rift_str_c(source);
    rift_err_in(err, (rift_str){0});
    if (text.size == 0)
        return rift_fail(err, RIFT_ERR_ARGUMENT, "names-source", RIFT_NO_OFFSET, "is empty");
    if (!rift_refresh_is_url(source))
        return true;
    if (!rift_str_starts_nocase(text, RIFT_STR("https://")) &&
        !rift_str_starts_nocase(text, RIFT_STR("http://"))) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "names-source", RIFT_NO_OFFSET,
                         "neither https:// nor http://");
    }
    return strpbrk(source, "@?# \t\r\n") == NULL ||
           rift_fail(err, RIFT_ERR_ARGUMENT, "names-source", RIFT_NO_OFFSET,
                     "the URL of a folder has no user, query, fragment or blank");
}

/* ---- what was seen the last time ---- */

static void read_tag(char out[RIFT_FETCH_TAG_BYTES], rift_str text)
{
    if (text.size < RIFT_FETCH_TAG_BYTES && !rift_str_eq(text, rift_str_c(nothing)))
        memcpy(out, text.data, text.size);
}

static void read_line(run *r, rift_str line)
{
    seen s = {0};
    int piece;
    rift_str digest, etag, modified;
    if (!rift_str_next(&line, "\t", &s.name) || !rift_str_next(&line, "\t", &digest) ||
        !rift_str_next(&line, "\t", &etag) || !rift_str_next(&line, "\t", &modified) ||
        !rift_list_name_parse(s.name, &s.table, &piece) || !rift_str_hex(digest, &s.digest) ||
        r->before.count == RIFT_LISTS_MAX)
        return;
    read_tag(s.tags.etag, etag);
    read_tag(s.tags.modified, modified);
    r->before.items[r->before.count++] = s;
}

/* Whatever is wrong with it: everything is read again. */
static void read_state(run *r)
{
    rift_err err;
    rift_bytes bytes;
    rift_str line;
    rift_err_in(&err, (rift_str){0});
    if (access(r->out->hashes_path, F_OK) != 0 ||
        !rift_file_read(r->out->state_path, STATE_MAX, &r->arena, &bytes, &err))
        return;
    rift_str rest = {(const char *)bytes.data, bytes.size};
    if (!rift_str_next(&rest, "\n", &line) || !rift_str_eq(line, rift_str_c(first_line)) ||
        !rift_str_next(&rest, "\n", &line) || !rift_str_eq(line, rift_str_c(r->out->source)))
        return;
    while (rift_str_next(&rest, "\n", &line))
        read_line(r, line);
}

static const char *tag_text(const char *tag)
{
    return tag[0] != '\0' ? tag : nothing;
}

static bool write_state(run *r, rift_err *err)
{
    rift_buf out;
    rift_buf_init(&out, &r->arena, STATE_MAX);
    rift_buf_printf(&out, "%s\n%s\n", first_line, r->out->source);
    for (size_t i = 0; i < r->now.count; i++) {
        const seen *s = &r->now.items[i];
        rift_buf_printf(&out, "%.*s\t%016llx\t%s\t%s\n", RIFT_STR_ARG(s->name), (unsigned long long)s->digest,
                        tag_text(s->tags.etag), tag_text(s->tags.modified));
    }
    rift_err_in(err, rift_str_c(r->out->state_path));
    return rift_buf_ok(&out, "state", err) &&
           rift_file_write_atomic(r->out->state_path, rift_buf_bytes(&out), err);
}

static const seen *seen_before(const run *r, rift_str name)
{
    static const seen never;
    for (size_t i = 0; i < r->before.count; i++) {
        if (rift_str_eq(r->before.items[i].name, name))
            return &r->before.items[i];
    }
    return &never;
}

static bool had(const seen_list *list, rift_name_table table)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].table == table)
            return true;
    }
    return false;
}

/* ---- one list ---- */

/* With `text` NULL it is as it was before. */
static bool note(run *r, seen *s, const rift_bytes *text, rift_err *err)
{
    const seen *before = seen_before(r, s->name);
    if (r->now.count == RIFT_LISTS_MAX)
        return rift_fail(err, RIFT_ERR_LIMIT, "lists", RIFT_NO_OFFSET, "over %d lists", RIFT_LISTS_MAX);
    s->digest = text != NULL ? rift_xxh3(*text) : before->digest;
    if (text != NULL && (before->name.size == 0 || s->digest != before->digest)) {
        r->lists[r->out->changed++] =
            (rift_hash_list){.table = s->table, .text = *text, .name = s->name, .strict = true};
    }
    r->now.items[r->now.count++] = *s;
    return true;
}

static bool tag_file(rift_fetch_tags *out, const char *path, rift_err *err)
{
    struct stat st;
    rift_err_in(err, rift_str_c(path));
    if (stat(path, &st) != 0)
        return rift_fail_errno(err, "stat", errno);
    *out = (rift_fetch_tags){0};
    (void)snprintf(out->etag, sizeof out->etag, "%llx-%llx-%llx.%09ld", (unsigned long long)st.st_ino,
                   (unsigned long long)st.st_size, (unsigned long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return S_ISREG(st.st_mode) || rift_fail(err, RIFT_ERR_IO, "list", RIFT_NO_OFFSET, "is no file");
}

static bool take_file(run *r, const rift_list_file *file, rift_err *err)
{
    seen s = {.table = file->table, .name = rift_str_base(file->path)};
    rift_fetch_tags after;
    rift_bytes text = {0};
    if (!tag_file(&s.tags, file->path.data, err))
        return false;
    const bool is_new = strcmp(s.tags.etag, seen_before(r, s.name)->tags.etag) != 0;
    if (is_new && (!rift_file_read(file->path.data, r->out->max, &r->arena, &text, err) ||
                   !tag_file(&after, file->path.data, err)))
        return false;
    if (is_new && strcmp(s.tags.etag, after.etag) != 0) {
        return rift_fail(err, RIFT_ERR_IO, "list", RIFT_NO_OFFSET, "was written to while it was read");
    }
    return note(r, &s, is_new ? &text : NULL, err);
}

static bool take_url(run *r, rift_name_table table, int piece, bool *missing, rift_err *err)
{
    const size_t size = strlen(r->out->source);
    const char *slash = r->out->source[size - 1] == '/' ? "" : "/";
    seen s = {.table = table};
    s.name = piece < 0 ? rift_arena_printf(&r->arena, "hashes.%s.txt", rift_name_table_word(table))
                       : rift_arena_printf(&r->arena, "hashes.%s.txt.%d", rift_name_table_word(table), piece);
    rift_fetch f = {.max = r->out->max, .cancel = r->out->cancel, .last = seen_before(r, s.name)->tags};
    f.url = rift_arena_printf(&r->arena, "%s%s%.*s", r->out->source, slash, RIFT_STR_ARG(s.name)).data;
    if (!rift_arena_ok(&r->arena, "url", err) || !rift_fetch_get(&f, &r->arena, err))
        return false;
    *missing = f.kind == RIFT_FETCH_MISSING;
    if (*missing)
        return true;
    s.tags = f.kind == RIFT_FETCH_NEW ? f.tags : f.last;
    return note(r, &s, f.kind == RIFT_FETCH_NEW ? &f.body : NULL, err);
}

/* ---- all of them ---- */

static bool take_folder(run *r, rift_err *err)
{
    rift_list_file *files;
    size_t count;
    if (!rift_hash_lists_find(r->out->source, &files, &count, &r->arena, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!take_file(r, &files[i], err))
            return false;
    }
    return true;
}

static bool take_table(run *r, rift_name_table table, rift_err *err)
{
    bool missing = false;
    if (!take_url(r, table, -1, &missing, err))
        return false;
    for (int piece = 0; missing && piece < MAX_PIECES; piece++) {
        bool is_end;
        if (!take_url(r, table, piece, &is_end, err))
            return false;
        if (is_end)
            return true;
    }
    return true;
}

static bool take_server(run *r, rift_err *err)
{
    for (int t = 0; t < RIFT_NAME_TABLE_COUNT; t++) {
        if (!take_table(r, (rift_name_table)t, err))
            return false;
    }
    return true;
}

static bool nothing_is_lost(const run *r, rift_err *err)
{
    rift_err_in(err, rift_str_c(r->out->source));
    for (int t = 0; t < RIFT_NAME_TABLE_COUNT; t++) {
        if (had(&r->before, (rift_name_table)t) && !had(&r->now, (rift_name_table)t)) {
            return rift_fail(err, RIFT_ERR_NOT_FOUND, "lists", RIFT_NO_OFFSET,
                             "there is no hashes.%s.txt any more", rift_name_table_word((rift_name_table)t));
        }
    }
    return r->now.count > 0 ||
           rift_fail(err, RIFT_ERR_NOT_FOUND, "lists", RIFT_NO_OFFSET, "there is no hashes.<table>.txt");
}

static bool is_cancelled(const run *r, rift_err *err)
{
    return atomic_load_explicit(r->out->cancel, memory_order_relaxed) &&
           !rift_fail(err, RIFT_ERR_CANCELLED, "lists", RIFT_NO_OFFSET, "cancelled");
}

static bool may_write(const run *r, rift_err *err)
{
    return !atomic_load_explicit(r->out->held, memory_order_relaxed) ||
           rift_fail(err, RIFT_ERR_IO, "lists", RIFT_NO_OFFSET, "the disk's reserve is touched");
}

static bool run_all(run *r, rift_err *err)
{
    rift_refresh_run *out = r->out;
    r->before.items = RIFT_NEW(&r->arena, seen, RIFT_LISTS_MAX);
    r->now.items = RIFT_NEW(&r->arena, seen, RIFT_LISTS_MAX);
    r->lists = RIFT_NEW(&r->arena, rift_hash_list, RIFT_LISTS_MAX);
    if (!rift_arena_ok(&r->arena, "lists", err))
        return false;
    read_state(r);
    if (!(rift_refresh_is_url(out->source) ? take_server(r, err) : take_folder(r, err)) ||
        !nothing_is_lost(r, err) || is_cancelled(r, err))
        return false;
    out->lists = r->now.count;
    if (out->changed > 0 &&
        (!may_write(r, err) || !rift_hashdb_import(out->hashes_path, r->lists, out->changed, err)))
        return false;
    for (size_t i = 0; i < out->changed; i++) {
        out->taken += r->lists[i].stats.taken;
        out->refused += r->lists[i].stats.malformed + r->lists[i].stats.mismatched;
    }
    return write_state(r, err);
}

bool rift_refresh_now(rift_refresh_run *out, rift_err *err)
{
    run r = {.out = out};
    out->lists = out->changed = 0;
    out->taken = out->refused = 0;
    rift_arena_init(&r.arena, 4 * out->max + ((size_t)64 << 20));
    const bool ok = run_all(&r, err);
    rift_arena_release(&r.arena);
    return ok;
}
