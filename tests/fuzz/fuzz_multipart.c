/* Any bytes as a multipart body: the first line is the Content-Type. Parts lie in the body, in order. */
#include <string.h>

#include "body/multipart.h"
#include "fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_PARTS = 8 };
    fuzz_job job;
    rift_multipart parts;
    fuzz_begin(&job);
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    const size_t line = end != NULL ? (size_t)(end - data) : size;
    const rift_bytes body = {data + line + (end != NULL), size - line - (end != NULL)};
    const bool ok = rift_multipart_parse(&parts, (rift_str){(const char *)data, line}, body, MAX_PARTS,
                                         &job.arena, &job.err);
    fuzz_check_result(ok, &job.err, body.size);
    const uint8_t *at = body.data;
    for (size_t i = 0; ok && i < parts.count; i++) {
        const rift_form_part *p = &parts.parts[i];
        fuzz_require(p->data.data >= at && p->data.data + p->data.size <= body.data + body.size);
        fuzz_require(p->name.size > 0 && p->name.size <= RIFT_MULTIPART_MAX_NAME &&
                     p->file.size <= RIFT_MULTIPART_MAX_NAME);
        at = p->data.data + p->data.size;
    }
    fuzz_require(!ok || parts.count <= MAX_PARTS);
    rift_arena_release(&job.arena);
    return 0;
}
