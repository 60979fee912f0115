#include "auth/rates.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 4 };

typedef struct place {
    uint64_t client;
    int64_t full_us; /* when its bucket is full again */
} place;

struct rift_rates {
    int64_t interval_us; /* of one request; 0: no limit */
    int64_t window_us;
    size_t sets;
    place places[];
};

rift_rates *rift_rates_open(size_t clients)
{
    const size_t sets = clients / WAYS > 0 ? clients / WAYS : 1;
    rift_rates *rates = calloc(1, sizeof *rates + sets * WAYS * sizeof(place));
    if (rates != NULL)
        rates->sets = sets;
    return rates;
}

void rift_rates_close(rift_rates *rates)
{
    free(rates);
}

void rift_rates_set(rift_rates *rates, uint64_t a_second, uint64_t burst)
{
    rates->interval_us = a_second > 0 ? (int64_t)(1000000 / a_second) : 0;
    rates->window_us = rates->interval_us * (int64_t)burst;
}

static place *find(rift_rates *rates, uint64_t client)
{
    const uint64_t mixed = client * UINT64_C(0x9e3779b97f4a7c15);
    place *set = rates->places + (mixed >> 32) % rates->sets * WAYS;
    place *oldest = set;
    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].client == client)
            return &set[i];
        if (set[i].full_us < oldest->full_us)
            oldest = &set[i];
    }
    *oldest = (place){.client = client};
    return oldest;
}

static uint64_t seconds_up(int64_t us)
{
    return us > 0 ? (uint64_t)((us + 999999) / 1000000) : 0;
}

bool rift_rates_take(rift_rates *rates, uint64_t client, int64_t now_ms, rift_rate *out)
{
    *out = (rift_rate){0};
    if (rates->interval_us == 0)
        return true;
    const int64_t now = now_ms * 1000;
    place *p = find(rates, client);
    const int64_t begun = p->full_us > now ? p->full_us : now;
    const int64_t over = begun + rates->interval_us - now - rates->window_us;
    if (over <= 0)
        p->full_us = begun + rates->interval_us;
    const int64_t taken = p->full_us > now ? p->full_us - now : 0;
    out->quota = (uint64_t)(rates->window_us / rates->interval_us);
    out->window_s = seconds_up(rates->window_us);
    out->remaining =
        taken < rates->window_us ? (uint64_t)((rates->window_us - taken) / rates->interval_us) : 0;
    out->reset_s = seconds_up(taken);
    out->retry_after_s = (unsigned)seconds_up(over);
    return over <= 0;
}

uint64_t rift_client_key(const struct sockaddr *address)
{
    uint64_t key = 0;
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        return (uint64_t)1 << 32 | ntohl(v4.sin_addr.s_addr);
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof v6);
        memcpy(&key, v6.sin6_addr.s6_addr, sizeof key);
    }
    return key;
}
