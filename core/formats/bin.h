/* bin.h - property bins (PROP, PTCH): typed object trees whose names are FNV-1a hashes.
 *
 * Shape   whole file in; entries in file order. Three numberings of value types exist; the modern one is
 *         tried first, with strict sizes, then the two older ones; types below are always given in modern
 *         numbers. A patch file's patches are skipped by their sizes.
 * Limits  RIFT_BIN_MAX_DEPTH structures and containers inside one another; every count is checked against the
 *         bytes left. A parsed value takes sizeof(rift_bin_value) for as little as one byte of input: the
 *         arena's limit is the cap.
 * Errors  TRUNCATED, FORMAT, UNSUPPORTED (version), LIMIT, NOMEM; the modern attempt's error is given. A size
 *         too small for its content shows as TRUNCATED where the content crosses the end that the size gave;
 *         one too large as FORMAT at the first byte left over.
 * Odd     damage inside one entry is skipped by its size, counted (damaged_count) and reported
 *         (bin_entry_damaged) when at least one entry reads; a file with none left fails. Duplicate map keys:
 *         the first stays, later pairs are dropped (bin_duplicate_key). Field hashes may repeat: the first
 *         counts. Unknown classes and fields are kept. Strings are raw bytes, not checked for UTF-8. `none`
 *         takes no bytes. An embed of class 0 is read like any other; only if that fails somewhere in the
 *         file as "nothing follows" (object NULL).
 * Source  formats/bin.md, formats/animgraph-names.tsv. */
#ifndef RIFT_FORMATS_BIN_H
#define RIFT_FORMATS_BIN_H

#include "base/arena.h"
#include "base/report.h"

#define RIFT_BIN_MAX_DEPTH 64

typedef enum rift_bin_type {
    RIFT_BIN_NONE = 0,
    RIFT_BIN_BOOL = 1,
    RIFT_BIN_I8 = 2,
    RIFT_BIN_U8 = 3,
    RIFT_BIN_I16 = 4,
    RIFT_BIN_U16 = 5,
    RIFT_BIN_I32 = 6,
    RIFT_BIN_U32 = 7,
    RIFT_BIN_I64 = 8,
    RIFT_BIN_U64 = 9,
    RIFT_BIN_F32 = 10,
    RIFT_BIN_VEC2 = 11,
    RIFT_BIN_VEC3 = 12,
    RIFT_BIN_VEC4 = 13,
    RIFT_BIN_MTX44 = 14,
    RIFT_BIN_RGBA = 15,
    RIFT_BIN_STRING = 16,
    RIFT_BIN_HASH = 17,
    RIFT_BIN_FILE = 18,
    RIFT_BIN_LIST = 0x80,
    RIFT_BIN_LIST2 = 0x81,
    RIFT_BIN_POINTER = 0x82,
    RIFT_BIN_EMBED = 0x83,
    RIFT_BIN_LINK = 0x84,
    RIFT_BIN_OPTION = 0x85,
    RIFT_BIN_MAP = 0x86,
    RIFT_BIN_FLAG = 0x87
} rift_bin_type;

struct rift_bin_object;
struct rift_bin_pair;

typedef struct rift_bin_value {
    rift_bin_type type;
    rift_bin_type element_type; /* LIST, LIST2, OPTION; MAP: of the values */
    rift_bin_type key_type;     /* MAP */
    size_t count;               /* LIST, LIST2, MAP; OPTION: 0 or 1 */
    union {
        bool b;                               /* BOOL, FLAG */
        int64_t i;                            /* I8 I16 I32 I64 */
        uint64_t u;                           /* U8 U16 U32 U64; HASH, LINK (32 bits); FILE */
        float f[4];                           /* F32, VEC2, VEC3, VEC4 */
        const float *matrix;                  /* MTX44: 16, file order */
        uint8_t rgba[4];                      /* RGBA */
        rift_str str;                         /* STRING, raw bytes in the arena */
        const struct rift_bin_object *object; /* POINTER, EMBED; NULL when null */
        const struct rift_bin_value *items;   /* LIST, LIST2, OPTION */
        const struct rift_bin_pair *pairs;    /* MAP */
    } as;
} rift_bin_value;

