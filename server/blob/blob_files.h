/* blob_files.h - blobs as files: <folder>/ab/cd/<sha256>.
 *
 * A file has no name before all its bytes are on disk (O_TMPFILE, write, fdatasync, linkat), so a crash leaves nothing behind and nobody ever sees a part. One that is
 * removed is renamed first, into <folder>/trash, so that a put of the same content either comes before, and is seen by its time, or does not find it and writes anew. */
#ifndef RIFT_BLOB_BLOB_FILES_H
#define RIFT_BLOB_BLOB_FILES_H

#include "blob/blob.h"

/* Makes the folders when they are missing; `quarantine` only when it is needed. */
RIFT_NODISCARD bool
rift_blob_files_open(rift_blobs **out, const char *folder, const char *quarantine, rift_err *err);

#endif
