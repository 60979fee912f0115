#include "config/config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "config/limits.h"

typedef enum kind { KIND_TEXT, KIND_SWITCH, KIND_NUMBER, KIND_BYTES, KIND_DEFAULT } kind;

typedef struct option {
    const char *name; /* as a flag; the environment has RIFT_ before it, in capitals, with '_' */
    kind kind;
    size_t offset;
    const char *text;         /* default of a text */
    uint64_t value, min, max; /* KIND_DEFAULT: max is 0 where there can be none */
    const char *help;
} option;

#define AT(field) offsetof(rift_config, field)
#define TEXT(name, field, value, help)                   \
    {                                                    \
        name, KIND_TEXT, AT(field), value, 0, 0, 0, help \
    }
#define SWITCH(name, field, help)                         \
    {                                                     \
        name, KIND_SWITCH, AT(field), NULL, 0, 0, 0, help \
    }
#define NUMBER(name, field, value, min, max, help)                \
    {                                                             \
        name, KIND_NUMBER, AT(field), NULL, value, min, max, help \
    }
#define BYTES(name, field, value, min, max, help)                \
    {                                                            \
        name, KIND_BYTES, AT(field), NULL, value, min, max, help \
    }

static const option table[] = {
    TEXT("config", config, NULL, "a file of settings, \"name = value\" a line; read again on SIGHUP"),
    TEXT("game", game, NULL, "the game folder (holds DATA/FINAL)"),
    TEXT("data", data, NULL, "where jobs, results and name tables are kept"),
    TEXT("listen", listen, "127.0.0.1:8780", "address and port; port 0 takes a free one"),
    TEXT("log-level", log_level, "info", "debug, info, warning or error"),
    TEXT("log-format", log_format, "json", "json or text"),
    NUMBER("access-log", access_log, 0, 0, 1000000, "log every Nth request at level info; 0: none"),
    TEXT("tokens-file",
         tokens_file,
         NULL,
         "who may do what: \"<SHA-256 of a token> read|submit|admin [name]\" a line"),
    TEXT("signing-keys-file",
         signing_keys_file,
         NULL,
         "keys of signed URLs, one a line, at most two: both are taken, so that they can be changed"),
    SWITCH("auth-public-read", public_read, "with tokens: reading with default options needs none"),
    SWITCH(
        "forwarded", forwarded, "the client of a request from this machine is the last of X-Forwarded-For"),
    NUMBER(
        "rate", rate, RIFT_LIMIT_RATE, 0, 1000000, "requests a second of one client in the long run; 0: any"),
    NUMBER("burst", burst, RIFT_LIMIT_BURST, 1, 1000000, "requests of one client at once"),
    SWITCH(
        "insecure-open", insecure_open, "listen on other addresses than this machine's own, without tokens"),
    SWITCH("check-config", check_config, "check the settings and exit"),
    SWITCH("print-config", print_config, "print the settings in force and exit"),
    SWITCH("help", help, "print this and exit"),
    SWITCH("version", version, "print the version and exit"),
    NUMBER("workers", workers, 0, 0, 256, "conversions at one time; 0: one per processor"),
    NUMBER("queue-max", queue_max, RIFT_LIMIT_QUEUE, 1, 1000000, "jobs that may wait"),
    NUMBER("queue-wait",
           queue_wait_s,
           RIFT_LIMIT_QUEUE_WAIT_S,
           0,
           86400,
           "seconds of estimated wait past which who asks is told to come back; 0: any"),
    NUMBER("connections", connections, RIFT_LIMIT_CONNECTIONS, 4, 65536, "open connections"),
    NUMBER("connections-per-address",
           connections_per_address,
           RIFT_LIMIT_CONNECTIONS_PER_ADDRESS,
           1,
           65536,
           "open connections of one address; with forwarded the proxy counts them"),
    NUMBER("waiters", waiters, RIFT_LIMIT_WAITERS, 1, 65536, "requests that wait for a conversion"),
    NUMBER("listeners", listeners, RIFT_LIMIT_LISTENERS, 1, 65536, "event streams at one time"),
    NUMBER("header-deadline",
           header_deadline_s,
           RIFT_LIMIT_HEADER_DEADLINE_S,
           1,
           3600,
           "seconds for a request's headers"),
    NUMBER("body-deadline",
           body_deadline_s,
           RIFT_LIMIT_BODY_DEADLINE_S,
           1,
           3600,
           "seconds for a request's body"),
    NUMBER("idle", idle_s, RIFT_LIMIT_IDLE_S, 1, 3600, "seconds a connection may be silent"),
    NUMBER("serve-wait",
           serve_wait_s,
           RIFT_LIMIT_SERVE_WAIT_S,
           0,
           RIFT_LIMIT_WAIT_S,
           "seconds GET of a skin waits for its conversion"),
    NUMBER("drain", drain_s, RIFT_LIMIT_DRAIN_S, 0, 3600, "seconds to finish what runs at SIGTERM"),
    NUMBER("job-time", job_s, RIFT_LIMIT_JOB_S, 1, 86400, "seconds a conversion may take"),
    NUMBER("job-silence",
           job_silent_s,
           RIFT_LIMIT_JOB_SILENT_S,
           1,
           86400,
           "seconds a conversion may go without progress"),
    TEXT("rescan",
         rescan,
         "600",
         "look at the game folder without being told: seconds, times of day in UTC (04:30,16:00), or off"),
    NUMBER("rescan-jitter",
           rescan_jitter_s,
           RIFT_LIMIT_RESCAN_JITTER_S,
           0,
           86400,
           "seconds by which each of these is put off, at most, by chance"),
    NUMBER("patch-settle",
           patch_settle_s,
           RIFT_LIMIT_PATCH_SETTLE_S,
           1,
           3600,
           "seconds the game folder must lie still before a patch is taken over"),
    NUMBER("patch-patience",
           patch_patience_s,
           RIFT_LIMIT_PATCH_PATIENCE_S,
           1,
           86400,
           "seconds after which a patch that is not whole is taken over as it is"),
    TEXT("sweep",
         sweep,
         "asked",
         "after a patch, make again what is stale: off, asked (what was made before), all (every skin)"),
    NUMBER("sweep-pause",
           sweep_pause_ms,
           RIFT_LIMIT_SWEEP_PAUSE_MS,
           0,
           3600000,
           "milliseconds between two skins of a sweep"),
    NUMBER("canaries",
           canaries,
           RIFT_LIMIT_CANARIES,
           0,
           10000,
           "stale skins that are made first; one that fails or warns anew halts the sweep"),
    TEXT("names-source",
         names_source,
         NULL,
         "where name lists are imported from by themselves: a folder of hashes.<table>.txt, or its URL"),
    TEXT("names-refresh",
         names_refresh,
         "86400",
         "when to look there for other lists: seconds, times of day in UTC (04:30,16:00), or off"),
    NUMBER("names-jitter",
           names_jitter_s,
           RIFT_LIMIT_NAMES_JITTER_S,
           0,
           86400,
           "seconds by which each of these looks is put off, at most, by chance"),
    BYTES("names-max", names_max_bytes, RIFT_LIMIT_NAMES_BYTES, 1024, 1 << 30, "size of one of these lists"),
    BYTES("job-memory",
          job_bytes,
          RIFT_LIMIT_JOB_BYTES,
          16 << 20,
          UINT64_C(1) << 40,
          "memory of one conversion"),
    BYTES("body-max", body_bytes, RIFT_LIMIT_BODY_BYTES, 1024, 64 << 20, "size of a JSON body"),
    BYTES("disk-reserve",
          disk_reserve,
          RIFT_LIMIT_DISK_RESERVE,
          0,
          UINT64_C(1) << 60,
          "bytes of the data folder's disk that stay free: results go, then conversions wait"),
    NUMBER("disk-reserve-percent",
           disk_percent,
           RIFT_LIMIT_DISK_PERCENT,
           0,
           100,
           "the same in percent of the disk; the smaller of both holds"),
    BYTES("cache-bytes",
          cache_bytes,
          RIFT_LIMIT_CACHE_BYTES,
          0,
          UINT64_MAX >> 1,
          "results beyond it make room, the least recently used first; 0: no limit"),
    NUMBER("keep-jobs",
           keep_jobs_s,
           RIFT_LIMIT_KEEP_JOBS_S,
           1,
           UINT32_MAX,
           "seconds that jobs which are over are told of"),
    NUMBER("scrub-interval",
           scrub_s,
           RIFT_LIMIT_SCRUB_S,
           0,
           UINT32_MAX,
           "seconds from one check of all results to the next; 0: never"),
    BYTES("scrub-rate",
          scrub_rate,
          RIFT_LIMIT_SCRUB_RATE,
          1,
          UINT64_C(1) << 40,
          "bytes a second that the check reads"),
    BYTES("upload-max",
          upload_bytes,
          RIFT_LIMIT_UPLOAD_BYTES,
          1024,
          UINT64_C(1) << 30,
          "size of files sent to be converted"),
    NUMBER("upload-parts",
           upload_parts,
           RIFT_LIMIT_UPLOAD_PARTS,
           1,
           4096,
           "files sent to be converted at one time"),
    BYTES("inline-max",
          inline_bytes,
          RIFT_LIMIT_INLINE_BYTES,
          0,
          1 << 30,
          "results up to this size live in the database"),
};

