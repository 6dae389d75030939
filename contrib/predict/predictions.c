/* predictions.c - see predictions.h. */
#include "predictions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The GPU that is predicted for: the one named, or the model's. */
static const struct gpu *find_gpu(const struct request *r, const struct model *model, struct error *error)
{
    const struct gpu *gpu = r->gpu ? gpus_find(&r->known, r->gpu) : *model->gpu.alias ? &model->gpu : NULL;

    if (!gpu && r->gpu)
        error_usage(error, "gpu '%s' is not in %s", r->gpu, r->gpus);
    else if (!gpu)
        error_usage(error, "%s was trained on several GPUs; name one with --gpu", r->file[0]);
    return gpu;
}

/* Reads the launches and predicts each. */
static bool forecast_all(struct predictions *p, const char *features, struct error *error)
{
    bool good = table_read(&p->table, features, TABLE_FEATURES, error);

    if (good) {
        p->forecast = calloc(p->table.rows, sizeof *p->forecast);
        good = p->forecast || error_toolkit(error, "no memory for %zu rows", p->table.rows);
    }
    for (size_t i = 0; good && p->warm && i < p->table.rows; i++)
        p->table.samples[i].value[COLUMN_COLD] = 0;
    for (size_t i = 0; good && i < p->table.rows; i++)
        good = model_forecast(&p->model, &p->table.samples[i], p->gpu, &p->forecast[i], features, error);
    if (!good)
        predictions_release(p);
    return good;
}

bool predictions_make(struct predictions *p, const struct request *r, const char *features, bool warm,
                      struct error *error)
{
    *p = (struct predictions){.warm = warm};
    if (!model_read(&p->model, r->file[0], error))
        return false;
    p->gpu = find_gpu(r, &p->model, error);
    if (p->gpu)
        return forecast_all(p, features, error);
    predictions_release(p);
    return false;
}

bool predictions_again(struct predictions *p, const struct predictions *first, const char *features,
                       struct error *error)
{
    *p = (struct predictions){.model = first->model, .gpu = first->gpu, .borrows = true, .warm = first->warm};
    return forecast_all(p, features, error);
}

void predictions_release(struct predictions *p)
{
    free(p->forecast);
    table_release(&p->table);
    if (!p->borrows)
        model_release(&p->model);
    *p = (struct predictions){.gpu = NULL};
}

const char *predictions_trained_on(const struct predictions *p)
{
    return *p->model.gpu.name ? p->model.gpu.name : "several GPUs";
}

double predictions_number(double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL);
}

const char *predictions_shown(char text[32], double value)
{
    double parts = fabs(value) >= 1000 ? 1 : fabs(value) >= 100 ? 10 : 100;

    snprintf(text, 32, "%.15g", round(value * parts) / parts);
    return text;
}

const char *predictions_percent(char text[32], double share)
{
    snprintf(text, 32, "%.15g %%", round(share * 1000) / 10);
    return text;
}
