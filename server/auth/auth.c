#include "auth/auth.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "base/str.h"

static const char *const words[] = {"none", "read", "submit", "admin"};

const char *rift_scope_word(rift_scope scope)
{
    return (size_t)scope < RIFT_COUNT(words) ? words[scope] : "none";
}

/* ---- files ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next line that means something, without blanks around it. */
static bool next_line(rift_str *rest, unsigned *number, rift_str *line)
{
    while (rest->size > 0) {
        const char *end = memchr(rest->data, '\n', rest->size);
        *line = (rift_str){rest->data, end != NULL ? (size_t)(end - rest->data) : rest->size};
        const size_t step = line->size + (end != NULL);
        rest->data += step;
        rest->size -= step;
        ++*number;
        while (line->size > 0 && is_blank(line->data[line->size - 1]))
            line->size--;
        while (line->size > 0 && is_blank(line->data[0])) {
            line->data++;
            line->size--;
        }
        if (line->size > 0 && line->data[0] != '#')
            return true;
    }
    return false;
}

static bool read_digest(rift_str digits, uint8_t out[32])
{
    if (digits.size != 64)
        return false;
    for (size_t i = 0; i < 32; i++) {
        uint64_t byte;
        if (digits.data[2 * i + 1] == 'x' || digits.data[2 * i + 1] == 'X' ||
            !rift_str_hex((rift_str){digits.data + 2 * i, 2}, &byte))
            return false;
        out[i] = (uint8_t)byte;
    }
    return true;
}

static bool read_scope(rift_str word, rift_scope *out)
{
    for (size_t i = RIFT_SCOPE_READ; i < RIFT_COUNT(words); i++) {
        *out = (rift_scope)i;
        if (rift_str_eq(word, rift_str_c(words[i])))
            return true;
    }
    return false;
}

static bool read_token(rift_str line, rift_token *out)
{
    rift_str digits, scope, name = {0};
    rift_token token = {0};
    if (!rift_str_next(&line, " \t", &digits) || !rift_str_next(&line, " \t", &scope) ||
        !read_digest(digits, token.sha256.bytes) || !read_scope(scope, &token.scope))
        return false;
    if (rift_str_next(&line, " \t", &name)) {
        const size_t size = name.size < sizeof token.name ? name.size : sizeof token.name - 1;
        memcpy(token.name, name.data, size);
    }
    *out = token;
    return true;
}

bool rift_auth_add_tokens(rift_auth *auth, rift_str text, rift_err *err)
{
    size_t count = auth->token_count;
    unsigned number = 0;
    rift_str line;
    while (next_line(&text, &number, &line)) {
        if (count == RIFT_AUTH_MAX_TOKENS) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, "tokens", RIFT_NO_OFFSET, "more than %d",
                             RIFT_AUTH_MAX_TOKENS);
        }
        if (!read_token(line, &auth->tokens[count++])) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, "tokens", RIFT_NO_OFFSET,
                             "line %u is no \"<64 hex digits> read|submit|admin [name]\"", number);
        }
    }
    if (count == auth->token_count)
        return rift_fail(err, RIFT_ERR_ARGUMENT, "tokens", RIFT_NO_OFFSET, "there is none in the file");
    auth->token_count = count;
    auth->on = true;
    return true;
}

bool rift_auth_add_keys(rift_auth *auth, rift_str text, rift_err *err)
{
    size_t count = auth->key_count;
    unsigned number = 0;
    rift_str line;
    while (next_line(&text, &number, &line)) {
        if (count == RIFT_AUTH_MAX_KEYS) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, "signing keys", RIFT_NO_OFFSET, "more than %d",
                             RIFT_AUTH_MAX_KEYS);
        }
        if (line.size < RIFT_AUTH_MIN_KEY || line.size > RIFT_AUTH_MAX_KEY) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, "signing keys", RIFT_NO_OFFSET,
                             "line %u has not %d to %d bytes", number, RIFT_AUTH_MIN_KEY, RIFT_AUTH_MAX_KEY);
        }
        memcpy(auth->keys[count].data, line.data, line.size);
        auth->keys[count++].size = line.size;
    }
    if (count == auth->key_count)
        return rift_fail(err, RIFT_ERR_ARGUMENT, "signing keys", RIFT_NO_OFFSET, "there is none in the file");
    auth->key_count = count;
    return true;
}

