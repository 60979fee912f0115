/* json.h - writes JSON as a stream into a buffer: no tree, commas placed by itself, same bytes in every locale.
 *
 * Shape   begin/end must pair (asserted); inside an object every value follows a key. Numbers are the shortest that
 *         reads back as the same number: at most 9 significant digits for float32 data, 17 for other doubles. -0 is
 *         written 0. Non-finite numbers are a bug of ours (asserted).
 *         Strings are UTF-8; bytes that are not are read as Latin-1; control characters, '"' and '\' are escaped.
 * Limits  RIFT_JSON_MAX_DEPTH; the buffer's. Errors show in the buffer (rift_buf_ok). */
#ifndef RIFT_BASE_JSON_H
#define RIFT_BASE_JSON_H

#include "base/buf.h"

#define RIFT_JSON_MAX_DEPTH 160 /* a bin of RIFT_BIN_MAX_DEPTH levels, two each, shown whole */

typedef struct rift_json {
    rift_buf *out;
    unsigned depth;
    bool has_item[RIFT_JSON_MAX_DEPTH];
    bool is_object[RIFT_JSON_MAX_DEPTH];
    bool after_key;
    bool pretty; /* newlines and two blanks a level, for files that people read */
} rift_json;

void rift_json_init(rift_json *j, rift_buf *out);
void rift_json_object(rift_json *j); /* { */
void rift_json_object_end(rift_json *j);
void rift_json_array(rift_json *j); /* [ */
void rift_json_array_end(rift_json *j);
void rift_json_key(rift_json *j, const char *key);
void rift_json_key_str(rift_json *j, rift_str key);
void rift_json_str(rift_json *j, rift_str value);
void rift_json_cstr(rift_json *j, const char *value); /* NULL writes null */
void rift_json_uint(rift_json *j, uint64_t value);
void rift_json_int(rift_json *j, int64_t value);
void rift_json_float(rift_json *j, float value);   /* 9 significant digits at most, float32 round trip */
void rift_json_double(rift_json *j, double value); /* as float when it is one, else 17 digits at most */
void rift_json_bool(rift_json *j, bool value);
void rift_json_null(rift_json *j);
/* "0x" and `digits` lower-case hex digits, as a string. */
void rift_json_hex(rift_json *j, uint64_t value, unsigned digits);
/* Text that is JSON already: one value. */
void rift_json_raw(rift_json *j, rift_str json);
/* Text that is members of the open object already ("\"a\":1,\"b\":2"); empty text writes nothing. */
void rift_json_raw_members(rift_json *j, rift_str members);

/* key and value in one call. */
void rift_json_put_str(rift_json *j, const char *key, rift_str value);
void rift_json_put_cstr(rift_json *j, const char *key, const char *value);
void rift_json_put_uint(rift_json *j, const char *key, uint64_t value);
void rift_json_put_int(rift_json *j, const char *key, int64_t value);
void rift_json_put_double(rift_json *j, const char *key, double value);
void rift_json_put_bool(rift_json *j, const char *key, bool value);
void rift_json_put_hex(rift_json *j, const char *key, uint64_t value, unsigned digits);

struct rift_report;
/* [{"code":…,"count":…,"examples":[…]},…] (G48); an empty array without entries. */
void rift_json_report(rift_json *j, const struct rift_report *report);
/* [{"format":"anm","what":"compressed version 9","count":1}, …] */
void rift_json_unsupported(rift_json *j, const struct rift_report *report);

#endif
