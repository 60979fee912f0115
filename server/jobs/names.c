/* The name tables that conversions use, read again when an import replaced the file. */
#include "jobs/jobs_internal.h"

#include <sys/stat.h>

#include "log/log.h"

static void on_names_pool(uv_work_t *work)
{
    rift_jobs *jobs = work->data;
    rift_err err;
    bool remade = false;
    rift_err_in(&err, (rift_str){0});
    jobs->names_read = NULL;
    if (!rift_hashpack_open(&jobs->names_read, jobs->config.env->hashes_path, &remade, &err) &&
        err.code != RIFT_ERR_NOT_FOUND)
        rift_log_failure("the name tables cannot be read", &err);
    if (remade)
        rift_log_line(RIFT_LOG_INFO, "the pack of names was made again");
}

void rift_jobs_set_names(rift_jobs *jobs, rift_hashpack *names)
{
    const bool is_other = rift_jobs_digest_of(names) != rift_jobs_names_digest(jobs);
    rift_hashpack *old = jobs->names;
    jobs->names = rift_hashpack_ref(names);
    rift_hashpack_unref(old);
    if (!is_other)
        return;
    rift_log_line(RIFT_LOG_INFO, "name tables changed");
    rift_jobs_turn(jobs);
}

static void on_names_read(uv_work_t *work, int status)
{
    (void)status;
    rift_jobs *jobs = work->data;
    rift_hashpack *names = jobs->names_read;
    jobs->names_reading = false;
    jobs->names_read = NULL;
    const bool is_other = rift_jobs_digest_of(names) != rift_jobs_names_digest(jobs);
    if (names != NULL && is_other && jobs->config.names != NULL && !jobs->draining) {
        jobs->config.names(jobs->config.torn_user, names);
    } else if (names != NULL) {
        rift_jobs_set_names(jobs, names);
        rift_hashpack_unref(names);
    }
    rift_jobs_check_idle(jobs);
}

static bool names_changed(rift_jobs *jobs)
{
    struct stat st = {0};
    if (stat(jobs->config.env->hashes_path, &st) != 0)
        return false;
    const bool same = st.st_ino == jobs->names_inode && st.st_mtim.tv_sec == jobs->names_time.tv_sec &&
                      st.st_mtim.tv_nsec == jobs->names_time.tv_nsec;
    jobs->names_inode = st.st_ino;
    jobs->names_time = st.st_mtim;
    return !same;
}

void rift_jobs_watch_names(rift_jobs *jobs)
{
    if (jobs->names_reading || jobs->draining || !names_changed(jobs))
        return;
    jobs->names_reading = true;
    jobs->names_work.data = jobs;
    const int code = uv_queue_work(jobs->config.loop, &jobs->names_work, on_names_pool, on_names_read);
    RIFT_ASSERT(code == 0);
}

void rift_jobs_read_names(rift_jobs *jobs)
{
    (void)names_changed(jobs);
    jobs->names_work.data = jobs;
    on_names_pool(&jobs->names_work); /* the loop does not run yet */
    jobs->names = jobs->names_read;
    jobs->names_read = NULL;
}
