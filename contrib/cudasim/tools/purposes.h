/*
 * purposes.h - the purposes of the rows of the table whose names begin with '@'. Only main_instructions.c includes it.
 */
#ifndef CUDASIM_PURPOSES_H
#define CUDASIM_PURPOSES_H

#include <stddef.h>

/* `rows`: the steps' names, or the part of them before a dot; NULL: of rows that have forms of their own. */
static const struct purpose {
    const char *rows;   /* names of steps */
    const char *forms;  /* the PTX that becomes them */
    const char *remark; /* what of it is accepted */
} purposes[] = {
    {"@ld", "`ld` `ldu`",
     "spaces `.global .shared{::cta/::cluster} .local .const .param` and generic; types of 8 to 128 bits; "
     "`.v2 .v4 .v8`; registers may be wider; `.volatile .relaxed .acquire .mmio`; `.nc`, cache operators and hints "
     "change nothing"},
    {"@st", "`st`", "as `ld`; also `.release`"},
    {"@atom", "`atom` `red`",
     "`.add .min .max .and .or .xor .inc .dec .exch .cas`; 16 to 128 bits; floating point `.add`, halves also "
     "`.min .max`, 128 bits `.exch .cas`; `.v2 .v4 .v8` by element; any order and scope, run as `.seq_cst.sys`"},
    {"@cp.async", "`cp.async.ca` `cp.async.cg`",
     "4, 8 or 16 bytes, source size, `ignore-src` or none; copied at once"},
    {"@cp.commit", "`cp.async.commit_group`", "for the check of races alone"},
    {"@cp.wait", "`cp.async.wait_group` `cp.async.wait_all`", "for the check of races alone"},
    {"@bulk", "`cp.async.bulk` `cp.reduce.async.bulk`",
     "between global and shared memory of any block of the cluster, by an mbarrier or a group; `.multicast::cluster`; "
     "copied at once"},
    {"@bulk.commit", "`cp.async.bulk.commit_group`", "for the check of races alone"},
    {"@bulk.wait", "`cp.async.bulk.wait_group`", "for the check of races alone"},
    {"@tensor", "`cp.async.bulk.tensor` `cp.reduce.async.bulk.tensor`",
     "`.1d` to `.5d`; `.tile .im2col .im2col_no_offs`, `.multicast::cluster`; all swizzles of 90; interleaved layouts; "
     "copied at once"},
    {"@st.async", "`st.async` `red.async`",
     "`.shared::cluster`, 32 and 64 bits, `.v2 .v4`; `.add .min .max .and .or .xor .inc .dec`; done at once"},
    {"@tensormap.replace", "`tensormap.replace`",
     "`.tile`, in global or shared memory: all fields but `.swizzle_atomicity`"},
    {"@tensormap.copy", "`tensormap.cp_fenceproxy`", "128 bytes"},
    {NULL, "`multimem.ld_reduce` `multimem.st` `multimem.red`",
     "as `ld`, `st` and `red`: there is one device, and an address of multicast memory stands for its own"},
    {"@mbarrier", "`mbarrier` `cp.async.mbarrier.arrive`",
     "`.init .inval .expect_tx .complete_tx .arrive .arrive_drop .test_wait .try_wait .pending_count`, with "
     "`.expect_tx`, `.noComplete`, `.parity`, `.noinc`"},
    {"@nop",
     "`cp.async.bulk.prefetch` `prefetch` `prefetchu` `discard` `applypriority` `griddepcontrol` `setmaxnreg` "
     "`pmevent` "
     "`wgmma.fence`",
     "do nothing: copies are complete when they are issued, and so is every earlier launch"},
    {NULL, "`cvta` `cvta.to` `createpolicy`", "moves and logic; all spaces"},
    {"@wgmma.commit", "`wgmma.commit_group`", "noted by the check for races"},
    {"@wgmma.wait", "`wgmma.wait_group`", "likewise"},
    {"@wgmma", "`wgmma.mma_async`",
     "all types, `m64n8` to `m64n256`; A in registers or in shared memory, all swizzles, transposed; computed at once; "
     "`.sp` too"},
    {"@tex", "`tex` `tld4`",
     "of objects: `.1d .2d .3d .a1d .a2d .cube .acube`; `.base .level .grad`, offsets, `d|p`; results of 32 bits and "
     "`.f16x2`; not multisampled, not compared with a depth, no references"},
    {"@txq", "`txq` `suq`", "of objects"},
    {"@suld", "`suld.b`", "`.b8` to `.b64`, `.v2 .v4`; `.trap .clamp .zero`"},
    {"@sust", "`sust.b` `sust.p`", "as `suld`"},
    {"@sured", "`sured.b` `sured.p`", "`.add .min .max .and .or .xor`"},
    {"@isspacep", "`isspacep`", "`.global .shared{::cta/::cluster} .local .const .param`"},
    {"@address", "`mov` of an address, `cvta`", "of variables, parameters and functions"},
    {"@cvta_local", "`cvta` `cvta.to`", "of local addresses: a generic one names its thread"},
    {"@cvta_shared", "`cvta` `cvta.to`", "of shared addresses: they may be of another block of the cluster"},
    {"@mapa", "`mapa`", "32 and 64 bits"},
    {"@getctarank", "`getctarank`", "32 and 64 bits"},
    {"@alloca", "`alloca`", "every lane of a warp gets the greatest size that one of them asks for"},
    {"@stack", "`stacksave` `stackrestore`", ""},
    {"@pack", "`mov` into a vector's whole", "elements of 8 to 64 bits"},
    {"@unpack", "`mov` of a whole into a vector", "the same"},
    {"@special", "`mov` of a special register", "see below"},
    {"@ext8", "`cvt` from or to `u8 s8`", "by way of 16 bits or more"},
    {NULL, "`set` of integers, `f32`, `f64`",
     "as `setp` and `selp`; `.and .or .xor`; also `setp` with them and a second predicate"},
    {"@carry", "`add.cc` `addc` `sub.cc` `subc` `mad.cc` `madc`", "32 and 64 bits"},
    {"@lop3.bool", "`lop3.or` `lop3.and`", "with a predicate"},
    {"@bra", "`bra`", "a guard is its condition; `.uni` changes nothing"},
    {"@brx", "`brx.idx`", "with `.branchtargets`"},
    {"@call", "`call`",
     "of a function in the module or through a pointer; parameters in `.param` space, recursion too"},
    {"@builtin",
     "`call` of `vprintf` `malloc` `free` `__assertfail` `cudaGraphSetConditional`, and of launches, copies and "
     "allocations by kernels",
     "the only functions of the device runtime"},
    {"@ret", "`ret`", ""},
    {"@exit", "`exit`", "and `ret` of a kernel"},
    {"@trap", "`trap` `brkpt`", "end the launch"},
    {"@undefined", "uses of registers that are never set", "for the check of undefined registers alone"},
    {"@spread", "results of undefined operands", "the same"},
    {"@shade", "undefined values in shared memory", "the same"},
    {"@guarded", "`@p` `@!p`", "any instruction"},
    {"@join", "labels", "where lanes may meet again"},
    {"@bar", "`bar{.cta}` `barrier{.cta}`",
     "`.sync .arrive .red.popc .red.and .red.or`, numbers 0 to 15, thread counts"},
    {"@bar.warp", "`bar.warp.sync`", ""},
    {"@cluster", "`barrier.cluster`", "`.arrive .wait`"},
    {"@fence", "`fence` `membar`", "all forms, as the strongest; proxies need nothing"},
    {"@nanosleep", "`nanosleep`", "lets other warps run, without waiting"},
    {"@shfl", "`shfl.sync`", "`.up .down .bfly .idx`"},
    {"@vote", "`vote.sync`", "`.all .any .uni .ballot`"},
    {"@match", "`match.sync`", "`.any .all`, 32 and 64 bits"},
    {"@redux", "`redux.sync`", "`.add .min .max .and .or .xor`, integers of 32 bits"},
    {"@elect", "`elect.sync`", ""},
    {"@activemask", "`activemask`", ""},
};

#endif
