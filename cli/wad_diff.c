/* wad diff: two archives, or all archives below two folders. Tables of contents decide; only where they cannot (UNSURE) are the
 * two entries read. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#include "base/str.h"
#include "files/files.h"
#include "files/gamedir.h"
#include "formats/wad_diff.h"

/* One side. */
typedef struct side {
    rift_gamefiles files;
    rift_wad *wads;
    rift_wad_table *tables;
    size_t count;
    rift_str *bad_paths; /* archives that cannot be read */
    size_t bad, unopened;
} side;

typedef struct output {
    const rift_names *names;
    rift_arena *arena;
    rift_buf buf;
    rift_json j;
    bool json, folders;
    size_t told; /* archives that differ */
} output;

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A single archive: paired with the other side's, whatever they are called. */
static bool find_file(side *s, cli_args *args, const char *path, rift_err *err)
{
    s->files = (rift_gamefiles){.files = RIFT_NEW(&args->arena, rift_game_file, 1),
                                .fds = RIFT_NEW(&args->arena, int, 1)};
    if (!rift_arena_ok(&args->arena, "archive", err) ||
        !cli_open_file(path, &s->files.files[0].source, &s->files.fds[0], err))
        return false;
    s->files.files[0].path = rift_str_base(rift_str_c(path));
    s->files.count = 1;
    return true;
}

static bool find_folder(side *s, cli_args *args, const char *path, rift_err *err)
{
    rift_report report;
    rift_report_init(&report, &args->arena);
    if (!rift_gamefiles_open(&s->files, path, &args->arena, &report, err))
        return false;
    s->unopened = (size_t)rift_report_count(&report, "archive_unreadable");
    for (size_t i = 0; i < report.entry_count; i++) {
        for (size_t k = 0; k < report.entries[i]->example_count; k++)
            cli_say("riftbake: %.*s", RIFT_STR_ARG(report.entries[i]->examples[k]));
    }
    return true;
}

static bool is_bad(const side *s, rift_str path)
{
    for (size_t i = 0; i < s->bad; i++) {
        if (rift_str_eq_nocase(path, s->bad_paths[i]))
            return true;
    }
    return false;
}

/* An archive of a folder that cannot be read is told and left out on both sides; as one of the two operands it ends the comparison. */
static bool open_tables(side *s, const side *other, cli_args *args, bool folders, rift_err *err)
{
    s->wads = RIFT_NEW(&args->arena, rift_wad, s->files.count);
    s->tables = RIFT_NEW(&args->arena, rift_wad_table, s->files.count);
    s->bad_paths = RIFT_NEW(&args->arena, rift_str, s->files.count);
    if (!rift_arena_ok(&args->arena, "archives", err))
        return false;
    for (size_t i = 0; i < s->files.count; i++) {
        const rift_game_file *file = &s->files.files[i];
        rift_wad *wad = &s->wads[s->count];
        rift_err_in(err, file->path);
        if (rift_wad_open(wad, file->source, file->path, &args->arena, NULL, err)) {
            s->tables[s->count++] =
                (rift_wad_table){.path = folders ? file->path : RIFT_STR("archive"), .wad = wad};
        } else if (!folders || args->arena.failed != RIFT_OK) {
            return false;
        } else {
            if (!is_bad(other, file->path)) /* else it has been told */
                (void)cli_error(args, err);
            s->bad_paths[s->bad++] = file->path;
        }
    }
    rift_err_in(err, (rift_str){0});
    return true;
}

static bool
open_side(side *s, const side *other, cli_args *args, const char *path, bool folders, rift_err *err)
{
    return (folders ? find_folder(s, args, path, err) : find_file(s, args, path, err)) &&
           open_tables(s, other, args, folders, err);
}

/* Nothing can be said of an archive that the other side has but cannot read. */
static void leave_out(side *s, const side *other)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!is_bad(other, s->tables[i].path))
            s->tables[kept++] = s->tables[i];
    }
    s->count = kept;
}

