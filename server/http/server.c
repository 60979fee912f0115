/* libmicrohttpd runs in external-epoll mode: its epoll descriptor in a uv_poll, its timeout asked for before the loop
 * sleeps. MHD_OPTION_SIGPIPE_HANDLED_BY_APP keeps sendfile on. A request is made in the URI callback, the only
 * place that sees the raw target, and travels as MHD's per-request pointer. */
#include "http/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "config/limits.h"
#include "http/fields.h"
#include "http/guard.h"
#include "http/linger.h"
#include "http/tcp.h"

enum {
    REQUEST_MAGIC = 0x52515354,
    CONN_MAGIC = 0x434f4e4e,
    TICK_MS = 250,
    LISTEN_BACKLOG = 511,
    STREAM_BLOCK = 4096,
    REFUSAL_BYTES = 16 * 1024,
    TURN_NS = 1000000
};

typedef enum conn_state {
    CONN_HEADER, /* waits for, or reads, a request's headers */
    CONN_BODY,
    CONN_BUSY, /* handled or answered */
    CONN_IDLE  /* between requests */
} conn_state;

typedef struct conn {
    uint32_t magic;
    rift_http *http;
    int fd;
    conn_state state;
    int64_t since_ms;
    uint64_t bytes;       /* received when it became idle */
    bool lingers;         /* was answered before its request was read */
    bool ended;           /* the last look found the peer's end */
    rift_request *stream; /* what it is answered with, when that is a stream */
    struct conn *prev, *next;
} conn;

enum { STATE_RECEIVING, STATE_HANDLING, STATE_WAITING, STATE_READY, STATE_QUEUED };

struct rift_http {
    rift_http_config config;
    struct MHD_Daemon *daemon;
    uv_poll_t poll;
    uv_prepare_t prepare;
    uv_timer_t wake, tick;
    unsigned handles; /* still open */
    char address[80];
    conn *conns;
    size_t conn_count;
    rift_lingers lingers;
    bool draining, closing;
    bool resumed; /* a connection waits for MHD_run to see that it is resumed */
};

/* ---- connections ---- */

static void set_state(conn *c, conn_state state)
{
    if (c == NULL)
        return;
    c->state = state;
    c->since_ms = (int64_t)uv_now(c->http->config.loop);
    if (state == CONN_IDLE)
        c->bytes = rift_tcp_look(c->fd).received;
}

/* A stream that sleeps has to be woken to see it. */
static void cut(const conn *c)
{
    (void)shutdown(c->fd, SHUT_RDWR);
    if (c->stream != NULL) {
        c->stream->own.gone = true;
        rift_request_wake(c->stream);
    }
}

static void on_connection(void *cls,
                          struct MHD_Connection *connection,
                          void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    rift_http *http = cls;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        conn *c = calloc(1, sizeof *c);
        *context = c;
        if (c == NULL)
            return; /* served without deadlines, or refused with its first request */
        RIFT_ASSERT(info != NULL);
        *c = (conn){.magic = CONN_MAGIC, .http = http, .fd = info->connect_fd, .next = http->conns};
        if (http->conns != NULL)
            http->conns->prev = c;
        http->conns = c;
        http->conn_count++;
        set_state(c, CONN_HEADER);
        return;
    }
    conn *c = *context;
    *context = NULL;
    if (c == NULL)
        return;
    RIFT_ASSERT(c->magic == CONN_MAGIC);
    if (c->prev != NULL) {
        c->prev->next = c->next;
    } else {
        http->conns = c->next;
    }
    if (c->next != NULL)
        c->next->prev = c->prev;
    http->conn_count--;
    if (c->lingers && !http->closing)
        rift_linger_start(&http->lingers, c->fd);
    free(c);
}

static conn *conn_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    conn *c = info != NULL ? info->socket_context : NULL;
    RIFT_ASSERT(c == NULL || c->magic == CONN_MAGIC);
    return c;
}

