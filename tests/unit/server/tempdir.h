/* tempdir.h - a folder that a test may fill; removed at the end of the program. */
#ifndef RIFT_TESTS_UNIT_SERVER_TEMPDIR_H
#define RIFT_TESTS_UNIT_SERVER_TEMPDIR_H

/* The folder, made at the first call. Ends the test when it cannot be had. */
const char *tempdir(void);
/* "<tempdir>/<name>", in one of eight rotating buffers. */
const char *temppath(const char *name);
/* Makes every folder of <tempdir>/<name>. */
void tempdir_make(const char *name);
/* Writes a file below it, making its folders. */
void tempfile_write(const char *name, const void *data, unsigned long size);

#endif
