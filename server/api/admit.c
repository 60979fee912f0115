/* Whether a request is let in: not too often, with a token or a signature where one is needed (A9).
 *
 * Without tokens everybody may do everything (the daemon then listens on this machine only, unless told otherwise). With tokens each resource needs a scope. With
 * auth-public-read reading needs none as long as the options are the default ones, since each other combination makes the machine work for whoever asks. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"

enum { CONTEXT_MAGIC = 0x43545854 };

api_context *api_context_of(const rift_request *req)
{
    api_context *context = req->user;
    RIFT_ASSERT(context != NULL && context->magic == CONTEXT_MAGIC);
    return context;
}

bool api_begin(rift_api *api, rift_request *req)
{
    if (req->user != NULL)
        return true;
    api_context *context = RIFT_NEW(&req->arena, api_context, 1);
    if (context == NULL) {
        req->status = 503; /* the connection closes: an answer would need memory, too */
        rift_request_send(req);
        return false;
    }
    context->magic = CONTEXT_MAGIC;
    context->api = api;
    context->begun_ns = uv_hrtime();
    context->route = API_ROUTES;
    rift_trace_begin(&context->trace, &api->ids, rift_request_header(req, "X-Request-Id"),
                     rift_request_header(req, "Traceparent"));
    req->user = context;
    return true;
}

/* ---- rates ---- */

static bool is_here(const struct sockaddr *peer)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    static const uint8_t own[16] = {[15] = 1};
    static const uint8_t mapped[13] = {[10] = 0xff, [11] = 0xff, [12] = 127};
    if (peer->sa_family == AF_INET) {
        memcpy(&v4, peer, sizeof v4);
        return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
    }
    if (peer->sa_family != AF_INET6)
        return true; /* a socket in the file system */
    memcpy(&v6, peer, sizeof v6);
    return memcmp(v6.sin6_addr.s6_addr, own, sizeof own) == 0 ||
           memcmp(v6.sin6_addr.s6_addr, mapped, sizeof mapped) == 0;
}

/* The last address of a list: the one that the proxy saw itself. */
static bool forwarded_client(rift_str list, uint64_t *client)
{
    char text[INET6_ADDRSTRLEN];
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    rift_str last = {0}, one;
    while (rift_str_next(&list, ",", &one))
        last = one;
    if (last.size == 0 || last.size >= sizeof text)
        return false;
    memcpy(text, last.data, last.size);
    text[last.size] = '\0';
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        *client = rift_client_key((const struct sockaddr *)&v4);
        return true;
    }
    if (inet_pton(AF_INET6, text, &v6.sin6_addr) != 1)
        return false;
    *client = rift_client_key((const struct sockaddr *)&v6);
    return true;
}

/* draft-ietf-httpapi-ratelimit-headers, 10. */
static void put_rate(rift_request *req, const rift_rate *rate)
{
    if (rate->quota == 0)
        return;
    rift_reply_header_add(req, "RateLimit-Policy", "\"client\";q=%llu;w=%llu",
                          (unsigned long long)rate->quota, (unsigned long long)rate->window_s);
    rift_reply_header_add(req, "RateLimit", "\"client\";r=%llu;t=%llu", (unsigned long long)rate->remaining,
                          (unsigned long long)rate->reset_s);
}

/* This machine itself is not limited: whoever works on it, or a proxy that limits for itself. */
static bool keeps_its_rate(rift_api *api, rift_request *req, unsigned *retry_after_s)
{
    const struct sockaddr *peer = rift_request_peer(req);
    uint64_t client;
    if (peer == NULL)
        return true;
    if (!is_here(peer)) {
        client = rift_client_key(peer);
    } else if (!api->limits.forwarded ||
               !forwarded_client(rift_request_header(req, "X-Forwarded-For"), &client)) {
        return true;
    }
    rift_rate rate;
    const bool ok = rift_rates_take(api->rates, client, (int64_t)uv_now(api->config.loop), &rate);
    *retry_after_s = rate.retry_after_s;
    put_rate(req, &rate);
    return ok;
}

/* ---- tokens and signatures ---- */

