/*
 * Runs the instruction forms of forms.txt on whatever CUDA runtime it finds, and records or checks the results:
 * a digest a form for golden files, independent expectations (expected.c), raw results of another machine. Started by
 * run.sh. It knows how to launch a form and to compare values; what an instruction computes it does not know.
 */
#include "forms.h"
#include "operands.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <unordered_map>
#include <vector>

#define FORMS_PART(k) extern const struct form forms_##k[]; extern const unsigned forms_count_##k;
#include "forms_list.inc"
#undef FORMS_PART

enum { THREADS = 128, SCRATCH = 16, MISMATCHES_SHOWN = 3 };

static const char usage[] =
    "usage: forms [-f GLOB]... [-x GLOB]... [-l] [-o FILE] [-c GOLDEN] [-e] [-r FILE] [-s FILE] [-d] [-p] [-v]\n"
    "  -f GLOB    only forms whose name matches (repeatable); @bound means those whose rule is a bound\n"
    "  -x GLOB    not the forms whose name matches (repeatable)\n"
    "  -l         list the forms, their rules and tuples; run nothing\n"
    "  -o FILE    write the summary: a line 'name tuples digest' for each form\n"
    "  -c GOLDEN  compare with such a summary; of forms with a bound, those whose rule is golden/...\n"
    "  -e         compare with the independent expectations\n"
    "  -r FILE    write raw results\n"
    "  -s FILE    compare with raw results written elsewhere, under each form's rule\n"
    "  -d         print operands and results in hex\n"
    "  -p         print operands and the independent expectations; run nothing\n"
    "  -v         with -e and -s, a line for each form\n";

