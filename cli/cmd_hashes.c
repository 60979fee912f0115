/* The daemon's name tables: <data>/hashes.db. */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

#include "base/str.h"
#include "files/files.h"
#include "store/hashes.h"

static bool database_path(const cli_args *args, char *path, size_t size, rift_err *err)
{
    const char *data = cli_value(args, "data");
    if (data == NULL)
        data = getenv("RIFT_DATA"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    if (data == NULL) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "--data", RIFT_NO_OFFSET,
                         "which data folder? (or set RIFT_DATA)");
    }
    (void)snprintf(path, size, "%s/hashes.db", data);
    return true;
}

static bool table_of(const cli_args *args, rift_name_table *table)
{
    const int found = args->operand_count > 1 ? rift_name_table_from_word(rift_str_c(args->operands[1])) : -1;
    *table = (rift_name_table)(found < 0 ? 0 : found);
    return found >= 0;
}

static bool
import_file(cli_args *args, const char *database, rift_name_table table, const char *list, rift_err *err)
{
    rift_arena arena;
    rift_bytes text;
    rift_name_line_stats stats = {0};
    rift_arena_init(&arena, CLI_ARENA_LIMIT);
    rift_err_in(err, rift_str_c(list));
    const bool ok = rift_file_read(list, CLI_MAX_FILE, &arena, &text, err) &&
                    rift_hashdb_import(database, table, text, &stats, err);
    rift_arena_release(&arena);
    if (ok) {
        cli_note(args, "%s: %llu lines, %llu new, %llu known before, %llu refused", list,
                 (unsigned long long)stats.lines, (unsigned long long)stats.taken,
                 (unsigned long long)stats.duplicate,
                 (unsigned long long)stats.malformed + (unsigned long long)stats.mismatched);
    }
    return ok;
}

static int hashes_import(cli_args *args, const char *database, rift_err *err)
{
    rift_name_table table;
    if (!table_of(args, &table) || args->operand_count < 3) {
        return cli_misuse(
            args, "import takes a table (game, binentries, binhashes, binfields, bintypes) and files");
    }
    for (size_t i = 2; i < args->operand_count; i++) {
        if (!import_file(args, database, table, args->operands[i], err))
            return cli_error(args, err);
    }
    return CLI_OK;
}

static int hashes_lookup(cli_args *args, rift_hashdb *db, rift_err *err)
{
    rift_name_table table;
    size_t missing = 0;
    if (!table_of(args, &table) || args->operand_count < 3)
        return cli_misuse(args, "lookup takes a table and hashes");
    for (size_t i = 2; i < args->operand_count; i++) {
        uint64_t hash;
        rift_str name;
        if (!rift_str_hex(rift_str_c(args->operands[i]), &hash))
            return cli_misuse(args, "\"%s\" is no hash", args->operands[i]);
        rift_err_in(err, rift_str_c(args->operands[i]));
        if (rift_hashdb_lookup(db, table, hash, &args->arena, &name, err)) {
            printf("%s %.*s\n", args->operands[i], RIFT_STR_ARG(name));
        } else {
            (void)cli_error(args, err);
            missing++;
        }
    }
    return missing > 0 ? CLI_FAILED : CLI_OK;
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
    rift_json_object_end(&j);
    return rift_buf_ok(&out, "stats", err) && cli_print(args, rift_buf_bytes(&out), err)
               ? CLI_OK
               : cli_error(args, err);
}

int cmd_hashes(cli_args *args)
{
    char database[4096];
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (args->operand_count == 0)
        return cli_misuse(args, "import, lookup or stats?");
    if (!database_path(args, database, sizeof database, &err))
        return cli_error(args, &err);
    const rift_str verb = rift_str_c(args->operands[0]);
    if (rift_str_eq(verb, RIFT_STR("import")))
        return hashes_import(args, database, &err);
    const bool lookup = rift_str_eq(verb, RIFT_STR("lookup"));
    if (!lookup && !rift_str_eq(verb, RIFT_STR("stats")))
        return cli_misuse(args, "no verb \"%s\": import, lookup or stats", args->operands[0]);
    rift_hashdb db = {0};
    rift_err_in(&err, rift_str_c(database));
    if (!rift_hashdb_open(&db, database, &err))
        return cli_error(args, &err);
    const int code = lookup ? hashes_lookup(args, &db, &err) : hashes_stats(args, &db, &err);
    rift_hashdb_close(&db);
    return code;
}