/* A sendfile that was cut short, since the process was stopped or frozen, is a full socket to libmicrohttpd: it waits for room in one that never was full, until it is
 * told again that there is some.
 *
 * An idle connection that has received more bytes is reading headers: libmicrohttpd tells nobody before they are whole. And a peer's end that came together with
 * its last bytes is never seen by libmicrohttpd, whose edge-triggered reading stops at a short read: such a request cannot become whole. Two looks, since bytes may
 * lie in a buffer at the first. */
static void check_deadline(rift_http *http, conn *c, int64_t now)
{
    if (c->state == CONN_BUSY && c->stream == NULL) {
        rift_tcp_nudge(c->fd);
        return;
    }
    const rift_tcp_state tcp = rift_tcp_look(c->fd);
    const bool gone = tcp.ended && c->ended;
    c->ended = tcp.ended;
    if (c->stream != NULL) {
        if (gone)
            cut(c);
        return;
    }
    if (c->state == CONN_IDLE && tcp.received > c->bytes)
        set_state(c, CONN_HEADER);
    const int64_t limit = c->state == CONN_HEADER ? http->config.header_deadline_ms
                          : c->state == CONN_BODY ? http->config.body_deadline_ms
                                                  : INT64_MAX;
    if (gone || now - c->since_ms >= limit || (c->state == CONN_IDLE && http->draining))
        cut(c);
}

static void run(rift_http *http);

/* When descriptors run out libmicrohttpd takes no more connections, and begins again when it is next run after one of them has ended: with the last
 * of them nothing comes that would make it run. */
static void on_tick(uv_timer_t *timer)
{
    rift_http *http = timer->data;
    const int64_t now = (int64_t)uv_now(http->config.loop);
    for (conn *c = http->conns; c != NULL; c = c->next)
        check_deadline(http, c, now);
    rift_linger_tick(&http->lingers);
    run(http);
}

void rift_http_set_limits(rift_http *http,
                          int64_t header_deadline_ms,
                          int64_t body_deadline_ms,
                          size_t body_bytes)
{
    http->config.header_deadline_ms = header_deadline_ms;
    http->config.body_deadline_ms = body_deadline_ms;
    http->config.body_bytes = body_bytes;
}

/* ---- requests ---- */

static rift_request *request_of(void *pointer)
{
    rift_request *req = pointer;
    RIFT_ASSERT(req->magic == REQUEST_MAGIC);
    return req;
}

static void end_stream(rift_request *req, conn *c)
{
    if (c != NULL)
        c->stream = NULL;
    if (req->stream != NULL)
        req->stream->closed(req->stream->user);
}

/* libmicrohttpd is not shown the query, which is ours to read: it would put down each parameter in the connection's memory, and past some 230 of them it neither
 * answers nor closes. The target stands in its buffer, which it goes on to read after this. */
static void hide_query(const char *target)
{
    const char *query = strchr(target, '?');
    if (query != NULL) {
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): takes back a const */
        *(char *)(uintptr_t)(query + 1) = '\0';
    }
}

static void *on_target(void *cls, const char *target, struct MHD_Connection *connection)
{
    rift_http *http = cls;
    rift_request *req = calloc(1, sizeof *req);
    if (req == NULL)
        return NULL;
    req->magic = REQUEST_MAGIC;
    req->http = http;
    req->connection = connection;
    req->fd = -1;
    req->begun_ms = (int64_t)uv_now(http->config.loop);
    rift_arena_init(&req->arena, RIFT_LIMIT_REQUEST_ARENA);
    req->target = rift_arena_copy_str(&req->arena, rift_str_c(target));
    hide_query(target);
    return req;
}

static void on_completed(void *cls,
                         struct MHD_Connection *connection,
                         void **context,
                         enum MHD_RequestTerminationCode code)
{
    (void)cls;
    (void)code;
    if (*context != NULL) {
        rift_request *req = request_of(*context);
        *context = NULL;
        RIFT_ASSERT(req->own.state != STATE_WAITING);
        if (req->user != NULL && req->http->config.ended != NULL)
            req->http->config.ended(req->http->config.user, req);
        end_stream(req, conn_of(connection));
        if (req->fd >= 0)
            (void)close(req->fd);
        rift_arena_release(&req->arena);
        req->magic = 0;
        free(req);
    }
    set_state(conn_of(connection), CONN_IDLE);
}