/* By their bytes; what cannot be read is told apart as changed. */
static bool same_bytes(const rift_wad *a, const rift_wad_entry *x, const rift_wad *b, const rift_wad_entry *y)
{
    rift_arena arena;
    rift_err err;
    rift_bytes left, right;
    rift_arena_init(&arena, CLI_ARENA_LIMIT);
    rift_err_in(&err, (rift_str){0});
    const bool same = rift_wad_read(a, x, &arena, &left, &err) && rift_wad_read(b, y, &arena, &right, &err) &&
                      left.size == right.size &&
                      (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
    rift_arena_release(&arena);
    return same;
}

/* Turns UNSURE into CHANGED or drops it. False when nothing is left that differs. */
static bool settle(rift_archive_change *archive)
{
    size_t kept = 0;
    for (size_t i = 0; i < archive->entry_count; i++) {
        rift_entry_change e = archive->entries[i];
        if (e.what == RIFT_CHANGE_UNSURE) {
            archive->counts[RIFT_CHANGE_UNSURE]--;
            if (same_bytes(archive->before->wad, e.before, archive->after->wad, e.after))
                continue;
            e.what = RIFT_CHANGE_CHANGED;
            archive->counts[RIFT_CHANGE_CHANGED]++;
        }
        archive->entries[kept++] = e;
    }
    archive->entry_count = kept;
    return archive->what != RIFT_CHANGE_CHANGED || kept > 0;
}

static void put_archive(output *o, const rift_archive_change *a)
{
    const rift_str path = a->after != NULL ? a->after->path : a->before->path;
    rift_buf_printf(&o->buf, "archive %s ", rift_change_word(a->what));
    if (a->what == RIFT_CHANGE_RENAMED) {
        cli_put_text(&o->buf, a->before->path);
        rift_buf_str(&o->buf, RIFT_STR(" -> "));
    }
    cli_put_text(&o->buf, path);
    rift_buf_printf(&o->buf, ": %zu added, %zu removed, %zu changed, %zu renamed\n",
                    a->counts[RIFT_CHANGE_ADDED], a->counts[RIFT_CHANGE_REMOVED],
                    a->counts[RIFT_CHANGE_CHANGED], a->counts[RIFT_CHANGE_RENAMED]);
}

static void put_entry(output *o, const rift_entry_change *e)
{
    const rift_wad_entry *now = e->after != NULL ? e->after : e->before;
    const rift_str name = cli_entry_name(o->names, now->path_hash, o->arena);
    rift_buf_printf(&o->buf, "%-8s ", rift_change_word(e->what));
    if (e->what == RIFT_CHANGE_RENAMED) {
        cli_put_text(&o->buf, cli_entry_name(o->names, e->before->path_hash, o->arena));
        rift_buf_str(&o->buf, RIFT_STR(" -> "));
    }
    cli_put_text(&o->buf, name);
    rift_buf_u8(&o->buf, '\n');
}

static void put_entry_json(output *o, const rift_entry_change *e)
{
    const rift_wad_entry *now = e->after != NULL ? e->after : e->before;
    rift_json_object(&o->j);
    rift_json_put_cstr(&o->j, "change", rift_change_word(e->what));
    rift_json_put_hex(&o->j, "hash", now->path_hash, 16);
    rift_json_put_str(&o->j, "path", cli_entry_name(o->names, now->path_hash, o->arena));
    if (e->what == RIFT_CHANGE_RENAMED) {
        rift_json_put_hex(&o->j, "from_hash", e->before->path_hash, 16);
        rift_json_put_str(&o->j, "from", cli_entry_name(o->names, e->before->path_hash, o->arena));
    }
    rift_json_object_end(&o->j);
}

static void put_archive_json(output *o, const rift_archive_change *a)
{
    rift_json_object(&o->j);
    rift_json_put_str(&o->j, "archive", a->after != NULL ? a->after->path : a->before->path);
    rift_json_put_cstr(&o->j, "change", rift_change_word(a->what));
    if (a->what == RIFT_CHANGE_RENAMED)
        rift_json_put_str(&o->j, "from", a->before->path);
    rift_json_key(&o->j, "entries");
    rift_json_array(&o->j);
    for (size_t i = 0; i < a->entry_count; i++)
        put_entry_json(o, &a->entries[i]);
    rift_json_array_end(&o->j);
    rift_json_object_end(&o->j);
}

/* The entries of an archive that came or went as a whole are not told one by one to people. */
static void put_one(output *o, const rift_archive_change *a)
{
    if (o->json && o->folders) {
        put_archive_json(o, a);
        return;
    }
    if (o->folders)
        put_archive(o, a);
    if (o->folders && a->what != RIFT_CHANGE_CHANGED)
        return;
    for (size_t i = 0; i < a->entry_count; i++) {
        if (o->json) {
            put_entry_json(o, &a->entries[i]);
        } else {
            rift_buf_str(&o->buf, o->folders ? RIFT_STR("  ") : (rift_str){0});
            put_entry(o, &a->entries[i]);
        }
    }
}

static void put_all(output *o, rift_wad_diff *diff)
{
    rift_buf_init(&o->buf, o->arena, CLI_MAX_FILE);
    rift_json_init(&o->j, &o->buf);
    if (o->json)
        rift_json_array(&o->j);
    for (size_t i = 0; i < diff->archive_count; i++) {
        if (!settle(&diff->archives[i]))
            continue;
        put_one(o, &diff->archives[i]);
        o->told++;
    }
    if (o->json) {
        rift_json_array_end(&o->j);
        rift_buf_u8(&o->buf, '\n');
    }
}

int cli_wad_diff(cli_args *args, const rift_names *names)
{
    if (args->operand_count != 3)
        return cli_misuse(args, "diff takes two archives or two folders");
    side before = {0}, after = {0};
    rift_wad_diff diff;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_files_raise_limit();
    const bool folders = is_folder(args->operands[1]) && is_folder(args->operands[2]);
    output out = {.names = names, .arena = &args->arena, .json = cli_has(args, "json"), .folders = folders};
    bool ok = open_side(&before, &after, args, args->operands[1], folders, &err) &&
              open_side(&after, &before, args, args->operands[2], folders, &err);
    leave_out(&before, &after);
    leave_out(&after, &before);
    ok = ok &&
         rift_wad_compare(&diff, before.tables, before.count, after.tables, after.count, &args->arena, &err);
    if (ok) {
        put_all(&out, &diff);
        ok = rift_buf_ok(&out.buf, "difference", &err) && cli_write("-", rift_buf_bytes(&out.buf), &err);
    }
    rift_gamefiles_close(&before.files);
    rift_gamefiles_close(&after.files);
    if (!ok)
        return cli_error(args, &err);
    if (before.bad + after.bad + before.unopened + after.unopened == 0)
        return CLI_OK;
    cli_note(args, "the other archives were compared: %zu differ", out.told);
    return CLI_FAILED;
}