/* A row of the table, or what is made of a conversion's option: "default-max-texture". */
typedef struct setting {
    option row;
    char name[40];
} setting;

static bool setting_at(size_t index, setting *out)
{
    if (index < RIFT_COUNT(table)) {
        out->row = table[index];
        return true;
    }
    const size_t i = index - RIFT_COUNT(table);
    const rift_option_info *info = rift_option_info_at(i);
    if (info == NULL)
        return false;
    (void)snprintf(out->name, sizeof out->name, "default-%s", info->name);
    for (char *p = strchr(out->name, '_'); p != NULL; p = strchr(p, '_'))
        *p = '-';
    out->row = (option){.name = out->name,
                        .kind = KIND_DEFAULT,
                        .offset = AT(defaults) + i * sizeof(const char *),
                        .max = rift_option_can_have_default(i),
                        .help = info->values};
    return true;
}

static void *field(rift_config *config, const option *o)
{
    return (char *)config + o->offset;
}

static const void *field_const(const rift_config *config, const option *o)
{
    return (const char *)config + o->offset;
}

static bool parse_number(rift_str text, const option *o, uint64_t *out)
{
    unsigned shift = 0;
    if (o->kind == KIND_BYTES && text.size > 1) {
        const char unit = rift_lower(text.data[text.size - 1]);
        shift = unit == 'k' ? 10 : unit == 'm' ? 20 : unit == 'g' ? 30 : 0;
        text.size -= shift > 0;
    }
    if (!rift_str_u64(text, UINT64_MAX >> shift, out))
        return false;
    *out <<= shift;
    return *out >= o->min && *out <= o->max;
}