static enum MHD_Result on_header(void *cls,
                                 enum MHD_ValueKind kind,
                                 const char *name,
                                 size_t name_size,
                                 const char *value,
                                 size_t value_size)
{
    (void)kind;
    rift_guard_header(cls, (rift_str){name, name_size}, (rift_str){value, value_size});
    return MHD_YES;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libmicrohttpd's shape of a reader */
static ssize_t no_bytes(void *cls, uint64_t at, char *to, size_t size)
{
    (void)cls;
    (void)at;
    (void)to;
    (void)size;
    return MHD_CONTENT_READER_END_OF_STREAM;
}

static ssize_t read_stream(void *cls, uint64_t at, char *to, size_t size)
{
    (void)at;
    rift_request *req = request_of(cls);
    if (req->own.gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    const ssize_t n = req->stream->read(req->stream->user, to, size);
    if (n < 0)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (n == 0) {
        req->own.asleep = true;
        MHD_suspend_connection(req->connection);
    }
    return n;
}

void rift_request_wake(rift_request *req)
{
    if (!req->own.asleep)
        return;
    req->own.asleep = false;
    MHD_resume_connection(req->connection);
    req->http->resumed = true;
}

static struct MHD_Response *make_response(rift_request *req)
{
    if (req->stream != NULL)
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, req, NULL);
    /* A 304 tells the length of the 200, or none (RFC 9110, 8.6). libmicrohttpd always writes one, and reads no body. */
    if (req->status == MHD_HTTP_NOT_MODIFIED)
        return MHD_create_response_from_callback(req->file_size, 1, no_bytes, NULL, NULL);
    if (req->fd < 0) {
        /* The arena outlives the response, and libmicrohttpd does not write to what is persistent. */
        return MHD_create_response_from_buffer(
            req->reply_body.size,
            /* NOLINTNEXTLINE(performance-no-int-to-ptr): takes back a const */
            req->reply_body.size > 0 ? (void *)(uintptr_t)req->reply_body.data : NULL,
            MHD_RESPMEM_PERSISTENT);
    }
    struct MHD_Response *response =
        MHD_create_response_from_fd_at_offset64(req->file_size, req->fd, req->file_offset);
    if (response != NULL)
        req->fd = -1; /* the response's now */
    return response;
}

static enum MHD_Result queue(rift_request *req, struct MHD_Connection *connection)
{
    struct MHD_Response *response = make_response(req);
    if (response == NULL || req->arena.failed != RIFT_OK) {
        if (response != NULL)
            MHD_destroy_response(response);
        return MHD_NO;
    }
    bool ok = true;
    for (size_t i = 0; i < req->header_count; i++) {
        ok = ok &&
             MHD_add_response_header(response, req->headers[i].name, req->headers[i].value.data) == MHD_YES;
    }
    if (req->http->draining || req->own.refusal != NULL)
        ok = ok && MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES;
    req->own.state = STATE_QUEUED;
    conn *c = conn_of(connection);
    if (c != NULL && req->stream != NULL)
        c->stream = req;
    const enum MHD_Result result = ok ? MHD_queue_response(connection, req->status, response) : MHD_NO;
    MHD_destroy_response(response);
    return result;
}

static void refuse(rift_request *req, unsigned status, const char *why)
{
    req->own.refusal = why;
    req->own.state = STATE_HANDLING;
    req->http->config.refuse(req->http->config.user, req, status, why);
    RIFT_ASSERT(req->own.state == STATE_READY);
}

/* In front of the body, which libmicrohttpd will not read then. */
static enum MHD_Result
refuse_early(rift_request *req, struct MHD_Connection *connection, unsigned status, const char *why)
{
    conn *c = conn_of(connection);
    if (c != NULL)
        c->lingers = true;
    refuse(req, status, why);
    return queue(req, connection);
}

static rift_bytes print_answer(rift_request *req)
{
    rift_buf out;
    char date[RIFT_HTTP_DATE_SIZE];
    rift_http_date((int64_t)time(NULL), date);
    rift_buf_init(&out, &req->arena, REFUSAL_BYTES);
    rift_buf_printf(&out, "HTTP/1.1 %u %s\r\nDate: %s\r\nConnection: close\r\nContent-Length: %zu\r\n",
                    req->status, MHD_get_reason_phrase_for(req->status), date, req->reply_body.size);
    for (size_t i = 0; i < req->header_count; i++)
        rift_buf_printf(&out, "%s: %s\r\n", req->headers[i].name, req->headers[i].value.data);
    rift_buf_str(&out, RIFT_STR("\r\n"));
    if (!req->own.is_head)
        rift_buf_put(&out, req->reply_body.data, req->reply_body.size);
    return out.failed ? (rift_bytes){0} : rift_buf_bytes(&out);
}

/* Amid a body of unknown length. libmicrohttpd takes no answer there; but it has nothing of its own to send either, so this one goes past it, into the empty buffer of
 * the socket, and the connection is closed. */
static enum MHD_Result refuse_amid(rift_request *req, struct MHD_Connection *connection)
{
    conn *c = conn_of(connection);
    if (c == NULL)
        return MHD_NO;
    refuse(req, 413, "body over the limit");
    const rift_bytes answer = print_answer(req);
    (void)!send(c->fd, answer.data, answer.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    c->lingers = true;
    return MHD_NO;
}

static bool split_target(rift_request *req)
{
    char path[RIFT_LIMIT_PATH_BYTES];
    if (!rift_target_path(req->target, path, sizeof path))
        return false;
    req->path = rift_arena_copy_str(&req->arena, rift_str_c(path));
    req->query = rift_target_query(req->target);
    return true;
}

static enum MHD_Result
begin(rift_request *req, struct MHD_Connection *connection, const char *method, const char *version)
{
    rift_guard guard = {0};
    req->method = rift_arena_copy_str(&req->arena, rift_str_c(method));
    req->own.is_head = strcmp(method, "HEAD") == 0;
    (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, on_header, &guard);
    const char *why = rift_guard_target(req->target);
    if (why == NULL)
        why = rift_guard_finish(&guard, strcmp(version, "HTTP/1.1") == 0);
    if (why == NULL && req->target.size > RIFT_LIMIT_TARGET_BYTES)
        why = "target too long";
    if (why == NULL && !split_target(req))
        why = "path too long";
    if (why != NULL)
        return refuse_early(req, connection, 400, why);
    const rift_http_config *config = &req->http->config;
    const size_t limit =
        config->body_limit != NULL ? config->body_limit(config->user, req) : config->body_bytes;
    req->arena.limit += limit; /* on top of what handling it takes */
    if (guard.length > limit)
        return refuse_early(req, connection, 413, "body over the limit");
    set_state(conn_of(connection), guard.has_body ? CONN_BODY : CONN_BUSY);
    rift_buf_init(&req->own.body, &req->arena, guard.lengths == 1 ? (size_t)guard.length : limit);
    req->own.state = STATE_HANDLING;
    return MHD_YES;
}

/* False: it is over the limit. */
static bool take_body(rift_request *req, const char *data, size_t size)
{
    rift_buf *body = &req->own.body;
    if (size > body->max - body->size)
        return false;
    rift_buf_put(body, data, size);
    return true;
}

static enum MHD_Result handle(rift_request *req, struct MHD_Connection *connection)
{
    rift_http *http = req->http;
    if (req->arena.failed != RIFT_OK)
        return MHD_NO;
    set_state(conn_of(connection), CONN_BUSY);
    req->body = rift_buf_bytes(&req->own.body);
    http->config.handle(http->config.user, req);
    if (req->own.state == STATE_READY)
        return queue(req, connection);
    req->own.state = STATE_WAITING;
    MHD_suspend_connection(connection);
    return MHD_YES;
}

static enum MHD_Result on_access(void *cls,
                                 struct MHD_Connection *connection,
                                 const char *url,
                                 const char *method,
                                 const char *version,
                                 const char *upload,
                                 size_t *upload_size,
                                 void **context)
{
    (void)cls;
    (void)url;
    if (*context == NULL)
        return MHD_NO; /* out of memory: the connection closes */
    rift_request *req = request_of(*context);
    if (req->own.state == STATE_RECEIVING)
        return begin(req, connection, method, version);
    if (*upload_size > 0) {
        if (!take_body(req, upload, *upload_size))
            return refuse_amid(req, connection);
        *upload_size = 0;
        return MHD_YES;
    }
    if (req->own.state == STATE_READY)
        return queue(req, connection);
    return handle(req, connection);
}

rift_str rift_request_header(const rift_request *req, const char *name)
{
    return rift_str_c(MHD_lookup_connection_value(req->connection, MHD_HEADER_KIND, name));
}

void rift_reply_header_add(rift_request *req, const char *name, const char *format, ...)
{
    RIFT_ASSERT(req->header_count < RIFT_REPLY_MAX_HEADERS);
    char text[2048];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    RIFT_ASSERT(length >= 0);
    const rift_str value = rift_arena_copy_str(&req->arena, rift_str_c(text));
    if (value.data != NULL)
        req->headers[req->header_count++] = (rift_reply_header){.name = name, .value = value};
}

void rift_reply_header_put(rift_request *req, const char *name, const char *value)
{
    RIFT_ASSERT(req->header_count < RIFT_REPLY_MAX_HEADERS);
    req->headers[req->header_count++] = (rift_reply_header){.name = name, .value = rift_str_c(value)};
}

const struct sockaddr *rift_request_peer(const rift_request *req)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(req->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info != NULL ? info->client_addr : NULL;
}

void rift_request_send(rift_request *req)
{
    RIFT_ASSERT(req->magic == REQUEST_MAGIC);
    RIFT_ASSERT(req->own.state == STATE_HANDLING || req->own.state == STATE_WAITING);
    const bool waits = req->own.state == STATE_WAITING;
    req->own.state = STATE_READY;
    if (waits) {
        MHD_resume_connection(req->connection);
        req->http->resumed = true;
    }
}

/* ---- the loop ---- */

/* libmicrohttpd sends at most 128 KiB of a file in one go and then says that it is not done: several goes in one turn of the loop, as long as others can wait. */
static void run(rift_http *http)
{
    const uint64_t begun_ns = uv_hrtime();
    MHD_UNSIGNED_LONG_LONG ms = 0;
    do {
        http->resumed = false;
        (void)MHD_run(http->daemon);
    } while ((http->resumed || (MHD_get_timeout(http->daemon, &ms) == MHD_YES && ms == 0)) &&
             uv_hrtime() - begun_ns < TURN_NS);
}

static void on_wake(uv_timer_t *timer)
{
    run(timer->data);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    run(poll->data);
}

/* A timeout of 0 means that something is left to do although the epoll descriptor is silent (edge-triggered rests).
 * MHD_get_timeout says nothing of connections that were resumed (tried with 0.9.75): those are ours to remember. */
static void on_prepare(uv_prepare_t *prepare)
{
    rift_http *http = prepare->data;
    MHD_UNSIGNED_LONG_LONG ms;
    if (http->resumed) {
        (void)uv_timer_start(&http->wake, on_wake, 0, 0);
    } else if (MHD_get_timeout(http->daemon, &ms) == MHD_YES) {
        (void)uv_timer_start(&http->wake, on_wake, ms, 0);
    } else {
        (void)uv_timer_stop(&http->wake);
    }
}

static void print_address(rift_http *http, int fd)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char host[INET6_ADDRSTRLEN] = "";
    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        return;
    if (address.ss_family == AF_UNIX) {
        struct sockaddr_un path = {0};
        memcpy(&path, &address, sizeof path);
        (void)snprintf(http->address, sizeof http->address, "unix:%.70s", path.sun_path);
    } else if (address.ss_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, &address, sizeof v6);
        (void)inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
        (void)snprintf(http->address, sizeof http->address, "[%s]:%u", host, ntohs(v6.sin6_port));
    } else {
        struct sockaddr_in v4;
        memcpy(&v4, &address, sizeof v4);
        (void)inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
        (void)snprintf(http->address, sizeof http->address, "%s:%u", host, ntohs(v4.sin_port));
    }
}

