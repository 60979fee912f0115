#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/str.h"
#include "config/config.h"
#include "log/log.h"
#include "support/check.h"

static rift_config config;
static rift_err err;

static bool read_all(const char *file, const char *flags, const char *variables)
{
    static char file_text[512];
    (void)snprintf(file_text, sizeof file_text, "%s", file != NULL ? file : "");
    static char flag_text[512], variable_text[512];
    char *argv[32] = {(char[]){"riftbaked"}}, *env[32] = {0};
    int argc = 1, n = 0;
    char *save = NULL;
    (void)snprintf(flag_text, sizeof flag_text, "%s", flags);
    (void)snprintf(variable_text, sizeof variable_text, "%s", variables);
    for (char *w = strtok_r(flag_text, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save))
        argv[argc++] = w;
    for (char *w = strtok_r(variable_text, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save))
        env[n++] = w;
    err = check_err();
    return rift_config_read(&config, file != NULL ? file_text : NULL, argc, argv, env, &err);
}

static bool read_words(const char *flags, const char *variables)
{
    return read_all(NULL, flags, variables);
}

static void defaults_are_those_of_the_contract(void)
{
    CHECK_OK(read_words("", ""), &err);
    CHECK_STR(rift_str_c(config.listen), RIFT_STR("127.0.0.1:8780"));
    CHECK(config.game == NULL && config.data == NULL && !config.insecure_open);
    CHECK_U64(config.connections, 512);
    CHECK_U64(config.connections_per_address, 64);
    CHECK_U64(config.header_deadline_s, 10);
    CHECK_U64(config.body_deadline_s, 60);
    CHECK_U64(config.idle_s, 75);
    CHECK_U64(config.waiters, 256);
    CHECK_U64(config.serve_wait_s, 30);
    CHECK_U64(config.drain_s, 30);
    CHECK_U64(config.job_s, 120);
    CHECK_U64(config.job_bytes, UINT64_C(1073741824));
    CHECK_U64(config.body_bytes, 65536);
    CHECK_U64(config.inline_bytes, 65536);
}

static void flags_beat_the_environment(void)
{
    CHECK_OK(read_words("--queue-max 7 --game=/g",
                        "RIFT_QUEUE_MAX=9 RIFT_DATA=/d RIFT_GAME=/other RIFT_WORKERS=3"),
             &err);
    CHECK_U64(config.queue_max, 7);
    CHECK_U64(config.workers, 3);
    CHECK_STR(rift_str_c(config.game), RIFT_STR("/g"));
    CHECK_STR(rift_str_c(config.data), RIFT_STR("/d"));
    /* Container platforms set NAME_PORT to something like "tcp://10.0.0.1:80": it must mean nothing. */
    CHECK_OK(read_words("", "RIFT_PORT=tcp://10.0.0.1:80 RIFT_CORPUS=/x PATH=/bin"), &err);
    CHECK_STR(rift_str_c(config.listen), RIFT_STR("127.0.0.1:8780"));
}

static void both_beat_the_file(void)
{
    static const char file[] = "# a comment\n\n  queue-max = 5\r\nworkers=2\nwaiters =9\n"
                               "data = /srv/with blanks = and signs\ngame =\nbody-max = 2k";
    CHECK_OK(read_all(file, "--waiters 7", "RIFT_WORKERS=3"), &err);
    CHECK_U64(config.queue_max, 5);
    CHECK_U64(config.workers, 3);
    CHECK_U64(config.waiters, 7);
    CHECK_U64(config.body_bytes, 2048);
    CHECK_STR(rift_str_c(config.data), RIFT_STR("/srv/with blanks = and signs"));
    CHECK(config.game == NULL); /* no value: as it was */
    CHECK_OK(read_words("--config /etc/x", "RIFT_CONFIG=/etc/y"), &err);
    CHECK_STR(rift_str_c(config.config), RIFT_STR("/etc/x"));
}

static void refuses_bad_files(void)
{
    static const struct {
        const char *file, *where, *text; /* text: a part of it, or NULL */
    } rows[] = {
        {"workers = 2\nnonsense = 1\n", "line 2", "no setting \"nonsense\""},
        {"# one\n\nqueue_max = 1\n", "line 3", "no setting \"queue_max\": it is \"queue-max\""},
        {"check_config = 1\n", "line 1", "no setting \"check_config\""},
        {"workers = 2\nworkers\n", "line 2", "no \"name = value\""},
        {"config = /etc/other\n", "line 1", NULL},
        {"help = 1\n", "line 1", NULL},
        {"print-config = 1\n", "line 1", NULL},
        {"= 1\n", "line 1", NULL},
        {"--workers = 1\n", "line 1", NULL},
        {"workers = two\n", "line 1: workers", NULL},
        {"\nworkers = 257\n", "line 2: workers", NULL},
        {"insecure-open = perhaps\n", "line 1: insecure-open", NULL},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].file);
        CHECK(!read_all(rows[i].file, "--config /etc/riftbake.conf", ""));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK_STR(rift_str_c(err.file), RIFT_STR("/etc/riftbake.conf"));
        CHECK_STR(rift_str_c(err.where), rift_str_c(rows[i].where));
        CHECK(rows[i].text == NULL || strstr(err.text, rows[i].text) != NULL);
        CHECK_U64(err.offset, RIFT_NO_OFFSET);
    }
}