static bool set(rift_config *config, const option *o, const char *value, rift_err *err)
{
    if (o->kind == KIND_DEFAULT && o->max == 0) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, o->name, RIFT_NO_OFFSET,
                         "there is no default but none: it names clips, which few skins share, so only a "
                         "request can ask for it");
    }
    if (o->kind == KIND_TEXT || o->kind == KIND_DEFAULT) {
        if (value[0] == '\0')
            return rift_fail(err, RIFT_ERR_ARGUMENT, o->name, RIFT_NO_OFFSET, "needs a value");
        memcpy(field(config, o), &value, sizeof value);
        return true;
    }
    if (o->kind == KIND_SWITCH) {
        const bool on = strcmp(value, "1") == 0 || strcmp(value, "true") == 0;
        if (!on && strcmp(value, "0") != 0 && strcmp(value, "false") != 0) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, o->name, RIFT_NO_OFFSET, "\"%s\" is neither 1 nor 0",
                             value);
        }
        *(bool *)field(config, o) = on;
        return true;
    }
    uint64_t number;
    if (!parse_number(rift_str_c(value), o, &number)) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, o->name, RIFT_NO_OFFSET,
                         "\"%s\" is no number from %llu to %llu", value, (unsigned long long)o->min,
                         (unsigned long long)o->max);
    }
    memcpy(field(config, o), &number, sizeof number);
    return true;
}

