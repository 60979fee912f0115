#include "refresh/fetch.h"

#include <curl/curl.h>
#include <string.h>

#include "bake/bake.h" /* RIFT_VERSION */
#include "base/buf.h"
#include "base/str.h"

typedef struct transfer {
    rift_fetch *fetch;
    rift_buf body;
    rift_fetch_tags tags;
    bool is_over; /* the limit */
} transfer;

bool rift_fetch_start(rift_err *err)
{
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ||
           rift_fail(err, RIFT_ERR_IO, "libcurl", RIFT_NO_OFFSET, "cannot start");
}

/* ---- callbacks ---- */

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's shape of a callback */
static size_t on_body(char *data, size_t size, size_t count, void *user)
{
    transfer *t = user;
    const size_t bytes = size * count;
    t->is_over = bytes > t->fetch->max - t->body.size;
    if (!t->is_over)
        rift_buf_put(&t->body, data, bytes);
    return t->is_over || t->body.failed ? 0 : bytes;
}

static bool is_printable(rift_str s)
{
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] < ' ' || s.data[i] > '~')
            return false;
    }
    return true;
}

/* What is odd or long is as good as not said. */
static void take_tag(char out[RIFT_FETCH_TAG_BYTES], rift_str value)
{
    while (value.size > 0 && (value.data[0] == ' ' || value.data[0] == '\t'))
        value = (rift_str){value.data + 1, value.size - 1};
    while (value.size > 0 && (unsigned char)value.data[value.size - 1] <= ' ')
        value.size--;
    if (value.size >= RIFT_FETCH_TAG_BYTES || !is_printable(value))
        value.size = 0;
    if (value.size > 0)
        memcpy(out, value.data, value.size);
    out[value.size] = '\0';
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's shape of a callback */
static size_t on_header(char *data, size_t size, size_t count, void *user)
{
    static const rift_str status = {"HTTP/", 5}, etag = {"etag:", 5}, modified = {"last-modified:", 14};
    transfer *t = user;
    const rift_str line = {data, size * count};
    if (rift_str_starts_nocase(line, status)) {
        t->tags = (rift_fetch_tags){0}; /* those before were a redirect's */
    } else if (rift_str_starts_nocase(line, etag)) {
        take_tag(t->tags.etag, (rift_str){data + etag.size, line.size - etag.size});
    } else if (rift_str_starts_nocase(line, modified)) {
        take_tag(t->tags.modified, (rift_str){data + modified.size, line.size - modified.size});
    }
    return line.size;
}

static int on_progress(void *user, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up)
{
    const transfer *t = user;
    (void)total;
    (void)now;
    (void)up_total;
    (void)up;
    return atomic_load_explicit(t->fetch->cancel, memory_order_relaxed);
}

/* ---- a request ---- */

static void set_policy(CURL *curl, const rift_fetch *f)
{
    const bool is_safe = rift_str_starts_nocase(rift_str_c(f->url), RIFT_STR("https:"));
    (void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, is_safe ? "https" : "http,https");
    (void)curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_MAXREDIRS, (long)RIFT_FETCH_REDIRECTS);
    (void)curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)RIFT_FETCH_CONNECT_S);
    (void)curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)RIFT_FETCH_S);
    (void)curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, (long)RIFT_FETCH_SLOW);
    (void)curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)RIFT_FETCH_SILENT_S);
    (void)curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)f->max);
    (void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    (void)curl_easy_setopt(curl, CURLOPT_USERAGENT, "riftbaked/" RIFT_VERSION);
}

static void set_callbacks(CURL *curl, transfer *t)
{
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
    (void)curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    (void)curl_easy_setopt(curl, CURLOPT_HEADERDATA, t);
    (void)curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFODATA, t);
}

static bool add_condition(struct curl_slist **list, const char *name, const char *tag, rift_arena *arena)
{
    if (tag[0] == '\0')
        return true;
    const rift_str text = rift_arena_printf(arena, "%s: %s", name, tag);
    struct curl_slist *longer = text.data != NULL ? curl_slist_append(*list, text.data) : NULL;
    if (longer != NULL)
        *list = longer;
    return longer != NULL;
}

static bool judge(transfer *t, CURL *curl, CURLcode code, const char *why, rift_err *err)
{
    rift_fetch *f = t->fetch;
    long status = 0;
    (void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return rift_fail(err, RIFT_ERR_CANCELLED, "fetch", RIFT_NO_OFFSET, "cancelled");
    if (t->is_over || code == CURLE_FILESIZE_EXCEEDED)
        return rift_fail(err, RIFT_ERR_LIMIT, "fetch", RIFT_NO_OFFSET, "is over %zu bytes", f->max);
    if (!rift_buf_ok(&t->body, "fetch", err))
        return false;
    if (code != CURLE_OK) {
        return rift_fail(err, RIFT_ERR_IO, "fetch", RIFT_NO_OFFSET, "%s",
                         why[0] != '\0' ? why : curl_easy_strerror(code));
    }
    const bool was_conditional = f->last.etag[0] != '\0' || f->last.modified[0] != '\0';
    f->kind = status == 200 ? RIFT_FETCH_NEW : status == 304 ? RIFT_FETCH_UNCHANGED : RIFT_FETCH_MISSING;
    f->body = rift_buf_bytes(&t->body);
    f->tags = t->tags;
    return status == 200 || (status == 304 && was_conditional) || status == 404 || status == 410 ||
           rift_fail(err, RIFT_ERR_IO, "fetch", RIFT_NO_OFFSET, "the server answers %ld", status);
}

bool rift_fetch_get(rift_fetch *f, rift_arena *arena, rift_err *err)
{
    char why[CURL_ERROR_SIZE] = "";
    transfer t = {.fetch = f};
    struct curl_slist *headers = NULL;
    rift_err_in(err, rift_str_c(f->url));
    rift_buf_init(&t.body, arena, f->max);
    CURL *curl = curl_easy_init();
    if (curl == NULL || !add_condition(&headers, "If-None-Match", f->last.etag, arena) ||
        !add_condition(&headers, "If-Modified-Since", f->last.modified, arena)) {
        curl_slist_free_all(headers);
        curl_easy_cleanup(curl);
        return rift_fail(err, RIFT_ERR_NOMEM, "fetch", RIFT_NO_OFFSET, "out of memory");
    }
    set_policy(curl, f);
    set_callbacks(curl, &t);
    (void)curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
    (void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    (void)curl_easy_setopt(curl, CURLOPT_URL, f->url);
    const CURLcode code = curl_easy_perform(curl);
    const bool ok = judge(&t, curl, code, why, err);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return ok;
}