static void checks_every_value(void)
{
    static const struct {
        const char *flags, *variables;
        const char *where; /* NULL: accepted */
    } rows[] = {
        {"--workers 0", "", NULL},
        {"--workers 256", "", NULL},
        {"--workers 257", "", "workers"},
        {"--workers -1", "", "workers"},
        {"--workers two", "", "workers"},
        {"--workers 1k", "", "workers"},
        {"--workers=", "", "workers"},
        {"--workers", "", "workers"},
        {"--queue-max 0", "", "queue-max"},
        {"--serve-wait 61", "", "serve-wait"},
        {"--body-max 2k", "", NULL},
        {"--body-max 1", "", "body-max"},
        {"--job-memory 2g", "", NULL},
        {"--job-memory 99999999999999999999g", "", "job-memory"},
        {"--game=", "", "game"},
        {"--insecure-open=yes", "", "insecure-open"},
        {"--nonsense 1", "", "arguments"},
        {"nonsense", "", "arguments"},
        {"-g x", "", "arguments"},
        {"", "RIFT_WORKERS=x", "workers"},
        {"", "RIFT_INSECURE_OPEN=maybe", "insecure-open"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s %s", rows[i].flags, rows[i].variables);
        const bool ok = read_words(rows[i].flags, rows[i].variables);
        CHECK_U64(ok, rows[i].where == NULL);
        CHECK_STR(rift_str_c(err.where), rift_str_c(rows[i].where));
    }
    CHECK_OK(read_words("--body-max 2k --job-memory 2G", ""), &err);
    CHECK_U64(config.body_bytes, 2048);
    CHECK_U64(config.job_bytes, UINT64_C(2147483648));
}

static const char *default_of(const char *option)
{
    for (size_t i = 0; i < RIFT_OPTION_COUNT; i++) {
        if (strcmp(rift_option_info_at(i)->name, option) == 0)
            return config.defaults[i];
    }
    return "no such option";
}

/* Each option of a conversion has a setting, with the order of all settings; but for those that name clips. */
static void options_have_settings(void)
{
    static const struct {
        const char *option, *flag, *value;
    } rows[] = {
        {"profile", "--default-profile web", "web"},
        {"content", "--default-content rig", "rig"},
        {"clips", "--default-clips idle*,run*", "idle*,run*"},
        {"texture", "--default-texture=webp", "webp"},
        {"max_texture", "--default-max-texture 512", "512"},
        {"compress", "--default-compress meshopt", "meshopt"},
        {"hidden", "--default-hidden include", "include"},
        {"chromas", "--default-chromas variants", "variants"},
        {"snap", "--default-snap off", "off"},
        {"shading", "--default-shading pbr", "pbr"},
        {"units", "--default-units league", "league"},
        {"mirror", "--default-mirror off", "off"},
        {"vertex_colors", "--default-vertex-colors custom", "custom"},
        {"additive", "--default-additive raw", "raw"},
        {"keys", "--default-keys dense:30", "dense:30"},
        {"timing", "--default-timing game", "game"},
    };
    CHECK_U64(RIFT_COUNT(rows), RIFT_OPTION_COUNT - 2);
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].flag);
        CHECK_OK(read_words("", ""), &err);
        CHECK(default_of(rows[i].option) == NULL);
        CHECK_OK(read_words(rows[i].flag, ""), &err);
        CHECK_STR(rift_str_c(default_of(rows[i].option)), rift_str_c(rows[i].value));
    }
    check_row("%s", "");
    static const char file[] = "default-texture = jpeg\ndefault-max-texture = 64\ndefault-keys = cubic\n"
                               "default-units =\n";
    CHECK_OK(
        read_all(file, "--default-texture png", "RIFT_DEFAULT_TEXTURE=webp RIFT_DEFAULT_MAX_TEXTURE=128"),
        &err);
    CHECK_STR(rift_str_c(default_of("texture")), RIFT_STR("png"));
    CHECK_STR(rift_str_c(default_of("max_texture")), RIFT_STR("128"));
    CHECK_STR(rift_str_c(default_of("keys")), RIFT_STR("cubic"));
    CHECK(default_of("units") == NULL && default_of("shading") == NULL);
}