static void set_defaults(rift_config *config)
{
    setting s;
    for (size_t i = 0; setting_at(i, &s); i++) {
        const option *o = &s.row;
        if (o->kind == KIND_TEXT || o->kind == KIND_DEFAULT) {
            memcpy(field(config, o), &o->text, sizeof o->text);
        } else if (o->kind != KIND_SWITCH) {
            memcpy(field(config, o), &o->value, sizeof o->value);
        }
    }
}

/* "RIFT_QUEUE_MAX" for "queue-max". */
static bool is_variable(rift_str variable, const char *name)
{
    static const rift_str prefix = {"RIFT_", 5};
    if (!rift_str_starts_nocase(variable, prefix) || variable.size != prefix.size + strlen(name))
        return false;
    for (size_t i = 0; name[i] != '\0'; i++) {
        const char want = (char)(name[i] == '-' ? '_' : name[i]);
        const char got = variable.data[prefix.size + i];
        if (got != want && !(want >= 'a' && want <= 'z' && got == want - 'a' + 'A'))
            return false;
    }
    return true;
}

static bool read_environment(rift_config *config, char *const *environment, rift_err *err)
{
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
        const char *equals = strchr(environment[i], '=');
        if (equals == NULL)
            continue;
        const rift_str name = {environment[i], (size_t)(equals - environment[i])};
        setting s;
        for (size_t k = 0; setting_at(k, &s); k++) {
            if (is_variable(name, s.row.name) && !set(config, &s.row, equals + 1, err))
                return false;
        }
    }
    return true;
}

static bool find_setting(rift_str name, setting *out)
{
    for (size_t i = 0; setting_at(i, out); i++) {
        if (rift_str_eq(name, rift_str_c(out->row.name)))
            return true;
    }
    return false;
}

/* What a file may set: not where it stands itself, nor what the program is asked to do instead of serving. */
static bool is_for_files(const option *o)
{
    return o->offset != AT(config) && o->offset != AT(check_config) && o->offset != AT(print_config) &&
           o->offset != AT(help) && o->offset != AT(version);
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r", text[size - 1]) != NULL)
        text[--size] = '\0';
    return text;
}

/* "queue_max", as in the environment, is "queue-max". */
static bool no_setting(char *name, rift_err *err)
{
    char dashed[40];
    (void)snprintf(dashed, sizeof dashed, "%s", name);
    for (char *p = strchr(dashed, '_'); p != NULL; p = strchr(p, '_'))
        *p = '-';
    setting meant;
    const bool told = find_setting(rift_str_c(dashed), &meant) && is_for_files(&meant.row);
    return rift_fail(err, RIFT_ERR_ARGUMENT, "", RIFT_NO_OFFSET, "there is no setting \"%s\"%s%s%s", name,
                     told ? ": it is \"" : "", told ? dashed : "", told ? "\"" : "");
}

static bool read_line(rift_config *config, char *line, rift_err *err)
{
    char *equals = strchr(line, '=');
    line = trim(line);
    if (line[0] == '\0' || line[0] == '#')
        return true;
    if (equals == NULL)
        return rift_fail(err, RIFT_ERR_ARGUMENT, "", RIFT_NO_OFFSET, "\"%s\" is no \"name = value\"", line);
    *equals = '\0';
    char *name = trim(line);
    setting s;
    if (!find_setting(rift_str_c(name), &s) || !is_for_files(&s.row))
        return no_setting(name, err);
    const char *value = trim(equals + 1);
    return value[0] == '\0' || set(config, &s.row, value, err);
}

