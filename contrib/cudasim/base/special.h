/*
 * special.h - PTX's special registers in one list: name, bytes, and the expression that table_control.c computes.
 */
#ifndef CUDASIM_SPECIAL_H
#define CUDASIM_SPECIAL_H

#include <stdbool.h>
#include <string.h>

#define SPECIAL_LIST(X)                                                                                                \
    X(TID_X, "%tid.x", 4)                                                                                              \
    X(TID_Y, "%tid.y", 4)                                                                                              \
    X(TID_Z, "%tid.z", 4)                                                                                              \
    X(NTID_X, "%ntid.x", 4)                                                                                            \
    X(NTID_Y, "%ntid.y", 4)                                                                                            \
    X(NTID_Z, "%ntid.z", 4)                                                                                            \
    X(CTAID_X, "%ctaid.x", 4)                                                                                          \
    X(CTAID_Y, "%ctaid.y", 4)                                                                                          \
    X(CTAID_Z, "%ctaid.z", 4)                                                                                          \
    X(NCTAID_X, "%nctaid.x", 4)                                                                                        \
    X(NCTAID_Y, "%nctaid.y", 4)                                                                                        \
    X(NCTAID_Z, "%nctaid.z", 4)                                                                                        \
    X(LANEID, "%laneid", 4)                                                                                            \
    X(WARPID, "%warpid", 4)                                                                                            \
    X(NWARPID, "%nwarpid", 4)                                                                                          \
    X(SMID, "%smid", 4)                                                                                                \
    X(NSMID, "%nsmid", 4)                                                                                              \
    X(GRIDID, "%gridid", 8)                                                                                            \
    X(LANEMASK_EQ, "%lanemask_eq", 4)                                                                                  \
    X(LANEMASK_LE, "%lanemask_le", 4)                                                                                  \
    X(LANEMASK_LT, "%lanemask_lt", 4)                                                                                  \
    X(LANEMASK_GE, "%lanemask_ge", 4)                                                                                  \
    X(LANEMASK_GT, "%lanemask_gt", 4)                                                                                  \
    X(CLOCK, "%clock", 4)                                                                                              \
    X(CLOCK_HI, "%clock_hi", 4)                                                                                        \
    X(CLOCK64, "%clock64", 8)                                                                                          \
    X(GLOBALTIMER, "%globaltimer", 8)                                                                                  \
    X(GLOBALTIMER_LO, "%globaltimer_lo", 4)                                                                            \
    X(GLOBALTIMER_HI, "%globaltimer_hi", 4)                                                                            \
    X(DYNAMIC_SMEM, "%dynamic_smem_size", 4)                                                                           \
    X(TOTAL_SMEM, "%total_smem_size", 4)                                                                               \
    X(AGGR_SMEM, "%aggr_smem_size", 4)                                                                                 \
    X(CLUSTERID_X, "%clusterid.x", 4)                                                                                  \
    X(CLUSTERID_Y, "%clusterid.y", 4)                                                                                  \
    X(CLUSTERID_Z, "%clusterid.z", 4)                                                                                  \
    X(NCLUSTERID_X, "%nclusterid.x", 4)                                                                                \
    X(NCLUSTERID_Y, "%nclusterid.y", 4)                                                                                \
    X(NCLUSTERID_Z, "%nclusterid.z", 4)                                                                                \
    X(CLUSTER_CTAID_X, "%cluster_ctaid.x", 4)                                                                          \
    X(CLUSTER_CTAID_Y, "%cluster_ctaid.y", 4)                                                                          \
    X(CLUSTER_CTAID_Z, "%cluster_ctaid.z", 4)                                                                          \
    X(CLUSTER_NCTAID_X, "%cluster_nctaid.x", 4)                                                                        \
    X(CLUSTER_NCTAID_Y, "%cluster_nctaid.y", 4)                                                                        \
    X(CLUSTER_NCTAID_Z, "%cluster_nctaid.z", 4)                                                                        \
    X(CLUSTER_CTARANK, "%cluster_ctarank", 4)                                                                          \
    X(CLUSTER_NCTARANK, "%cluster_nctarank", 4)                                                                        \
    X(IS_EXPLICIT_CLUSTER, "%is_explicit_cluster", 4)                                                                  \
    X(RESERVED_BEGIN, "%reserved_smem_offset_begin", 4)                                                                \
    X(RESERVED_END, "%reserved_smem_offset_end", 4)                                                                    \
    X(RESERVED_CAP, "%reserved_smem_offset_cap", 4)                                                                    \
    X(RESERVED_0, "%reserved_smem_offset_0", 4)                                                                        \
    X(RESERVED_1, "%reserved_smem_offset_1", 4)                                                                        \
    X(GRAPH, "%current_graph_exec", 8)                                                                                 \
    X(ENVREG1, "%envreg1", 4)                                                                                          \
    X(ENVREG2, "%envreg2", 4)                                                                                          \
    X(UNSET, "%pm0", 4)                                                                                                \
    X(UNSET_64, "%pm0_64", 8)

#define SPECIAL_ENUM(id, name, bytes) SPECIAL_##id,
enum special { SPECIAL_LIST(SPECIAL_ENUM) SPECIAL_COUNT };

/*
 * The special register of that name, and the bytes of a lane; *bytes is 0 if there is none. The performance counters
 * %pm0 to %pm7 count nothing, and the driver sets no other %envreg: they are 0.
 */
static inline int special_named(const char *name, unsigned *bytes)
{
#define SPECIAL_ROW(id, name, bytes) {name, bytes},
    static const struct {
        const char *name;
        unsigned bytes;
    } list[] = {SPECIAL_LIST(SPECIAL_ROW)};
    size_t length = strlen(name);
    bool counter = length > 3 && !strncmp(name, "%pm", 3) && name[3] >= '0' && name[3] <= '7';
    bool driver = length > 7 && length <= 9 && !strncmp(name, "%envreg", 7);

    for (int n = 0; n < SPECIAL_COUNT; n++)
        if (strcmp(list[n].name, name) == 0) {
            *bytes = list[n].bytes;
            return n;
        }
    if ((counter && length == 4) || (driver && strspn(name + 7, "0123456789") == length - 7)) {
        *bytes = 4;
        return SPECIAL_UNSET;
    }
    if (counter && !strcmp(name + 4, "_64")) {
        *bytes = 8;
        return SPECIAL_UNSET_64;
    }
    *bytes = 0;
    return 0;
}

#endif
