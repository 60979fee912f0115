#include "timeline/json_text.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "base/str.h"

/* Brackets inside strings do not count. */
static bool check_text(rift_bytes text, unsigned max_depth, const char *where, rift_err *err)
{
    unsigned depth = 0;
    bool in_string = false;
    if (!rift_str_is_utf8((rift_str){(const char *)text.data, text.size}))
        return rift_fail(err, RIFT_ERR_ARGUMENT, where, RIFT_NO_OFFSET, "is not UTF-8");
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t c = text.data[i];
        if (c == 0)
            return rift_fail(err, RIFT_ERR_ARGUMENT, where, i, "holds a NUL");
        if (in_string && c == '\\') {
            if (text.size - i > 5 && memcmp(text.data + i, "\\u0000", 6) == 0)
                return rift_fail(err, RIFT_ERR_ARGUMENT, where, i, "holds a NUL");
            i++;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '{' || c == '[')) {
            if (++depth > max_depth)
                return rift_fail(err, RIFT_ERR_ARGUMENT, where, i, "nests deeper than %u", max_depth);
        } else if (!in_string && (c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return true;
}

static bool only_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at == end;
}

struct cJSON *rift_json_tree(rift_bytes text, unsigned max_depth, const char *where, rift_err *err)
{
    if (!check_text(text, max_depth, where, err))
        return NULL;
    const char *begin = text.size > 0 ? (const char *)text.data : "";
    const char *end = NULL;
    cJSON *root = cJSON_ParseWithLengthOpts(begin, text.size, &end, 0);
    if (root != NULL && only_blanks(end, begin + text.size))
        return root;
    (void)rift_fail(err, RIFT_ERR_ARGUMENT, where, RIFT_NO_OFFSET, "is no JSON");
    cJSON_Delete(root);
    return NULL;
}
