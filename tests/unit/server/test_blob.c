#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blob/blob.h"
#include "support/check.h"
#include "tempdir.h"

static const rift_bytes hello = {(const uint8_t *)"hello", 5};
/* sha256sum of "hello" */
static const char hello_path[] =
    "blobs/2c/f2/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

static unsigned files_seen;

static int count_file(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)path;
    (void)st;
    (void)at;
    files_seen += kind == FTW_F;
    return 0;
}

static unsigned count_files(void)
{
    files_seen = 0;
    (void)nftw(temppath("blobs"), count_file, 16, FTW_PHYS);
    return files_seen;
}

static void puts_and_opens(void)
{
    rift_blobs blobs;
    rift_err err = check_err();
    CHECK_FATAL(CHECK_OK(rift_blobs_open(&blobs, temppath("blobs"), &err), &err));
    const rift_sha256 sha = rift_sha256_of(hello);
    int fd = -1;
    CHECK(!rift_blob_open(&blobs, &sha, 5, &fd, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    CHECK_OK(rift_blob_put(&blobs, &sha, hello, &err), &err);
    CHECK_BYTES(check_read_file(temppath(hello_path)), hello);
    CHECK_OK(rift_blob_put(&blobs, &sha, hello, &err), &err);
    CHECK_U64(count_files(), 1);
    CHECK_OK(rift_blob_open(&blobs, &sha, 5, &fd, &err), &err);
    char got[8];
    CHECK_I64(read(fd, got, sizeof got), 5);
    CHECK(memcmp(got, "hello", 5) == 0);
    (void)close(fd);
    CHECK(!rift_blob_open(&blobs, &sha, 6, &fd, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    rift_blobs_close(&blobs);
}

static void replaces_a_damaged_file(void)
{
    rift_blobs blobs;
    rift_err err = check_err();
    CHECK_FATAL(CHECK_OK(rift_blobs_open(&blobs, temppath("blobs"), &err), &err));
    const rift_sha256 sha = rift_sha256_of(hello);
    CHECK_OK(rift_blob_put(&blobs, &sha, hello, &err), &err);
    CHECK(truncate(temppath(hello_path), 2) == 0);
    CHECK_OK(rift_blob_put(&blobs, &sha, hello, &err), &err);
    CHECK_BYTES(check_read_file(temppath(hello_path)), hello);
    rift_blobs_close(&blobs);
}

/* Eight processes put the same bytes at once: all succeed, one file. */
static void many_puts_at_once(void)
{
    rift_blobs blobs;
    rift_err err = check_err();
    CHECK_FATAL(CHECK_OK(rift_blobs_open(&blobs, temppath("blobs"), &err), &err));
    uint8_t *data = calloc(1, 300000);
    const rift_bytes bytes = {data, 300000};
    const rift_sha256 sha = rift_sha256_of(bytes);
    const unsigned before = count_files();
    for (int i = 0; i < 8; i++)
        if (fork() == 0)
            _exit(!rift_blob_put(&blobs, &sha, bytes, &err));
    int status, bad = 0;
    for (int i = 0; i < 8; i++)
        bad += wait(&status) < 0 || status != 0;
    CHECK_I64(bad, 0);
    CHECK_U64(count_files(), before + 1);
    free(data);
    rift_blobs_close(&blobs);
}

static void refuses_what_it_cannot_write(void)
{
    rift_blobs blobs;
    rift_err err = check_err();
    tempfile_write("notadir", "x", 1);
    CHECK(!rift_blobs_open(&blobs, temppath("notadir"), &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    CHECK(!rift_blobs_open(&blobs, temppath("no/such/parent"), &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(puts_and_opens);
    RUN(replaces_a_damaged_file);
    RUN(many_puts_at_once);
    RUN(refuses_what_it_cannot_write);
    return check_finish();
}
