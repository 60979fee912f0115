#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define DEFAULT_SERVER "http://127.0.0.1:8780"
enum { TIMEOUT_S = 5 };

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's shape of a callback */
static size_t drop(char *data, size_t size, size_t count, void *user)
{
    (void)data;
    (void)user;
    return size * count;
}

int cmd_health(cli_args *args)
{
    const char *server = cli_value(args, "server");
    if (server == NULL)
        server = getenv("RIFT_SERVER"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    if (server == NULL)
        server = DEFAULT_SERVER;
    size_t size = strlen(server);
    while (size > 0 && server[size - 1] == '/')
        size--;
    const rift_str url = rift_arena_printf(&args->arena, "%.*s/livez", (int)size, server);
    if (url.size == 0)
        return CLI_FAILED;
    CURL *curl = curl_easy_init();
    if (curl == NULL)
        return CLI_FAILED;
    (void)curl_easy_setopt(curl, CURLOPT_URL, url.data);
    (void)curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)TIMEOUT_S);
    (void)curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* a proxy would answer for itself */
    (void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop);
    const CURLcode result = curl_easy_perform(curl);
    long status = 0;
    (void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_cleanup(curl);
    if (result != CURLE_OK) {
        cli_note(args, "%s: %s", url.data, curl_easy_strerror(result));
    } else {
        cli_note(args, "%s: %ld", url.data, status);
    }
    return result == CURLE_OK && status == 200 ? CLI_OK : CLI_FAILED;
}
