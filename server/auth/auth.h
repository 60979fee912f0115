/* auth.h - who may do what (A9): bearer tokens with scopes, and signed URLs.
 *
 * Shape   tokens: a line each, "<SHA-256 of the token, 64 hex digits> <scope> [name]"; the token itself is nowhere. Keys: a line each, the bytes
 *         of the line; the first of two is the newer one, both are taken. Blank lines and those that begin with '#' mean nothing.
 *         A signed URL is "<path>?<query with exp=<seconds since 1970>>&sig=<64 hex digits>": sig is the last parameter, the HMAC-SHA-256 of everything
 *         before "&sig=", path included, so that it fits no other path or option.
 * Limits  RIFT_AUTH_MAX_TOKENS, RIFT_AUTH_MAX_KEYS, keys of RIFT_AUTH_MIN_KEY to RIFT_AUTH_MAX_KEY bytes.
 * Errors  ARGUMENT with the line's number; what is secret is not told.
 * Time    of a comparison does not depend on what is compared. */
#ifndef RIFT_AUTH_AUTH_H
#define RIFT_AUTH_AUTH_H

#include "base/arena.h"
#include "hash/hash.h"

#define RIFT_AUTH_MAX_TOKENS 256
#define RIFT_AUTH_MAX_KEYS 2
#define RIFT_AUTH_MIN_KEY 16
#define RIFT_AUTH_MAX_KEY 128
#define RIFT_AUTH_NAME 32

/* Each may do what those before it may. */
typedef enum rift_scope { RIFT_SCOPE_NONE, RIFT_SCOPE_READ, RIFT_SCOPE_SUBMIT, RIFT_SCOPE_ADMIN } rift_scope;
const char *rift_scope_word(rift_scope scope); /* "none", "read" … */

typedef struct rift_token {
    rift_sha256 sha256;
    rift_scope scope;
    char name[RIFT_AUTH_NAME];
} rift_token;

typedef struct rift_signing_key {
    char data[RIFT_AUTH_MAX_KEY];
    size_t size;
} rift_signing_key;

typedef struct rift_auth {
    bool on;          /* without it everybody may do everything */
    bool public_read; /* reading with default options needs no token */
    rift_token tokens[RIFT_AUTH_MAX_TOKENS];
    size_t token_count;
    rift_signing_key keys[RIFT_AUTH_MAX_KEYS];
    size_t key_count;
} rift_auth;

/* Add what the files say to *auth, which is as it was after a failure. A file without any token or key is refused. */
RIFT_NODISCARD bool rift_auth_add_tokens(rift_auth *auth, rift_str text, rift_err *err);
RIFT_NODISCARD bool rift_auth_add_keys(rift_auth *auth, rift_str text, rift_err *err);

/* The token of an Authorization header ("Bearer …"), or NULL. */
const rift_token *rift_auth_bearer(const rift_auth *auth, rift_str authorization);

typedef enum rift_signature {
    RIFT_SIGNATURE_NONE, /* there is no sig */
    RIFT_SIGNATURE_GOOD,
    RIFT_SIGNATURE_BAD,
    RIFT_SIGNATURE_EXPIRED
} rift_signature;

/* Judges a request target as it stood in the request line. *query is its query without exp and sig when there is a sig at the end, else the whole. */
rift_signature
rift_auth_signed(const rift_auth *auth, rift_str target, int64_t now_s, rift_arena *arena, rift_str *query);
/* The digits of sig for a target that ends before "&sig=". */
void rift_auth_sign(const rift_signing_key *key, rift_str target, char out[65]);

#endif
