#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "files/files.h"
#include "files/gamedir.h"
#include "support/check.h"
#include "tempdir.h"

static rift_arena arena;

static void setup(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 64 * 1024 * 1024);
}

static void reads_a_whole_file(void)
{
    static const struct {
        const char *name;
        const char *content;
        size_t max;
        rift_status want;
    } rows[] = {
        {"empty", "", 10, RIFT_OK},
        {"five", "hello", 10, RIFT_OK},
        {"exactly the limit", "hello", 5, RIFT_OK},
        {"one over the limit", "hello", 4, RIFT_ERR_LIMIT},
        {"limit nought", "h", 0, RIFT_ERR_LIMIT},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        setup();
        tempfile_write("read", rows[i].content, strlen(rows[i].content));
        rift_bytes out = {0};
        rift_err err = check_err();
        const bool ok = rift_file_read(temppath("read"), rows[i].max, &arena, &out, &err);
        CHECK_CODE(&err, rows[i].want);
        CHECK_U64(ok, rows[i].want == RIFT_OK);
        if (ok)
            CHECK_BYTES(out, ((rift_bytes){(const uint8_t *)rows[i].content, strlen(rows[i].content)}));
    }
}

static void refuses_what_is_no_file(void)
{
    setup();
    rift_bytes out;
    rift_err err = check_err();
    CHECK(!rift_file_read(temppath("absent"), 10, &arena, &out, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    CHECK(strstr(err.file, "absent") != NULL);
    err = check_err();
    CHECK(!rift_file_read(tempdir(), 10, &arena, &out, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    arena.fail_at = 1;
    tempfile_write("read", "abc", 3);
    CHECK(!rift_file_read(temppath("read"), 10, &arena, &out, &err));
    CHECK_CODE(&err, RIFT_ERR_NOMEM);
}

/* A pipe has no size beforehand, and more bytes than one read gives. */
static void reads_a_pipe(void)
{
    setup();
    int ends[2];
    CHECK_FATAL(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        char block[1000];
        memset(block, 'x', sizeof block);
        for (int i = 0; i < 200; i++)
            if (write(ends[1], block, sizeof block) != sizeof block)
                _exit(1);
        _exit(0);
    }
    (void)close(ends[1]);
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    rift_bytes out = {0};
    rift_err err = check_err();
    CHECK_OK(rift_file_read(path, 1024 * 1024, &arena, &out, &err), &err);
    CHECK_U64(out.size, 200000);
    (void)close(ends[0]);
}

static unsigned count_entries(const char *dir)
{
    unsigned n = 0;
    DIR *d = opendir(dir);
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d))
        n += e->d_name[0] != '.';
    (void)closedir(d);
    return n;
}

static void writes_all_or_nothing(void)
{
    setup();
    tempdir_make("out");
    rift_err err = check_err();
    const char *path = temppath("out/file");
    CHECK_OK(rift_file_write_atomic(path, (rift_bytes){(const uint8_t *)"one", 3}, &err), &err);
    CHECK_OK(rift_file_write_atomic(path, (rift_bytes){(const uint8_t *)"twice", 5}, &err), &err);
    CHECK_BYTES(check_read_file(path), ((rift_bytes){(const uint8_t *)"twice", 5}));
    CHECK_U64(count_entries(temppath("out")), 1);
    struct stat st;
    CHECK(stat(path, &st) == 0);
    const mode_t mask = umask(0);
    (void)umask(mask);
    CHECK_U64(st.st_mode & 0777, 0666 & ~mask);

    CHECK(!rift_file_write_atomic(temppath("nowhere/file"), (rift_bytes){0}, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    CHECK(!rift_file_write_atomic(temppath("out"), (rift_bytes){0}, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    CHECK_OK(rift_file_write_atomic("/dev/null", (rift_bytes){(const uint8_t *)"x", 1}, &err), &err);
    CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}

static void finds_archives_in_any_layout(void)
{
    static const char *const made[] = {
        "g1/DATA/FINAL/Champions/Yasuo.wad.client",
        "g1/DATA/FINAL/Champions/ahri.WAD.client",
        "g1/DATA/FINAL/UI.wad",
        "g1/DATA/FINAL/readme.txt",
        "g1/DATA/FINAL/.hidden.wad",
        "g1/other/elsewhere.wad",
        "g2/Game/data/Final/Maps/Map11.wad.client",
        "g3/a.wad",
        "g3/sub/B.wad.client",
        "g4/nothing.txt",
    };
    for (size_t i = 0; i < RIFT_COUNT(made); i++)
        tempfile_write(made[i], made[i], strlen(made[i]));
    static const struct {
        const char *dir;
        size_t count;
        const char *paths[4];
    } rows[] = {
        {"g1",
         3,
         {"DATA/FINAL/Champions/ahri.WAD.client", "DATA/FINAL/Champions/Yasuo.wad.client",
          "DATA/FINAL/UI.wad"}},
        {"g1/DATA/FINAL",
         3,
         {"DATA/FINAL/Champions/ahri.WAD.client", "DATA/FINAL/Champions/Yasuo.wad.client",
          "DATA/FINAL/UI.wad"}},
        {"g1/DATA/FINAL/Champions",
         2,
         {"DATA/FINAL/Champions/ahri.WAD.client", "DATA/FINAL/Champions/Yasuo.wad.client"}},
        {"g2", 1, {"DATA/FINAL/Maps/Map11.wad.client"}},
        {"g2/Game", 1, {"DATA/FINAL/Maps/Map11.wad.client"}},
        {"g3", 2, {"a.wad", "B.wad.client"}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].dir);
        setup();
        rift_gamefiles files = {0};
        rift_err err = check_err();
        if (!CHECK_OK(rift_gamefiles_open(&files, temppath(rows[i].dir), &arena, NULL, &err), &err))
            continue;
        CHECK_U64(files.count, rows[i].count);
        for (size_t k = 0; k < files.count && k < rows[i].count; k++)
            CHECK_STR(files.files[k].path, rift_str_c(rows[i].paths[k]));
        rift_gamefiles_close(&files);
    }
}

/* Links to nowhere and in a circle stand for rights and disks too, which a test cannot count on. */
static void what_cannot_be_opened_is_hidden(void)
{
    setup();
    tempfile_write("h/DATA/FINAL/a.wad", "x", 1);
    rift_gamefiles files = {0};
    rift_err err = check_err();
    CHECK(symlink("nowhere", temppath("h/DATA/FINAL/b.wad.client")) == 0);
    CHECK(symlink("c.wad", temppath("h/DATA/FINAL/c.wad")) == 0);
    CHECK(symlink("nowhere", temppath("h/DATA/FINAL/Maps")) == 0);
    CHECK(mkfifo(temppath("h/DATA/FINAL/d.wad"), 0600) == 0);
    tempfile_write("h/DATA/FINAL/e.wad.client/f.wad", "x", 1); /* an archive that was unpacked in its place */
    CHECK_FATAL(CHECK_OK(rift_gamefiles_open(&files, temppath("h"), &arena, NULL, &err), &err));
    CHECK_U64(files.count, 1);
    CHECK_U64(files.hidden_count, 5);
    unsigned seen = 0;
    for (size_t i = 0; i < files.hidden_count; i++) {
        seen |= rift_str_eq(files.hidden[i], RIFT_STR("DATA/FINAL/b.wad.client")) ? 1U : 0;
        seen |= rift_str_eq(files.hidden[i], RIFT_STR("DATA/FINAL/c.wad")) ? 2U : 0;
        seen |= rift_str_eq(files.hidden[i], RIFT_STR("DATA/FINAL/Maps/")) ? 4U : 0;
        seen |= rift_str_eq(files.hidden[i], RIFT_STR("DATA/FINAL/d.wad")) ? 8U : 0;
        seen |= rift_str_eq(files.hidden[i], RIFT_STR("DATA/FINAL/e.wad.client")) ? 16U : 0;
    }
    CHECK_U64(seen, 31);
    rift_gamefiles_close(&files);
    CHECK(unlink(temppath("h/DATA/FINAL/a.wad")) == 0);
    CHECK(!rift_gamefiles_open(&files, temppath("h"), &arena, NULL, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
}

static void reads_through_the_source(void)
{
    setup();
    tempfile_write("s/x.wad", "0123456789", 10);
    rift_gamefiles files = {0};
    rift_err err = check_err();
    CHECK_FATAL(CHECK_OK(rift_gamefiles_open(&files, temppath("s"), &arena, NULL, &err), &err));
    char got[4];
    const rift_source *s = &files.files[0].source;
    CHECK_U64(s->size, 10);
    CHECK_OK(s->read_at(s->user, 3, got, 4, &err), &err);
    CHECK(memcmp(got, "3456", 4) == 0);
    CHECK(truncate(temppath("s/x.wad"), 5) == 0);
    CHECK(!s->read_at(s->user, 3, got, 4, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    rift_gamefiles_close(&files);
}

static void refuses_folders_without_archives(void)
{
    setup();
    rift_gamefiles files = {0};
    rift_err err = check_err();
    CHECK(!rift_gamefiles_open(&files, temppath("g4"), &arena, NULL, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    CHECK(!rift_gamefiles_open(&files, temppath("absent"), &arena, NULL, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    for (uint64_t n = 1; n < 200; n++) {
        check_row("allocation %u fails", (unsigned)n);
        setup();
        arena.fail_at = n;
        if (rift_gamefiles_open(&files, temppath("g1"), &arena, NULL, &err)) {
            CHECK(n > 3);
            rift_gamefiles_close(&files);
            break;
        }
        CHECK_CODE(&err, RIFT_ERR_NOMEM);
    }
}

/* A link to the folder above would be walked for ever. */
static void ends_in_a_loop_of_links(void)
{
    setup();
    tempfile_write("loop/a.wad", "x", 1);
    CHECK(symlink("..", temppath("loop/up")) == 0);
    rift_gamefiles files = {0};
    rift_err err = check_err();
    const bool ok = rift_gamefiles_open(&files, temppath("loop"), &arena, NULL, &err);
    if (ok)
        rift_gamefiles_close(&files);
    else
        CHECK_CODE(&err, RIFT_ERR_LIMIT);
    (void)unlink(temppath("loop/up"));
}

/* Replaced files stay what they were for whoever has them open; those written to do not. */
static void notices_files_that_were_written_to(void)
{
    setup();
    rift_gamefiles files = {0};
    rift_err err = check_err();
    tempfile_write("p/DATA/FINAL/Champions/a.wad", "1", 1);
    tempfile_write("p/DATA/FINAL/b.wad", "2", 1);
    CHECK_FATAL(CHECK_OK(rift_gamefiles_open(&files, temppath("p"), &arena, NULL, &err), &err));
    CHECK_U64(files.folder_count, 2);
    CHECK(rift_gamefiles_are_intact(&files));
    tempfile_write("p/new", "3", 1);
    CHECK(rename(temppath("p/new"), temppath("p/DATA/FINAL/b.wad")) == 0);
    CHECK(unlink(temppath("p/DATA/FINAL/Champions/a.wad")) == 0);
    CHECK(rift_gamefiles_are_intact(&files));
    char byte = 0;
    CHECK_OK(files.files[0].source.read_at(files.files[0].source.user, 0, &byte, 1, &err), &err);
    CHECK_U64(byte, '2');
    rift_gamefiles_close(&files);

    CHECK_FATAL(CHECK_OK(rift_gamefiles_open(&files, temppath("p"), &arena, NULL, &err), &err));
    CHECK_U64(files.count, 1);
    FILE *f = fopen(temppath("p/DATA/FINAL/b.wad"), "ab");
    CHECK(f != NULL && fputc('4', f) == '4' && fclose(f) == 0);
    CHECK(!rift_gamefiles_are_intact(&files));
    rift_gamefiles_close(&files);

    CHECK_FATAL(CHECK_OK(rift_gamefiles_open(&files, temppath("p"), &arena, NULL, &err), &err));
    const rift_stamp before = files.stamps[0];
    const struct timespec times[2] = {{.tv_sec = 1000, .tv_nsec = 5}, {.tv_sec = 2000, .tv_nsec = 7}};
    CHECK(futimens(files.fds[0], times) == 0);
    CHECK(!rift_gamefiles_are_intact(&files));
    rift_gamefiles_close(&files);
    CHECK_FATAL(CHECK_OK(rift_gamefiles_open(&files, temppath("p"), &arena, NULL, &err), &err));
    CHECK_I64(files.stamps[0].mtime_ns, INT64_C(2000000000007));
    CHECK_U64(files.stamps[0].size, before.size);
    CHECK(!rift_stamp_eq(&files.stamps[0], &before));
    rift_gamefiles_close(&files);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(reads_a_whole_file);
    RUN(refuses_what_is_no_file);
    RUN(reads_a_pipe);
    RUN(writes_all_or_nothing);
    RUN(finds_archives_in_any_layout);
    RUN(what_cannot_be_opened_is_hidden);
    RUN(reads_through_the_source);
    RUN(refuses_folders_without_archives);
    RUN(ends_in_a_loop_of_links);
    RUN(notices_files_that_were_written_to);
    rift_arena_release(&arena);
    return check_finish();
}