/* Our own socket, since libmicrohttpd would print its failure instead of telling. */
static int open_listener(const rift_http_config *config, rift_err *err)
{
    const int fd = socket(config->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(fd, (const struct sockaddr *)&config->address, config->address_size) == 0 &&
        listen(fd, LISTEN_BACKLOG) == 0)
        return fd;
    char text[128];
    const char *why = strerror_r(errno, text, sizeof text);
    (void)rift_fail(err, RIFT_ERR_IO, "listen", RIFT_NO_OFFSET, "%s", why);
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

static struct MHD_Daemon *start_daemon(rift_http *http, int listener)
{
    const rift_http_config *c = &http->config;
    return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_access, http,
                            MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
                            MHD_OPTION_CONNECTION_LIMIT, c->connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
                            c->connections_per_address, MHD_OPTION_CONNECTION_TIMEOUT, c->idle_s,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)RIFT_LIMIT_HEADER_BYTES,
                            MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_NOTIFY_COMPLETED,
                            on_completed, http, MHD_OPTION_URI_LOG_CALLBACK, on_target, http, MHD_OPTION_END);
}

static void start_handles(rift_http *http, int epoll)
{
    uv_loop_t *loop = http->config.loop;
    int code = uv_poll_init(loop, &http->poll, epoll);
    code |= uv_prepare_init(loop, &http->prepare);
    code |= uv_timer_init(loop, &http->wake);
    code |= uv_timer_init(loop, &http->tick);
    RIFT_ASSERT(code == 0);
    http->handles = 4;
    http->poll.data = http->prepare.data = http->wake.data = http->tick.data = http;
    code = uv_poll_start(&http->poll, UV_READABLE, on_poll);
    code |= uv_prepare_start(&http->prepare, on_prepare);
    code |= uv_timer_start(&http->tick, on_tick, TICK_MS, TICK_MS);
    RIFT_ASSERT(code == 0);
}

