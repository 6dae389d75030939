/*
 * gpu_use.c - one judging's hold on a GPU.
 */
#include "gpu_use.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verify/wire/reap.h"

/* How long somebody else's work on the GPU is waited for. */
static const double idle_seconds = 5.0;

/* New wardens that are tried, a second apart: the driver may still be busy clearing up after what was killed. */
enum { PROBES = 3 };

static bool start_warden(struct gpu_use *use, struct error *error)
{
    if (!warden_start(&use->warden, use->program, use->gpu->uuid, error))
        return false;
    reap_spare(use->warden.pid);
    return true;
}

static void stop_warden(struct gpu_use *use)
{
    const pid_t pid = use->warden.pid;

    warden_stop(&use->warden);
    reap_unspare(pid);
}

bool gpu_use_probe(struct gpu_use *use, struct error *error)
{
    bool ok = use->busy || warden_health(&use->warden);

    for (int i = 0; i < PROBES && !ok; i++) {
        sleep(i > 0);
        stop_warden(use);
        if (!start_warden(use, error))
            return false;
        ok = warden_health(&use->warden);
    }
    if (ok)
        return true;
    gpu_mark(use->gpu, use->warden.why);
    return error_toolkit(error, "the GPU %s fails its probe (%s): this machine is unfit to judge until it passes",
                         use->gpu->uuid, use->warden.why);
}

/* The warden that was lent is not somebody else on the GPU. */
static void leave_out(struct gpu_state *state, pid_t pid)
{
    const unsigned kept = state->processes < GPU_PROCESSES_KEPT ? state->processes : GPU_PROCESSES_KEPT;

    for (unsigned i = 0; i < kept; i++)
        if (state->pids[i] == (unsigned)pid) {
            memmove(&state->pids[i], &state->pids[i + 1], (kept - i - 1) * sizeof state->pids[0]);
            state->pids[kept - 1] = 0;
            state->processes--;
            return;
        }
}

bool gpu_use_begin(struct gpu_use *use, const struct gpu *gpu, const char *program, int lent, struct error *error)
{
    *use = (struct gpu_use){ .gpu = gpu };
    snprintf(use->program, sizeof use->program, "%s", program);
    if (!gpu_claim(gpu, error))
        return false;
    if (lent >= 0 && warden_borrow(&use->warden, lent, gpu->uuid)) {
        gpu_read(gpu, &use->before);
        leave_out(&use->before, use->warden.pid);
        return true;
    }
    if (lent >= 0)
        snprintf(use->doubt, sizeof use->doubt, "%s", use->warden.why);
    gpu_read(gpu, &use->before);
    return start_warden(use, error);
}

bool gpu_use_settle(struct gpu_use *use, struct error *error)
{
    const struct gpu *gpu = use->gpu;
    char why[160];

    if (use->settled)
        return true;
    if (gpu_unfit(gpu, why, sizeof why)) {
        fprintf(stderr, "main_host: the GPU %s is marked as unfit (%s): probing it\n", gpu->uuid, why);
        /* What failed may be the making of a context: only a new process shows that it works again. */
        stop_warden(use);
        if (!start_warden(use, error) || !gpu_use_probe(use, error))
            return false;
        gpu_mark(gpu, NULL);
    } else if (use->doubt[0]) {
        fprintf(stderr, "main_host: the GPU %s is in doubt (%s): probing it\n", gpu->uuid, use->doubt);
        if (!gpu_use_probe(use, error))
            return false;
    }
    if (!warden_wait_ready(&use->warden))
        return error_toolkit(error, "the GPU %s cannot be used: %s", gpu->uuid, use->warden.why);
    use->busy = !warden_idle(&use->warden, idle_seconds);
    if (use->busy)
        stop_warden(use);
    use->settled = true;
    return true;
}

void gpu_use_count(struct gpu_use *use)
{
    void *library, *device;

    /* What others do on a busy GPU would be counted too. */
    use->no_counters = "another process uses the GPU: its work would be counted too";
    use->counters.failed = use->busy;
    if (!use->busy && gpu_nvml(use->gpu, &library, &device, &use->no_counters))
        gpm_open(&use->counters, library, device, &use->no_counters);
}

void gpu_use_end(struct gpu_use *use)
{
    if (!use->gpu)
        return;
    gpu_read(use->gpu, &use->after);
    gpm_close(&use->counters);
    stop_warden(use);
}
