/* multipart.h - a multipart/form-data body, cut into its parts (RFC 7578, RFC 2046 5.1).
 *
 * Shape   views into the body, which must outlive them. A part is named by its Content-Disposition; other headers of a part are passed over. Line ends are CRLF; what stands
 *         before the first boundary and behind the last is passed over.
 * Limits  max_parts; names of RIFT_MULTIPART_MAX_NAME bytes, of parts and of files; RIFT_MULTIPART_MAX_HEADER bytes of headers a part; boundaries of 70 bytes.
 * Errors  ARGUMENT: what is wrong, and at which byte; LIMIT for too many parts. */
#ifndef RIFT_BODY_MULTIPART_H
#define RIFT_BODY_MULTIPART_H

#include "base/arena.h"

#define RIFT_MULTIPART_MAX_NAME 255
#define RIFT_MULTIPART_MAX_HEADER 4096

typedef struct rift_form_part {
    rift_str name;
    rift_str file; /* base name of filename; empty without one */
    rift_bytes data;
} rift_form_part;

typedef struct rift_multipart {
    rift_form_part *parts; /* in the order of the body */
    size_t count;
} rift_multipart;

/* `content_type`: the request's header, with its boundary. */
RIFT_NODISCARD bool rift_multipart_parse(rift_multipart *out,
                                         rift_str content_type,
                                         rift_bytes body,
                                         size_t max_parts,
                                         rift_arena *arena,
                                         rift_err *err);

#endif
