/* json_text.h - text from outside as a cJSON tree: checked before cJSON, which recurses, sees it.
 *
 * Checks  UTF-8, no NUL (escaped ones too), depth, nothing but blanks behind the value.
 * Errors  ARGUMENT; NOMEM is told as "is no JSON", since cJSON does not tell them apart. */
#ifndef RIFT_TIMELINE_JSON_TEXT_H
#define RIFT_TIMELINE_JSON_TEXT_H

#include "base/err.h"

struct cJSON;

/* The caller deletes the tree. `where` names the text in errors. NULL on failure. */
struct cJSON *rift_json_tree(rift_bytes text, unsigned max_depth, const char *where, rift_err *err);

#endif
