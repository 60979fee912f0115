/* The daemon's name tables: <data>/hashes.db. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#include "base/str.h"
#include "files/files.h"
#include "store/hashes.h"

#define TABLES "game, binentries, binhashes, binfields, bintypes"

/* NULL, with a message, when nobody said where. */
static const char *database_path(cli_args *args)
{
    const char *data = cli_value(args, "data");
    if (data == NULL)
        data = getenv("RIFT_DATA"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    if (data != NULL)
        return rift_arena_printf(&args->arena, "%s/hashes.db", data).data;
    (void)cli_misuse(args, "missing --data: which data folder? (or set RIFT_DATA)");
    return NULL;
}

static bool table_of(const cli_args *args, rift_name_table *table)
{
    const int found = args->operand_count > 1 ? rift_name_table_from_word(rift_str_c(args->operands[1])) : -1;
    *table = (rift_name_table)(found < 0 ? 0 : found);
    return found >= 0;
}

static bool tell_import(cli_args *args, const char *list, const rift_name_line_stats *stats, rift_err *err)
{
    const uint64_t refused = stats->malformed + stats->mismatched;
    if (!cli_has(args, "json")) {
        cli_note(args, "%s: %llu lines, %llu new, %llu known before, %llu refused", list,
                 (unsigned long long)stats->lines, (unsigned long long)stats->taken,
                 (unsigned long long)stats->duplicate, (unsigned long long)refused);
        return true;
    }
    rift_buf out;
    rift_json j;
    rift_buf_init(&out, &args->arena, CLI_MAX_FILE);
    rift_json_init(&j, &out);
    rift_json_object(&j);
    rift_json_put_cstr(&j, "file", list);
    rift_json_put_uint(&j, "lines", stats->lines);
    rift_json_put_uint(&j, "new", stats->taken);
    rift_json_put_uint(&j, "known", stats->duplicate);
    rift_json_put_uint(&j, "malformed", stats->malformed);
    rift_json_put_uint(&j, "mismatched", stats->mismatched);
    rift_json_object_end(&j);
    return rift_buf_ok(&out, "result", err) && cli_print(args, rift_buf_bytes(&out), err);
}

/* All files of one command, and with them all parts of one list, are one import. */
static bool
import_files(cli_args *args, const char *database, rift_name_table table, rift_arena *arena, rift_err *err)
{
    const size_t count = args->operand_count - 2;
    rift_hash_list *lists = RIFT_NEW(arena, rift_hash_list, count);
    if (lists == NULL)
        return rift_arena_ok(arena, "lists", err);
    for (size_t i = 0; i < count; i++) {
        lists[i].table = table;
        rift_err_in(err, rift_str_c(args->operands[i + 2]));
        if (!rift_file_read(args->operands[i + 2], CLI_MAX_FILE, arena, &lists[i].text, err))
            return false;
    }
    if (!rift_hashdb_import(database, lists, count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!tell_import(args, args->operands[i + 2], &lists[i].stats, err))
            return false;
    }
    return true;
}

static int hashes_import(cli_args *args, const char *database, rift_err *err)
{
    rift_name_table table;
    rift_arena arena;
    if (!table_of(args, &table) || args->operand_count < 3)
        return cli_misuse(args, "import takes a table (" TABLES ") and files");
    rift_arena_init(&arena, SIZE_MAX / 2); /* lists of some hundred megabytes */
    const bool ok = import_files(args, database, table, &arena, err);
    rift_arena_release(&arena);
    return ok ? CLI_OK : cli_error(args, err);
}

static void put_found(rift_buf *out, rift_json *json, const char *hash, rift_str name)
{
    if (json == NULL) {
        rift_buf_printf(out, "%s ", hash);
        cli_put_text(out, name);
        rift_buf_u8(out, '\n');
        return;
    }
    rift_json_object(json);
    rift_json_put_cstr(json, "hash", hash);
    rift_json_put_str(json, "name", name);
    rift_json_object_end(json);
}

/* What is found is printed also when something is missing. */
static int hashes_lookup(cli_args *args, rift_hashdb *db, rift_err *err)
{
    rift_name_table table;
    rift_buf out;
    rift_json j;
    int code = CLI_OK;
    if (!table_of(args, &table) || args->operand_count < 3)
        return cli_misuse(args, "lookup takes a table (" TABLES ") and hashes");
    rift_buf_init(&out, &args->arena, CLI_MAX_FILE);
    rift_json_init(&j, &out);
    rift_json *json = cli_has(args, "json") ? &j : NULL;
    if (json != NULL)
        rift_json_array(json);
    for (size_t i = 2; i < args->operand_count; i++) {
        uint64_t hash;
        rift_str name;
        if (!rift_str_hex(rift_str_c(args->operands[i]), &hash))
            return cli_misuse(args, "\"%s\" is no hash", args->operands[i]);
        rift_err_in(err, rift_str_c(args->operands[i]));
        if (rift_hashdb_lookup(db, table, hash, &args->arena, &name, err)) {
            put_found(&out, json, args->operands[i], name);
        } else {
            code = cli_error(args, err);
        }
    }
    if (json != NULL) {
        rift_json_array_end(json);
        rift_buf_u8(&out, '\n');
    }
    rift_err_in(err, (rift_str){0});
    return rift_buf_ok(&out, "names", err) && cli_write("-", rift_buf_bytes(&out), err)
               ? code
               : cli_error(args, err);
}

static int hashes_stats(cli_args *args, rift_hashdb *db, rift_err *err)
{
    rift_hashdb_stats stats;
    rift_buf out;
    rift_json j;
    if (!rift_hashdb_stats_read(db, &stats, err))
        return cli_error(args, err);
    rift_buf_init(&out, &args->arena, CLI_MAX_FILE);
    rift_json_init(&j, &out);
    rift_json_object(&j);
    for (int t = 0; t < RIFT_NAME_TABLE_COUNT; t++)
        rift_json_put_uint(&j, rift_name_table_word((rift_name_table)t), stats.names[t]);
    rift_json_put_uint(&j, "learnt", stats.learnt);
    rift_json_object_end(&j);
    return rift_buf_ok(&out, "stats", err) && cli_print(args, rift_buf_bytes(&out), err)
               ? CLI_OK
               : cli_error(args, err);
}

int cmd_hashes(cli_args *args)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (args->operand_count == 0)
        return cli_misuse(args, "import, lookup or stats?");
    const char *verb = args->operands[0];
    const bool import = strcmp(verb, "import") == 0;
    const bool lookup = strcmp(verb, "lookup") == 0;
    if (!import && !lookup && strcmp(verb, "stats") != 0)
        return cli_misuse(args, "no verb \"%s\": import, lookup or stats", verb);
    const char *database = database_path(args);
    if (database == NULL)
        return CLI_USAGE;
    if (import)
        return hashes_import(args, database, &err);
    rift_hashdb db = {0};
    rift_err_in(&err, rift_str_c(database));
    if (!rift_hashdb_open(&db, database, &err))
        return cli_error(args, &err);
    const int code = lookup ? hashes_lookup(args, &db, &err) : hashes_stats(args, &db, &err);
    rift_hashdb_close(&db);
    return code;
}
