# Sourced by the tests that read features of launches: CSV as CUDASIM_FEATURES writes it.
# shellcheck shell=bash

# classes_add_up CSV: the header is the one that is promised, and in every line l is the sum of its classes.
classes_add_up() {
    local header=kernel,grid_x,grid_y,grid_z,block_x,block_y,block_z,n,s,alpha,n_b,n_t,w,cpx,l,l_c,l_mr,l_mw,l_shr
    header+=,l_shw,l_s,l_dpu,l_sfu,dpc,shared_words,registers,warp_instructions,flops,bytes_read,bytes_written,footprint
    header+=,shared_passes,divergence,regular,issue,busy_alu,busy_fma,busy_fp64,busy_xu,busy_lsu,busy_tensor,chain
    header+=,wait_load,wait_shared,wait_atomic,wait_constant,wait_barrier,wait_fence,longest,block_most,load_requests
    header+=,load_sectors,load_lines,load_hits,store_requests,store_sectors,store_lines,local_lines,constant_requests
    header+=,constant_words,atomic_requests,atomic_lanes,atomic_words,atomic_sectors,atomic_hot,shared_atomics
    header+=,shared_rounds,load_found,code,wait_hit,load_fresh,store_fresh,atomic_meet,cold,atomic_turns
    header+=,atomic_rounds,shared_loops,heap,host_bytes,managed_first,prints,children,local_stores,print_lanes
    header+=,child_nested,heap_live,managed_areas,swaps,loads_longest,loads_most,first,fresh,in_place,shared_merged
    header+=,load_passes,store_passes,constant_fixed,constant_uniform,constant_lines,follows,executed,stale
    header+=,clocked,data_branches,data_addresses,machine
    assert_equal "$(head -n 1 "$1")" "$header"
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            sum = 0
            for (i = at["l_c"]; i <= at["l_sfu"]; i++) {
                if ($i < 0) { print $1 ": a class of " $i; bad = 1 }
                sum += $i
            }
            d = $at["l"] - sum
            if (d > 1e-9 * sum || -d > 1e-9 * sum) { print $1 ": l is " $at["l"] ", its classes are " sum; bad = 1 }
            if (NF != 106) { print "a line of " NF " fields: " $0; bad = 1 }
            if ($at["load_hits"] > $at["load_sectors"] || $at["load_lines"] > $at["load_sectors"] ||
                $at["atomic_words"] > $at["atomic_lanes"] || $at["chain"] <= 0) {
                print $1 ": more hits than sectors, more words than lanes or no path: " $0
                bad = 1
            }
            if ($at["dpc"] < 0 || $at["dpc"] > 1) { print $1 ": dpc " $at["dpc"]; bad = 1 }
            if ($at["divergence"] <= 0 || $at["divergence"] > 1) { print $1 ": divergence " $at["divergence"]; bad = 1 }
        }
        END { exit bad }' "$1" >&2
}

# value NAME: of the lines `name value` in $output.
value() { sed -n "s/^$1 //p" <<< "$output"; }