static void some_options_have_none(void)
{
    static const struct {
        const char *file, *flags, *variables, *where, *text;
    } rows[] = {
        {NULL, "--default-pose Run@1", "", "default-pose", "only a request can ask for it"},
        {NULL, "--default-layers auto", "", "default-layers", "only a request can ask for it"},
        {NULL, "", "RIFT_DEFAULT_POSE=none", "default-pose", "only a request can ask for it"},
        {"\ndefault-layers = auto\n", "", "", "line 2: default-layers", "only a request can ask for it"},
        {"default-max_texture = 64\n", "", "", "line 1", "it is \"default-max-texture\""},
        {"default-gloss = 1\n", "", "", "line 1", "no setting \"default-gloss\""},
        {NULL, "--default-texture", "", "default-texture", "needs a value"},
        {NULL, "", "RIFT_DEFAULT_TEXTURE=", "default-texture", "needs a value"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%zu", i);
        CHECK(!read_all(rows[i].file, rows[i].flags, rows[i].variables));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK_STR(rift_str_c(err.where), rift_str_c(rows[i].where));
        CHECK(strstr(err.text, rows[i].text) != NULL);
    }
}

static void reads_addresses(void)
{
    static const struct {
        const char *text;
        bool ok, loopback;
        int port;
    } rows[] = {
        {"127.0.0.1:8780", true, true, 8780},
        {"127.9.9.9:0", true, true, 0},
        {"[::1]:80", true, true, 80},
        {"[::ffff:127.0.0.1]:80", true, true, 80},
        {"0.0.0.0:8780", true, false, 8780},
        {"[::]:8780", true, false, 8780},
        {"10.0.0.1:1", true, false, 1},
        {"[::ffff:10.0.0.1]:80", true, false, 80},
        {"localhost:80", false, false, 0},
        {"127.0.0.1", false, false, 0},
        {"127.0.0.1:", false, false, 0},
        {"127.0.0.1:65536", false, false, 0},
        {":80", false, false, 0},
        {"::1:80", false, false, 0},
        {"[127.0.0.1]:80", false, false, 0},
        {"[]:80", false, false, 0},
        {"", false, false, 0},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].text);
        struct sockaddr_storage address;
        socklen_t size = 0;
        err = check_err();
        CHECK_U64(rift_config_address(rows[i].text, &address, &size, &err), rows[i].ok);
        if (!rows[i].ok)
            continue;
        CHECK_U64(rift_config_is_loopback(&address), rows[i].loopback);
        struct sockaddr_in port; /* the port stands at the same place in both families */
        memcpy(&port, &address, sizeof port);
        CHECK_I64(ntohs(port.sin_port), rows[i].port);
    }
}

static void refuses_to_be_open_by_accident(void)
{
    static const struct {
        const char *flags;
        const char *where;
    } rows[] = {
        {"--game /g --data /d", NULL},
        {"--game /g --data /d --listen 0.0.0.0:8780", "listen"},
        {"--game /g --data /d --listen [::]:8780", "listen"},
        {"--game /g --data /d --listen 0.0.0.0:8780 --insecure-open", NULL},
        {"--game /g --data /d --listen nowhere", "listen"},
        {"--data /d", "game"},
        {"--game /g", "data"},
        {"--game /g --data /d --log-level loud", "log-level"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].flags);
        CHECK_OK(read_words(rows[i].flags, ""), &err);
        CHECK_U64(rift_config_check(&config, &err), rows[i].where == NULL);
        CHECK_STR(rift_str_c(err.where), rift_str_c(rows[i].where));
    }
}

/* A line never breaks out of its JSON, whatever a client sent, and always ends. */
static void log_lines_stay_whole(void)
{
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_ERROR, "x\"y\n");
    rift_log_str(&log, "path", RIFT_STR("a\\b\"\x01\xff"));
    CHECK(strstr(log.line, "\"msg\":\"x\\\"y\\u000a\",\"path\":\"a\\\\b\\\"\\u0001\\u00ff\"") != NULL);
    char big[3000];
    memset(big, '"', sizeof big);
    for (size_t size = 0; size < sizeof big; size += 7) {
        check_row("%zu bytes", size);
        rift_log_begin(&log, RIFT_LOG_ERROR, "big");
        rift_log_str(&log, "a", (rift_str){big, size});
        rift_log_str(&log, "b", (rift_str){big, size});
        rift_log_int(&log, "c", -5);
        CHECK(log.size <= sizeof log.line - 2);
        CHECK(log.line[log.size - 1] == '"' || log.line[log.size - 1] == '5');
    }
    rift_log_begin(&log, RIFT_LOG_DEBUG, "dropped");
    rift_log_str(&log, "a", RIFT_STR("b"));
    rift_log_end(&log);
    CHECK_U64(log.size, 0);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(defaults_are_those_of_the_contract);
    RUN(flags_beat_the_environment);
    RUN(both_beat_the_file);
    RUN(refuses_bad_files);
    RUN(checks_every_value);
    RUN(options_have_settings);
    RUN(some_options_have_none);
    RUN(reads_addresses);
    RUN(refuses_to_be_open_by_accident);
    RUN(log_lines_stay_whole);
    return check_finish();
}
