/* A thread draws the bar ten times a second from the control's atomics, so that the conversion itself knows nothing of
 * terminals. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#include "base/str.h"

struct cli_progress {
    pthread_t thread;
    rift_bake_control *control;
    rift_str label;
    atomic_bool stop;
};

/* A line never wraps: label, bar, percent and word stay below 80 columns. */
enum { BAR_WIDTH = 30, LABEL_WIDTH = 20 };

static bool wants_bar(const cli_args *args)
{
    return !cli_has(args, "quiet") && isatty(STDERR_FILENO);
}

static int clip_width(size_t size, int width)
{
    return size < (size_t)width ? (int)size : width;
}

static void draw(rift_str label, int percent, rift_str what)
{
    char bar[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i * 100 < percent * BAR_WIDTH ? '#' : ' ';
    bar[BAR_WIDTH] = '\0';
    (void)fprintf(stderr, "\r%.*s [%s] %3d %% %.*s\033[K", clip_width(label.size, LABEL_WIDTH),
                  label.data ? label.data : "", bar, percent, clip_width(what.size, LABEL_WIDTH),
                  what.data ? what.data : "");
    (void)fflush(stderr);
}

static void *run(void *user)
{
    cli_progress *p = user;
    do { /* at least once, however short the work is */
        const char *stage = rift_stage_word((rift_stage)atomic_load(&p->control->stage));
        draw(p->label, atomic_load(&p->control->progress), rift_str_c(stage));
        const struct timespec pause = {.tv_nsec = 100L * 1000 * 1000};
        (void)nanosleep(&pause, NULL);
    } while (!atomic_load(&p->stop));
    return NULL;
}

cli_progress *cli_progress_start(const cli_args *args, rift_str label, rift_bake_control *control)
{
    if (!wants_bar(args))
        return NULL;
    cli_progress *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->control = control;
    p->label = label;
    if (pthread_create(&p->thread, NULL, run, p) == 0)
        return p;
    free(p);
    return NULL;
}

void cli_progress_stop(cli_progress *p)
{
    if (p == NULL)
        return;
    atomic_store(&p->stop, true);
    (void)pthread_join(p->thread, NULL);
    (void)fprintf(stderr, "\r\033[K");
    free(p);
}

void cli_progress_step(const cli_args *args, size_t done, size_t total, rift_str what)
{
    if (!wants_bar(args))
        return;
    char label[48];
    (void)snprintf(label, sizeof label, "%zu/%zu", done, total);
    draw(rift_str_c(label), total > 0 ? (int)(100 * done / total) : 100, what);
}

void cli_progress_show(const cli_args *args, rift_str label, int percent, rift_str what)
{
    if (wants_bar(args))
        draw(label, percent, what);
}

void cli_progress_clear(const cli_args *args)
{
    if (wants_bar(args))
        (void)fprintf(stderr, "\r\033[K");
}