[[noreturn]] static void die(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    fputs("forms: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(2);
}

static void check(cudaError_t error, const char *what, const char *name)
{
    if (error != cudaSuccess)
        die("%s: %s: %s", name, what, cudaGetErrorString(error));
}

struct options {
    std::vector<const char *> only;     /* -f */
    std::vector<const char *> except;   /* -x */
    const char *summary = nullptr;      /* -o */
    const char *golden = nullptr;       /* -c */
    const char *raw_out = nullptr;      /* -r */
    const char *raw_in = nullptr;       /* -s */
    bool expect = false;                /* -e */
    bool list = false;                  /* -l */
    bool dump = false;                  /* -d */
    bool expectations = false;          /* -p */
    bool verbose = false;               /* -v */
};

struct device {
    u64 *in;        /* operands, FORM_INS columns of the largest n */
    u64 *out;       /* results, FORM_OUTS columns */
    u64 *scratch;   /* SCRATCH words a thread */
};

/* The findings of a whole run. */
struct totals {
    unsigned forms, failed, golden_differ, golden_missing, golden_bound, expected, expected_differ, raw_differ;
};

static bool is_bound(const struct form &form)
{
    return strcmp(form.rule, "bits") != 0 && strcmp(form.rule, "nan") != 0;
}

/* A bound for what the manual leaves open, but the bits of a recorded machine. */
static bool is_golden(const struct form &form)
{
    return !is_bound(form) || strncmp(form.rule, "golden/", 7) == 0;
}

static bool chosen(const struct options &options, const struct form &form)
{
    bool yes = options.only.empty();

    for (const char *glob : options.only)
        yes |= strcmp(glob, "@bound") == 0 ? is_bound(form) : fnmatch(glob, form.name, 0) == 0;
    for (const char *glob : options.except)
        yes &= !(strcmp(glob, "@bound") == 0 ? is_bound(form) : fnmatch(glob, form.name, 0) == 0);
    return yes;
}

static std::vector<struct form> all_forms(const struct options &options)
{
    std::vector<struct form> forms;

#define FORMS_PART(k) \
    for (unsigned i = 0; i < forms_count_##k; i++) \
        if (chosen(options, forms_##k[i])) \
            forms.push_back(forms_##k[i]);
#include "forms_list.inc"
#undef FORMS_PART
    return forms;
}

/* Returns whether the form ran; if not it is reported, and the others may still run (a stand-in may lack a form). */
static bool run_form(const struct device &device, const struct form &form, const std::vector<u64> &in,
                     std::vector<u64> &out)
{
    size_t in_bytes = sizeof(u64) * form.nin * form.n, out_bytes = sizeof(u64) * form.nout * form.n;

    check(cudaMemcpy(device.in, in.data(), in_bytes, cudaMemcpyHostToDevice), "copy of the operands", form.name);
    check(cudaMemset(device.out, 0, out_bytes), "clearing the results", form.name);
    check(cudaMemset(device.scratch, 0, sizeof(u64) * SCRATCH * form.n), "clearing the scratch", form.name);
    form.kernel<<<form.n / THREADS, THREADS>>>(device.in, device.out, form.n, device.scratch);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("FAILED %s: %s\n", form.name, cudaGetErrorString(error));
        return false;
    }
    check(cudaMemcpy(out.data(), device.out, out_bytes, cudaMemcpyDeviceToHost), "copy of the results", form.name);
    return true;
}

static u64 digest(const struct form &form, const std::vector<u64> &out)
{
    u64 hash = form_hash_start;

    for (unsigned j = 0; j < form.nout; j++)
        for (unsigned i = 0; i < form.n; i++) {
            u64 x = out[(size_t)j * form.n + i];
            if (strcmp(form.rule, "nan") == 0)
                x = form_canonical(form.out[j], x);
            hash = form_hash(hash, &x, sizeof x);
        }
    return hash;
}

static void print_tuple(FILE *to, const struct form &form, unsigned i, const u64 *in, const u64 *out, const u64 *other)
{
    fprintf(to, "%s %u:", form.name, i);
    for (unsigned j = 0; j < form.nin; j++)
        fprintf(to, " %0*llx", (int)(form_type_bits(form.in[j]) + 3) / 4, in[(size_t)j * form.n + i]);
    fputs(" ->", to);
    for (unsigned j = 0; j < form.nout; j++)
        fprintf(to, " %0*llx", (int)(form_type_bits(form.out[j]) + 3) / 4, out[(size_t)j * form.n + i]);
    if (other) {
        fputs(" want", to);
        for (unsigned j = 0; j < form.nout; j++)
            fprintf(to, " %0*llx", (int)(form_type_bits(form.out[j]) + 3) / 4, other[(size_t)j * form.n + i]);
    }
    fputc('\n', to);
}

/* Compares with other[], where known[] (or everywhere without it). Returns whether the form passes. */
static bool compare(const struct options &options, const struct form &form, const std::vector<u64> &in,
                    const std::vector<u64> &out, const std::vector<u64> &other, const unsigned char *known,
                    const char *source)
{
    unsigned tuples = 0, equal = 0, within = 0, shown = 0;
    double worst = 0;

    for (unsigned i = 0; i < form.n; i++) {
        bool all_equal = true, all_within = true;
        if (known && !known[i])
            continue;
        for (unsigned j = 0; j < form.nout; j++) {
            size_t at = (size_t)j * form.n + i;
            struct form_match match = form_compare(form.out[j], form.rule, known != nullptr, out[at], other[at]);
            all_equal &= match.equal;
            all_within &= match.within;
            worst = fmax(worst, match.ulps);
        }
        tuples++;
        equal += all_equal;
        within += all_within;
        if (!all_within && shown++ < MISMATCHES_SHOWN)
            print_tuple(stdout, form, i, in.data(), out.data(), other.data());
    }
    if (options.verbose || within < tuples)
        printf("%s %s %s: %u of %u within %s, %u equal, worst %.4g ulp\n", within < tuples ? "DIFFER" : "same", source,
               form.name, within, tuples, form.rule, equal, worst);
    return within == tuples;
}

static std::unordered_map<std::string, std::string> read_summary(const char *path)
{
    std::unordered_map<std::string, std::string> lines;
    FILE *file = fopen(path, "r");
    char name[256], count[32], hash[32], line[512];

    if (!file)
        die("cannot open '%s': %s", path, strerror(errno));
    while (fgets(line, sizeof line, file))
        if (line[0] != '#' && sscanf(line, "%255s %31s %31s", name, count, hash) == 3)
            lines[name] = std::string(count) + " " + hash;
    fclose(file);
    return lines;
}

/* ---- raw files: "name n nout\n", then the columns, each value in as many bytes as its register has */

static size_t raw_bytes(const char *type) { return (form_type_bits(type) + 7) / 8; }

static void write_raw(FILE *file, const struct form &form, const std::vector<u64> &out)
{
    fprintf(file, "%s %u %u\n", form.name, form.n, form.nout);
    for (unsigned j = 0; j < form.nout; j++) {
        size_t bytes = raw_bytes(form.out[j]);
        std::vector<unsigned char> column(bytes * form.n);
        for (unsigned i = 0; i < form.n; i++)
            memcpy(&column[bytes * i], &out[(size_t)j * form.n + i], bytes);
        if (fwrite(column.data(), 1, column.size(), file) != column.size())
            die("cannot write raw results: %s", strerror(errno));
    }
}

struct raw {
    unsigned n, nout;                   /* tuples and columns recorded */
    std::vector<unsigned char> data;    /* the columns */
};

static std::unordered_map<std::string, raw> read_raw(const char *path)
{
    std::unordered_map<std::string, raw> found;
    std::unordered_map<std::string, const struct form *> by_name;
    const std::vector<struct form> forms = all_forms({});
    FILE *file = fopen(path, "rb");
    char name[256], line[512];
    raw r;

    if (!file)
        die("cannot open '%s': %s", path, strerror(errno));
    for (const struct form &form : forms)
        by_name[form.name] = &form;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%255s %u %u", name, &r.n, &r.nout) != 3)
            die("'%s' is no file of raw results", path);
        auto it = by_name.find(name);
        if (it == by_name.end())
            die("'%s' holds form '%s', which is none of those built here", path, name);
        size_t bytes = 0;
        for (unsigned j = 0; j < r.nout && j < it->second->nout; j++)
            bytes += raw_bytes(it->second->out[j]) * r.n;
        r.data.resize(bytes);
        if (fread(r.data.data(), 1, bytes, file) != bytes)
            die("'%s' is cut short", path);
        found[name] = r;
    }
    fclose(file);
    return found;
}

static bool unpack_raw(const raw &r, const struct form &form, std::vector<u64> &other)
{
    size_t at = 0;

    if (r.n != form.n || r.nout != form.nout)
        return false;
    other.assign((size_t)form.nout * form.n, 0);
    for (unsigned j = 0; j < form.nout; j++)
        for (unsigned i = 0; i < form.n; i++, at += raw_bytes(form.out[j]))
            memcpy(&other[(size_t)j * form.n + i], &r.data[at], raw_bytes(form.out[j]));
    return true;
}

/* ---- the run */

static FILE *open_output(const char *path, const char *mode)
{
    FILE *file = path ? fopen(path, mode) : nullptr;

    if (path && !file)
        die("cannot open '%s': %s", path, strerror(errno));
    return file;
}

static void close_output(FILE *file, const char *path)
{
    if (file && (ferror(file) | fclose(file)))
        die("cannot write '%s'", path);
}

static void check_golden(const std::unordered_map<std::string, std::string> &golden, const struct form &form,
                         u64 hash, struct totals &totals)
{
    char line[64];
    auto it = golden.find(form.name);

    snprintf(line, sizeof line, "%u %016llx", form.n, hash);
    if (!is_golden(form))
        totals.golden_bound++;
    else if (it == golden.end())
        totals.golden_missing++, printf("MISSING golden %s\n", form.name);
    else if (it->second != line)
        totals.golden_differ++, printf("DIFFER golden %s\n", form.name);
}

static void run_all(const struct options &options, const std::vector<struct form> &forms, struct totals &totals)
{
    std::unordered_map<std::string, std::string> golden;
    std::unordered_map<std::string, raw> raws;
    FILE *summary = open_output(options.summary, "w"), *raw_out = open_output(options.raw_out, "wb");
    struct device device = {};
    size_t largest = 0;

    if (options.golden)
        golden = read_summary(options.golden);
    if (options.raw_in)
        raws = read_raw(options.raw_in);
    for (const struct form &form : forms)
        largest = form.n > largest ? form.n : largest;
    check(cudaMalloc(&device.in, sizeof(u64) * FORM_INS * largest), "cudaMalloc", "start");
    check(cudaMalloc(&device.out, sizeof(u64) * FORM_OUTS * largest), "cudaMalloc", "start");
    check(cudaMalloc(&device.scratch, sizeof(u64) * SCRATCH * largest), "cudaMalloc", "start");
    for (const struct form &form : forms) {
        std::vector<u64> in((size_t)form.nin * form.n), out((size_t)form.nout * form.n), other;
        form_operands(&form, in.data());
        totals.forms++;
        if (!run_form(device, form, in, out)) {
            totals.failed++;
            continue;
        }
        u64 hash = digest(form, out);
        if (summary)
            fprintf(summary, "%s %u %016llx\n", form.name, form.n, hash), fflush(summary);
        if (raw_out)
            write_raw(raw_out, form, out);
        if (options.dump)
            for (unsigned i = 0; i < form.n; i++)
                print_tuple(stdout, form, i, in.data(), out.data(), nullptr);
        if (options.golden)
            check_golden(golden, form, hash, totals);
        if (options.expect) {
            std::vector<unsigned char> known(form.n);
            other.assign(out.size(), 0);
            form_expected(&form, in.data(), other.data(), known.data());
            if (memchr(known.data(), 1, form.n)) {
                totals.expected++;
                totals.expected_differ += !compare(options, form, in, out, other, known.data(), "expected");
            } else if (options.verbose) {
                printf("UNKNOWN expected %s\n", form.name);
            }
        }
        if (options.raw_in && raws.count(form.name) && unpack_raw(raws[form.name], form, other))
            totals.raw_differ += !compare(options, form, in, out, other, nullptr, "raw");
    }
    close_output(summary, options.summary);
    close_output(raw_out, options.raw_out);
    check(cudaFree(device.in), "cudaFree", "end");
    check(cudaFree(device.out), "cudaFree", "end");
    check(cudaFree(device.scratch), "cudaFree", "end");
}

static void print_expectations(const struct form &form)
{
    std::vector<u64> in((size_t)form.nin * form.n), out((size_t)form.nout * form.n);
    std::vector<unsigned char> known(form.n);

    form_operands(&form, in.data());
    form_expected(&form, in.data(), out.data(), known.data());
    for (unsigned i = 0; i < form.n; i++)
        if (known[i])
            print_tuple(stdout, form, i, in.data(), out.data(), nullptr);
    if (!memchr(known.data(), 1, form.n))
        printf("%s: no expectation\n", form.name);
}

static struct options parse(int argc, char **argv)
{
    struct options options;

    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (arg[0] != '-' || !arg[1] || arg[2] || (strchr("fxocrs", arg[1]) && i + 1 == argc))
            die("bad argument '%s'\n%s", arg, usage);
        switch (arg[1]) {
        case 'f': options.only.push_back(argv[++i]); break;
        case 'x': options.except.push_back(argv[++i]); break;
        case 'o': options.summary = argv[++i]; break;
        case 'c': options.golden = argv[++i]; break;
        case 'r': options.raw_out = argv[++i]; break;
        case 's': options.raw_in = argv[++i]; break;
        case 'e': options.expect = true; break;
        case 'l': options.list = true; break;
        case 'd': options.dump = true; break;
        case 'p': options.expectations = true; break;
        case 'v': options.verbose = true; break;
        default: die("bad argument '%s'\n%s", arg, usage);
        }
    }
    return options;
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    struct totals totals = {};
    std::vector<struct form> forms = all_forms(options);

    if (forms.empty())
        die("no form is chosen");
    if (options.list) {
        for (const struct form &form : forms)
            printf("%s %s %u\n", form.name, form.rule, form.n);
        return 0;
    }
    if (options.expectations) {
        for (const struct form &form : forms)
            print_expectations(form);
        return 0;
    }
    setvbuf(stdout, nullptr, _IOLBF, 0);
    run_all(options, forms, totals);
    printf("%u forms run, %u failed", totals.forms, totals.failed);
    if (options.golden)
        printf("; golden: %u differ, %u missing, %u with a bound not compared", totals.golden_differ,
               totals.golden_missing, totals.golden_bound);
    if (options.expect)
        printf("; expected: %u checked, %u differ", totals.expected, totals.expected_differ);
    if (options.raw_in)
        printf("; raw: %u differ", totals.raw_differ);
    putchar('\n');
    return totals.failed || totals.golden_differ || totals.golden_missing || totals.expected_differ
        || totals.raw_differ;
}