/* ---- tokens ---- */

const rift_token *rift_auth_bearer(const rift_auth *auth, rift_str authorization)
{
    static const rift_str scheme = {"Bearer ", 7};
    if (!rift_str_starts_nocase(authorization, scheme) || authorization.size == scheme.size)
        return NULL;
    const rift_sha256 sha = rift_sha256_of(
        (rift_bytes){(const uint8_t *)authorization.data + scheme.size, authorization.size - scheme.size});
    const rift_token *found = NULL;
    for (size_t i = 0; i < auth->token_count; i++) {
        if (CRYPTO_memcmp(auth->tokens[i].sha256.bytes, sha.bytes, sizeof sha.bytes) == 0)
            found = &auth->tokens[i];
    }
    return found;
}

/* ---- signatures ---- */

void rift_auth_sign(const rift_signing_key *key, rift_str target, char out[65])
{
    rift_sha256 mac = {{0}};
    unsigned size = sizeof mac.bytes;
    (void)HMAC(EVP_sha256(), key->data, (int)key->size, (const unsigned char *)target.data, target.size,
               mac.bytes, &size);
    rift_sha256_hex(&mac, out);
}

static bool is_signed_by(const rift_signing_key *key, rift_str target, const uint8_t mac[32])
{
    char digits[65];
    uint8_t want[32] = {0};
    rift_auth_sign(key, target, digits);
    return read_digest((rift_str){digits, 64}, want) && CRYPTO_memcmp(want, mac, sizeof want) == 0;
}

/* The query without its exp parameters; false unless there is exactly one, a number. */
static bool take_expiry(rift_str query, rift_arena *arena, rift_str *rest, uint64_t *expiry)
{
    static const rift_str name = {"exp=", 4};
    char *out = rift_arena_push(arena, query.size + 1, 1, 1);
    size_t size = 0;
    unsigned found = 0;
    bool sound = out != NULL;
    rift_str pair;
    while (sound && rift_str_next(&query, "&", &pair)) {
        if (pair.size >= name.size && memcmp(pair.data, name.data, name.size) == 0) {
            found++;
            sound = rift_str_u64((rift_str){pair.data + name.size, pair.size - name.size}, INT64_MAX, expiry);
            continue;
        }
        if (size > 0)
            out[size++] = '&';
        memcpy(out + size, pair.data, pair.size);
        size += pair.size;
    }
    *rest = (rift_str){out, size};
    return sound && found == 1;
}

rift_signature
rift_auth_signed(const rift_auth *auth, rift_str target, int64_t now_s, rift_arena *arena, rift_str *query)
{
    enum { TAIL = 5 + 64 }; /* "&sig=" and the digits */
    uint8_t mac[32];
    uint64_t expiry = 0;
    const char *mark = target.size > 0 ? memchr(target.data, '?', target.size) : NULL;
    *query = (rift_str){0};
    if (mark == NULL)
        return RIFT_SIGNATURE_NONE;
    const size_t start = (size_t)(mark + 1 - target.data);
    *query = (rift_str){mark + 1, target.size - start};
    if (query->size < TAIL || memcmp(target.data + target.size - TAIL, "&sig=", 5) != 0)
        return memmem(query->data, query->size, "sig=", 4) != NULL ? RIFT_SIGNATURE_BAD : RIFT_SIGNATURE_NONE;
    const rift_str text = {target.data, target.size - TAIL};
    if (!read_digest((rift_str){target.data + target.size - 64, 64}, mac) ||
        !take_expiry((rift_str){mark + 1, text.size - start}, arena, query, &expiry))
        return RIFT_SIGNATURE_BAD;
    bool good = false;
    for (size_t i = 0; i < auth->key_count; i++)
        good |= is_signed_by(&auth->keys[i], text, mac);
    if (!good)
        return RIFT_SIGNATURE_BAD;
    return now_s <= (int64_t)expiry ? RIFT_SIGNATURE_GOOD : RIFT_SIGNATURE_EXPIRED;
}