static rift_scope scope_for(api_access access)
{
    switch (access) {
    case API_OPEN:
        return RIFT_SCOPE_NONE;
    case API_READ:
    case API_PRIVATE:
        return RIFT_SCOPE_READ;
    case API_SUBMIT:
        return RIFT_SCOPE_SUBMIT;
    case API_ADMIN:
        break;
    }
    return RIFT_SCOPE_ADMIN;
}

static bool refuse_token(rift_api *api, rift_request *req, bool is_known, rift_scope needed)
{
    if (is_known) {
        api->metrics.no_scope++;
        api_fail(req, 403, "scope", "this needs a token of scope %s", rift_scope_word(needed));
        return false;
    }
    api->metrics.no_token++;
    const bool has_one = rift_request_header(req, "Authorization").size > 0;
    rift_reply_header_put(req, "WWW-Authenticate", has_one ? "Bearer error=\"invalid_token\"" : "Bearer");
    if (has_one) {
        api_fail(req, 401, "unknown_token", "nobody has this token");
    } else {
        api_fail(req, 401, "token_needed", "this needs a token of scope %s", rift_scope_word(needed));
    }
    return false;
}

static bool refuse_signature(rift_api *api, rift_request *req, rift_signature signature)
{
    api->metrics.bad_signature++;
    if (signature == RIFT_SIGNATURE_EXPIRED) {
        api_fail(req, 403, "signature_expired", "the time of this URL is over");
    } else {
        api_fail(req, 403, "bad_signature", "the signature is not of this URL");
    }
    return false;
}

static bool check_token(rift_api *api, rift_request *req, api_access access, bool is_signed)
{
    const rift_auth *auth = api->config.auth;
    api_context *context = api_context_of(req);
    const rift_str authorization = rift_request_header(req, "Authorization");
    const rift_token *token = rift_auth_bearer(auth, authorization);
    const rift_scope needed = scope_for(access);
    context->token = token != NULL ? token->name : NULL;
    context->is_private |= !auth->public_read || access != API_READ || token != NULL;
    if (token != NULL && token->scope >= needed)
        return true;
    if (access != API_READ || (authorization.size > 0 && token == NULL))
        return refuse_token(api, req, token != NULL, needed);
    if (is_signed)
        return true;
    if (!auth->public_read)
        return refuse_token(api, req, token != NULL, needed);
    context->default_only = true;
    return true;
}

bool api_admit(rift_api *api, rift_request *req, api_access access)
{
    const rift_auth *auth = api->config.auth;
    unsigned retry_after_s = 1;
    rift_str query = {0};
    if (access == API_OPEN)
        return true;
    if (!keeps_its_rate(api, req, &retry_after_s)) {
        api->metrics.over_rate++;
        api_problem_send(req, &(api_problem){.status = 429,
                                             .code = "over_rate",
                                             .detail = "too many requests of one client",
                                             .retryable = true,
                                             .retry_after_s = retry_after_s});
        return false;
    }
    if (!auth->on && auth->key_count == 0)
        return true;
    const bool may_be_signed = access == API_READ; /* only GET and HEAD are */
    const rift_signature signature =
        may_be_signed ? rift_auth_signed(auth, req->target, rift_now_ms() / 1000, &req->arena, &query)
                      : RIFT_SIGNATURE_NONE;
    if (signature == RIFT_SIGNATURE_BAD || signature == RIFT_SIGNATURE_EXPIRED)
        return refuse_signature(api, req, signature);
    if (signature == RIFT_SIGNATURE_GOOD) {
        req->query = query;
        api_context_of(req)->is_private = true; /* its time ends, and a cache would not see that */
    }
    return !auth->on || check_token(api, req, access, signature == RIFT_SIGNATURE_GOOD);
}

bool api_may_choose(rift_request *req)
{
    if (!api_context_of(req)->default_only)
        return true;
    rift_reply_header_put(req, "WWW-Authenticate", "Bearer");
    api_fail(req, 401, "token_needed", "options that are not the default ones need a token or a signed URL");
    return false;
}

bool api_may_enter(const rift_api *api, const rift_request *req, api_access access)
{
    const rift_auth *auth = api->config.auth;
    const rift_token *token =
        auth->on ? rift_auth_bearer(auth, rift_request_header(req, "Authorization")) : NULL;
    return !auth->on || (token != NULL && token->scope >= scope_for(access));
}