bool rift_http_start(rift_http **out, const rift_http_config *config, rift_err *err)
{
    const int listener = config->has_listener ? config->listener : open_listener(config, err);
    if (listener < 0)
        return false;
    rift_http *http = calloc(1, sizeof *http);
    if (http != NULL) {
        http->config = *config;
        http->lingers.loop = config->loop;
        print_address(http, listener);
        http->daemon = start_daemon(http, listener);
    }
    const union MHD_DaemonInfo *info = http != NULL && http->daemon != NULL
                                           ? MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)
                                           : NULL;
    if (info == NULL) {
        free(http);
        (void)close(listener);
        return rift_fail(err, RIFT_ERR_NOMEM, "listen", RIFT_NO_OFFSET, "libmicrohttpd did not start");
    }
    start_handles(http, info->epoll_fd);
    *out = http;
    return true;
}

const char *rift_http_address(const rift_http *http)
{
    return http->address;
}

void rift_http_drain(rift_http *http)
{
    if (http->draining)
        return;
    http->draining = true;
    const int listener = MHD_quiesce_daemon(http->daemon);
    if (listener >= 0)
        (void)close(listener);
    on_tick(&http->tick);
}

bool rift_http_is_draining(const rift_http *http)
{
    return http->draining;
}

size_t rift_http_connection_count(const rift_http *http)
{
    return http->conn_count;
}

void rift_http_cut(rift_http *http)
{
    for (conn *c = http->conns; c != NULL; c = c->next)
        cut(c);
}

static void on_closed(uv_handle_t *handle)
{
    rift_http *http = handle->data;
    if (--http->handles == 0)
        free(http);
}

void rift_http_close(rift_http *http)
{
    if (http == NULL || http->closing)
        return;
    http->closing = true;
    rift_linger_stop(&http->lingers);
    (void)uv_poll_stop(&http->poll);
    MHD_stop_daemon(http->daemon);
    uv_close((uv_handle_t *)&http->poll, on_closed);
    uv_close((uv_handle_t *)&http->prepare, on_closed);
    uv_close((uv_handle_t *)&http->wake, on_closed);
    uv_close((uv_handle_t *)&http->tick, on_closed);
}