/* An empty value leaves what is there, so that what --print-config writes can be read. */
static bool read_text(rift_config *config, char *text, rift_err *err)
{
    unsigned number = 1;
    for (char *line = text; line != NULL; number++) {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end = '\0';
        if (!read_line(config, line, err)) {
            char part[41];
            (void)snprintf(part, sizeof part, "%.40s", err->where);
            (void)snprintf(err->where, sizeof err->where, "line %u%s%s", number, part[0] ? ": " : "", part);
            return false;
        }
        line = end != NULL ? end + 1 : NULL;
    }
    return true;
}

static bool read_flags(rift_config *config, int argc, char *const *argv, rift_err *err)
{
    for (int i = 1; i < argc; i++) {
        const char *arg = strcmp(argv[i], "-h") == 0 ? "--help" : argv[i];
        if (strncmp(arg, "--", 2) != 0)
            return rift_fail(err, RIFT_ERR_ARGUMENT, "arguments", RIFT_NO_OFFSET, "\"%s\" is no option", arg);
        const char *equals = strchr(arg, '=');
        const rift_str name = {arg + 2, equals != NULL ? (size_t)(equals - arg) - 2 : strlen(arg) - 2};
        setting s;
        const option *o = &s.row;
        if (!find_setting(name, &s)) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, "arguments", RIFT_NO_OFFSET, "there is no option --%.*s",
                             RIFT_STR_ARG(name));
        }
        const char *value = equals != NULL ? equals + 1 : o->kind == KIND_SWITCH ? "1" : NULL;
        if (value == NULL && i + 1 < argc)
            value = argv[++i];
        if (value == NULL)
            return rift_fail(err, RIFT_ERR_ARGUMENT, o->name, RIFT_NO_OFFSET, "needs a value");
        if (!set(config, o, value, err))
            return false;
    }
    return true;
}

bool rift_config_read(
    rift_config *out, char *file, int argc, char *const *argv, char *const *environment, rift_err *err)
{
    rift_config config = {0};
    rift_err_in(err, RIFT_STR("settings"));
    set_defaults(&config);
    if (!read_environment(&config, environment, err) || !read_flags(&config, argc, argv, err))
        return false;
    if (file != NULL) {
        /* What stands in the file is over the defaults only. */
        rift_err_in(err, config.config != NULL ? rift_str_c(config.config) : RIFT_STR("settings"));
        set_defaults(&config);
        if (!read_text(&config, file, err))
            return false;
        rift_err_in(err, RIFT_STR("settings"));
        if (!read_environment(&config, environment, err) || !read_flags(&config, argc, argv, err))
            return false;
    }
    *out = config;
    return true;
}

/* ---- address ---- */

static bool bad_address(const char *text, rift_err *err)
{
    return rift_fail(err, RIFT_ERR_ARGUMENT, "listen", RIFT_NO_OFFSET,
                     "\"%s\" is no address and port, such as 127.0.0.1:8780 or [::1]:8780", text);
}

bool rift_config_address(const char *text, struct sockaddr_storage *out, socklen_t *size, rift_err *err)
{
    const char *colon = strrchr(text, ':');
    uint64_t port;
    char host[64];
    if (colon == NULL || !rift_str_u64(rift_str_c(colon + 1), 65535, &port))
        return bad_address(text, err);
    const bool bracketed = text[0] == '[' && colon > text + 1 && colon[-1] == ']';
    const size_t length = (size_t)(colon - text) - (bracketed ? 2 : 0);
    if (length == 0 || length >= sizeof host)
        return bad_address(text, err);
    memcpy(host, text + bracketed, length);
    host[length] = '\0';
    memset(out, 0, sizeof *out);
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    if (!bracketed && inet_pton(AF_INET, host, &v4.sin_addr) == 1) {
        memcpy(out, &v4, sizeof v4);
        *size = sizeof v4;
        return true;
    }
    if (bracketed && inet_pton(AF_INET6, host, &v6.sin6_addr) == 1) {
        memcpy(out, &v6, sizeof v6);
        *size = sizeof v6;
        return true;
    }
    return bad_address(text, err);
}