typedef struct rift_bin_pair {
    rift_bin_value key;
    rift_bin_value value;
} rift_bin_pair;

typedef struct rift_bin_field {
    uint32_t name; /* FNV-1a */
    rift_bin_value value;
} rift_bin_field;

typedef struct rift_bin_object {
    uint32_t class_hash;
    size_t field_count;
    const rift_bin_field *fields;
} rift_bin_object;

typedef struct rift_bin_entry {
    uint32_t path; /* FNV-1a of the entry's path */
    rift_bin_object object;
} rift_bin_entry;

typedef struct rift_bin {
    uint32_t version; /* 1, 2, 3 */
    bool is_patch;    /* PTCH */
    int numbering;    /* 0 modern (10.8+), 1 9.23-10.7, 2 older */
    rift_str *links;  /* as spelt in the file */
    size_t link_count;
    rift_bin_entry *entries;
    size_t entry_count;
    size_t patch_count;   /* PTCH: patches skipped by size */
    size_t damaged_count; /* entries of the file that are not in `entries` */
} rift_bin;

/* Nothing points into `in` afterwards. `report` may be NULL. */
RIFT_NODISCARD bool
rift_bin_parse(rift_bin *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err);

/* Lookups: the first entry or field counts; NULL when absent. `object` may be NULL. */
const rift_bin_entry *rift_bin_lookup(const rift_bin *bin, uint32_t path);
const rift_bin_value *rift_bin_field_of(const rift_bin_object *object, uint32_t name);

/* Tolerant readers: an OPTION stands for the value it holds (all but rift_bin_items), any integer width is
 * read where an integer is meant, and the default is given when the field is absent, empty or of another
 * kind. A number that is not finite counts as absent. */
double rift_bin_number(const rift_bin_object *object, uint32_t name, double fallback); /* F32, integers */
int64_t rift_bin_integer(const rift_bin_object *object, uint32_t name, int64_t fallback);
bool rift_bin_bool(const rift_bin_object *object, uint32_t name, bool fallback); /* BOOL, FLAG, integers */
rift_str rift_bin_string(const rift_bin_object *object, uint32_t name);          /* empty when absent */
/* HASH or LINK value, or FNV-1a of a STRING that is not empty; 0 when absent. */
uint32_t rift_bin_hash(const rift_bin_object *object, uint32_t name);
/* A path field, which is a FILE since 16.17 and was a STRING before: the hash under which the file stands in
 * an archive (rift_path_hash of a string); 0 when absent or empty. *spelling (may be NULL) is the string,
 * empty for a FILE. */
uint64_t rift_bin_file(const rift_bin_object *object, uint32_t name, rift_str *spelling);
/* The object of an EMBED or POINTER, or NULL. */
const rift_bin_object *rift_bin_object_of(const rift_bin_object *object, uint32_t name);
/* LIST, LIST2: the items; OPTION: none or one; else NULL. *count is set in any case. */
const rift_bin_value *rift_bin_items(const rift_bin_object *object, uint32_t name, size_t *count);
/* MAP: the pairs; else NULL. *count is set in any case. */
const rift_bin_pair *rift_bin_pairs(const rift_bin_object *object, uint32_t name, size_t *count);
/* Components of F32/VEC2/VEC3/VEC4 into out[4], zero-filled; false (out untouched) when absent. */
bool rift_bin_vector(const rift_bin_object *object, uint32_t name, float out[4]);

/* The same for a value in hand: an element of a list, a key or a value of a map. `value` may be NULL. */
double rift_bin_value_number(const rift_bin_value *value, double fallback);
int64_t rift_bin_value_integer(const rift_bin_value *value, int64_t fallback);
bool rift_bin_value_bool(const rift_bin_value *value, bool fallback);
rift_str rift_bin_value_string(const rift_bin_value *value);
uint32_t rift_bin_value_hash(const rift_bin_value *value);
uint64_t rift_bin_value_file(const rift_bin_value *value, rift_str *spelling);
const rift_bin_object *rift_bin_value_object(const rift_bin_value *value);
bool rift_bin_value_vector(const rift_bin_value *value, float out[4]);

#endif
