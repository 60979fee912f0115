/* golden.h - compares a readable dump with the one in tests/golden/. */
#ifndef RIFT_TESTS_SUPPORT_GOLDEN_H
#define RIFT_TESTS_SUPPORT_GOLDEN_H

#include "base/bytes.h"

/* Fails with the first line that differs. With RIFT_UPDATE_GOLDEN=1 in the environment the file is rewritten instead,
 * and the diff is reviewed before it is committed. `name` is relative to tests/golden/. */
void check_golden(const char *name, rift_bytes dump);

/* FNV-1a, 64 bits: the hash of a file's bytes that a dump ends with. */
unsigned long long golden_hash(rift_bytes bytes);

#endif