bool rift_config_is_loopback(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
    }
    struct sockaddr_in6 v6;
    memcpy(&v6, address, sizeof v6);
    static const uint8_t own[16] = {[15] = 1};
    static const uint8_t mapped[13] = {[10] = 0xff, [11] = 0xff, [12] = 127};
    return memcmp(v6.sin6_addr.s6_addr, own, sizeof own) == 0 ||
           memcmp(v6.sin6_addr.s6_addr, mapped, sizeof mapped) == 0;
}

static bool is_one_of(const char *name, const char *word, const char *words, rift_err *err)
{
    rift_str rest = rift_str_c(words);
    rift_str one;
    while (rift_str_next(&rest, ",", &one)) {
        if (rift_str_eq(one, rift_str_c(word)))
            return true;
    }
    return rift_fail(err, RIFT_ERR_ARGUMENT, name, RIFT_NO_OFFSET, "\"%s\" is none of %s", word, words);
}

bool rift_config_check(const rift_config *config, rift_err *err)
{
    rift_err_in(err, RIFT_STR("settings"));
    struct sockaddr_storage address;
    socklen_t size;
    if (!is_one_of("log-level", config->log_level, "debug, info, warning, error", err) ||
        !is_one_of("log-format", config->log_format, "json, text", err) ||
        !is_one_of("sweep", config->sweep, "off, asked, all", err))
        return false;
    if (config->game == NULL)
        return rift_fail(err, RIFT_ERR_ARGUMENT, "game", RIFT_NO_OFFSET, "no game folder named (--game DIR)");
    if (config->data == NULL)
        return rift_fail(err, RIFT_ERR_ARGUMENT, "data", RIFT_NO_OFFSET, "no data folder named (--data DIR)");
    if (!rift_config_address(config->listen, &address, &size, err))
        return false;
    return config->insecure_open || config->tokens_file != NULL || rift_config_is_loopback(&address) ||
           rift_fail(err, RIFT_ERR_ARGUMENT, "listen", RIFT_NO_OFFSET,
                     "%s is open to others and there are no tokens: name a --tokens-file, use a loopback "
                     "address, or --insecure-open",
                     config->listen);
}

/* ---- printing ---- */

void rift_config_print(const rift_config *config)
{
    setting s;
    for (size_t i = 0; setting_at(i, &s); i++) {
        const option *o = &s.row;
        const char *text;
        uint64_t number;
        switch (o->kind) {
        case KIND_TEXT:
        case KIND_DEFAULT:
            memcpy(&text, field_const(config, o), sizeof text);
            if (o->kind == KIND_TEXT ? is_for_files(o) : o->max > 0)
                printf("%s = %s\n", o->name, text != NULL ? text : "");
            break;
        case KIND_SWITCH:
            if (is_for_files(o))
                printf("%s = %d\n", o->name, *(const bool *)field_const(config, o));
            break;
        case KIND_NUMBER:
        case KIND_BYTES:
            memcpy(&number, field_const(config, o), sizeof number);
            printf("%s = %llu\n", o->name, (unsigned long long)number);
            break;
        }
    }
}

void rift_config_usage(void)
{
    printf("usage: riftbaked --game DIR --data DIR [options]\n\n");
    for (size_t i = 0; i < RIFT_COUNT(table); i++) {
        const option *o = &table[i];
        printf("  --%-24s %s", o->name, o->help);
        if (o->kind == KIND_TEXT && o->text != NULL) {
            printf(" (%s)", o->text);
        } else if (o->kind == KIND_NUMBER || o->kind == KIND_BYTES) {
            printf(" (%llu)", (unsigned long long)o->value);
        }
        printf("\n");
    }
    printf("\nwhat a request means that does not say it (profile: full is the program's own values):\n");
    setting s;
    for (size_t i = RIFT_COUNT(table); setting_at(i, &s); i++) {
        if (s.row.max > 0)
            printf("  --%-24s %s\n", s.row.name, s.row.help);
    }
    printf("\nEach option can be set by the environment: RIFT_QUEUE_MAX for --queue-max. Flags win over it, "
           "it wins over the file.\n");
}
