/* Requests to a daemon, by libcurl. No proxy of the environment is asked: it would answer for itself. */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#include "base/str.h"
#include "files/files.h"

#define DEFAULT_SERVER "http://127.0.0.1:8780"
enum { TOKEN_MAX = 4096, CONNECT_TIMEOUT_S = 10 };

typedef struct call_state {
    const cli_args *args;
    const cli_call *call;
    rift_buf body;
    unsigned retry_after_s;
} call_state;

static rift_str server_of(const cli_args *args)
{
    const char *server = cli_value(args, "server");
    if (server == NULL)
        server = getenv("RIFT_SERVER"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    rift_str text = rift_str_c(server != NULL ? server : DEFAULT_SERVER);
    while (text.size > 0 && text.data[text.size - 1] == '/')
        text.size--;
    return text;
}

/* "Authorization: Bearer …" from --token-file or RIFT_TOKEN_FILE; NULL without. A token in an argument would be seen by everybody. */
static bool authorization(cli_args *args, const char **header, rift_err *err)
{
    rift_bytes token;
    const char *file = cli_value(args, "token-file");
    *header = NULL;
    if (file == NULL)
        file = getenv("RIFT_TOKEN_FILE"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    if (file == NULL)
        return true;
    rift_err_in(err, rift_str_c(file));
    if (!rift_file_read(file, TOKEN_MAX, &args->arena, &token, err))
        return false;
    rift_str text = {(const char *)token.data, token.size};
    while (text.size > 0 && (unsigned char)text.data[text.size - 1] <= ' ')
        text.size--;
    *header = rift_arena_printf(&args->arena, "Authorization: Bearer %.*s", RIFT_STR_ARG(text)).data;
    return rift_arena_ok(&args->arena, "token", err);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's shape of a callback */
static size_t on_body(char *data, size_t size, size_t count, void *user)
{
    call_state *state = user;
    rift_buf_put(&state->body, data, size * count);
    return state->body.failed ? 0 : size * count;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's shape of a callback */
static size_t on_header(char *data, size_t size, size_t count, void *user)
{
    static const rift_str name = {"retry-after:", 12};
    call_state *state = user;
    rift_str line = {data, size * count};
    uint64_t seconds;
    if (rift_str_starts_nocase(line, name)) {
        rift_str rest = {line.data + name.size, line.size - name.size};
        rift_str value;
        if (rift_str_next(&rest, " \r\n", &value) && rift_str_u64(value, 3600, &seconds))
            state->retry_after_s = (unsigned)seconds;
    }
    return size * count;
}

static int on_progress(void *user, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up)
{
    const call_state *state = user;
    (void)up_total;
    (void)up;
    if (state->call->label.size > 0 && total > 0)
        cli_progress_show(state->args, state->call->label, (int)(100 * now / total), RIFT_STR("download"));
    return 0;
}

static void set_up(CURL *curl, call_state *state, struct curl_slist *headers)
{
    const cli_call *call = state->call;
    (void)curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_TIMEOUT_S);
    (void)curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)call->timeout_s);
    (void)curl_easy_setopt(curl, CURLOPT_PROXY, "");
    (void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, state);
    (void)curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    (void)curl_easy_setopt(curl, CURLOPT_HEADERDATA, state);
    (void)curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFODATA, state);
    if (call->json.size > 0) {
        (void)curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->json.size);
        (void)curl_easy_setopt(curl, CURLOPT_POSTFIELDS, call->json.data);
    }
}

static struct curl_slist *add_header(struct curl_slist *list, const char *header)
{
    struct curl_slist *longer = header != NULL ? curl_slist_append(list, header) : list;
    return longer != NULL ? longer : list;
}

bool cli_request(cli_args *args, const cli_call *call, cli_reply *out, rift_err *err)
{
    const char *token;
    call_state state = {.args = args, .call = call};
    const rift_str server = server_of(args);
    rift_err_in(err, server);
    if (!authorization(args, &token, err))
        return false;
    rift_err_in(err, server);
    const rift_str url =
        rift_arena_printf(&args->arena, "%.*s%.*s", RIFT_STR_ARG(server), RIFT_STR_ARG(call->path));
    rift_buf_init(&state.body, &args->arena, CLI_MAX_FILE);
    CURL *curl = curl_easy_init();
    if (curl == NULL || !rift_arena_ok(&args->arena, "url", err)) {
        curl_easy_cleanup(curl);
        return rift_fail(err, RIFT_ERR_NOMEM, "request", RIFT_NO_OFFSET, "out of memory");
    }
    struct curl_slist *headers =
        add_header(NULL, call->json.size > 0 ? "Content-Type: application/json" : NULL);
    headers = add_header(add_header(headers, call->prefer), token);
    set_up(curl, &state, headers);
    (void)curl_easy_setopt(curl, CURLOPT_URL, url.data);
    const CURLcode code = curl_easy_perform(curl);
    (void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &out->status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    if (call->label.size > 0)
        cli_progress_clear(args);
    if (code != CURLE_OK)
        return rift_fail(err, RIFT_ERR_IO, "request", RIFT_NO_OFFSET, "%s", curl_easy_strerror(code));
    out->body = rift_buf_bytes(&state.body);
    out->retry_after_s = state.retry_after_s;
    return rift_buf_ok(&state.body, "reply", err);
}
