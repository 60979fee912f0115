/* server.h - libmicrohttpd inside the libuv loop: connections, deadlines, requests and replies.
 *
 * Shape   one thread, the loop's. `handle` gets a whole request (guarded, body read) and either answers with rift_request_send before it returns, or later:
 *         the connection is suspended meanwhile. A suspended connection sees neither timeout nor its client's leaving, so whoever keeps a request owes
 *         it an answer within a bounded time.
 *         A stream's client that leaves is noticed within half a second.
 * Limits  rift_http_config. Deadlines are kept by shutdown(2): libmicrohttpd's own timeout counts silence only.
 * Memory  everything of a request is in req->arena and gone when the reply is sent. */
#ifndef RIFT_HTTP_SERVER_H
#define RIFT_HTTP_SERVER_H

#include <sys/socket.h>
#include <uv.h>

#include "base/buf.h"

typedef struct rift_http rift_http;

#define RIFT_REPLY_MAX_HEADERS 28

typedef struct rift_reply_header {
    const char *name; /* a literal */
    rift_str value;   /* NUL-terminated, in the request's arena */
} rift_reply_header;

/* A body that comes piece by piece, for as long as it takes. */
typedef struct rift_stream {
    /* Copies what there is now. 0: nothing, and the connection sleeps until rift_request_wake; less: that was all. */
    ssize_t (*read)(void *user, char *to, size_t size);
    void (*closed)(void *user); /* the reply is over, however it ended */
    void *user;
} rift_stream;

typedef struct rift_request {
    uint32_t magic;
    rift_http *http;
    void *connection; /* struct MHD_Connection */
    rift_arena arena;
    rift_str method;
    rift_str target; /* raw */
    rift_str path;   /* decoded, NUL-terminated */
    rift_str query;  /* raw */
    rift_bytes body;
    int64_t begun_ms; /* uv_now */
    void *user;       /* the handler's */
    /* the answer */
    unsigned status;
    rift_reply_header headers[RIFT_REPLY_MAX_HEADERS];
    size_t header_count;
    rift_bytes reply_body;
    int fd; /* -1: reply_body; else closed when sent */
    uint64_t file_offset;
    uint64_t file_size;        /* with a 304 and no file: what a 200 would have had */
    const rift_stream *stream; /* NULL, or instead of the bodies above */
    /* private */
    struct {
        int state;
        rift_buf body; /* what has come of it */
        bool is_head;
        bool asleep, gone; /* of a stream: waits to be woken; its client left */
        const char *refusal;
    } own;
} rift_request;

typedef struct rift_http_config {
    uv_loop_t *loop;
    struct sockaddr_storage address;
    socklen_t address_size;
    bool has_listener; /* then `listener` listens already and is ours from now on; address is not looked at */
    int listener;
    unsigned connections, connections_per_address;
    int64_t header_deadline_ms, body_deadline_ms;
    unsigned idle_s;
    size_t body_bytes;
    void (*handle)(void *user, rift_request *req);
    /* May be NULL. After the headers, before the body: how large it may be. */
    size_t (*body_limit)(void *user, rift_request *req);
    /* May be NULL. A request whose `user` is set is over, however it ended. */
    void (*ended)(void *user, rift_request *req);
    /* A request that may not be handled: status 400 or 413, and why. Must answer at once. */
    void (*refuse)(void *user, rift_request *req, unsigned status, const char *why);
    void *user;
} rift_http_config;

RIFT_NODISCARD bool rift_http_start(rift_http **out, const rift_http_config *config, rift_err *err);
/* Limits that may change while it runs; they hold for requests under way too. */
void rift_http_set_limits(rift_http *http,
                          int64_t header_deadline_ms,
                          int64_t body_deadline_ms,
                          size_t body_bytes);
/* "127.0.0.1:41234", "unix:/run/x": where it listens really. */
const char *rift_http_address(const rift_http *http);
/* Refuses new connections, closes idle ones and lets each of the others send one more answer. */
void rift_http_drain(rift_http *http);
bool rift_http_is_draining(const rift_http *http);
size_t rift_http_connection_count(const rift_http *http);
/* Cuts every connection. */
void rift_http_cut(rift_http *http);
/* Ends it; no request may be suspended. The memory is freed once the loop has closed its handles. */
void rift_http_close(rift_http *http);

/* ---- for handlers ---- */

/* The value of a request header, in any case of its name; the first when repeated. Empty when absent. */
rift_str rift_request_header(const rift_request *req, const char *name);
void rift_reply_header_add(rift_request *req, const char *name, const char *format, ...) RIFT_PRINTF(3, 4);
/* A value that is NUL-terminated and outlives the request: a literal, or in its arena. */
void rift_reply_header_put(rift_request *req, const char *name, const char *value);
/* Where the request came from; NULL when that is not known. */
const struct sockaddr *rift_request_peer(const rift_request *req);
/* status and body are set by now; headers are added. After this the request is not the handler's any more. */
void rift_request_send(rift_request *req);
/* A stream has more to say, or ends. */
void rift_request_wake(rift_request *req);

#endif
