#!/usr/bin/env bats
# What no submission may name, in whatever league: found in the built file, before anything runs.

setup() {
    load helpers/common
    cd "$root"
    so=$BATS_TEST_TMPDIR/device_user.so result=$BATS_TEST_TMPDIR/result.json
}

# library SOURCE-LINES [FLAG...]: a shared object as `make submission` links it.
library() {
    printf 'unsigned int device_user(char *a, int m, char *b, int n) { return 126; }\n%s\n' "$1" \
        > "$BATS_TEST_TMPDIR/a.c"
    gcc -shared -fPIC -w -Wl,--version-script=contrib/mk/exports.map -o "$so" "$BATS_TEST_TMPDIR/a.c" "${@:2}"
}

# refused WORDS: SV with exactly these words, and no case is run.
refused() {
    rm -f "$result"
    run -1 --separate-stderr timeout 20 "$host" editdistance --submission "$so" --case sample/1-small --json "$result"
    assert_equal "$(json '[.verdict, .message, (.cases | length)] | join(" | ")')" "SV | $1 | 0"
    assert_equal "${#lines[@]} ${lines[0]}" "1 FAILED. SV (rule or security violation): $1"
}

# run_at_all: it is judged, and found wrong.
run_at_all() {
    rm -f "$result"
    run -1 timeout 20 "$host" editdistance --submission "$so" --case sample/1-small --json "$result"
    assert_equal "$(json .verdict)" WA
}

# Every name with the words of its rule: those of the table in verify/inspect/imports.c,
# which are written down twice on purpose.
processes='fork _Fork __fork vfork __vfork forkpty clone __clone clone3 posix_spawn posix_spawnp pidfd_spawn execl
    execle execlp execv execve execveat execvp execvpe fexecve system popen wordexp daemon'
others='ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd'
devices='cudaSetDevice cudaGetDeviceCount cudaSetValidDevices cudaChooseDevice cudaInitDevice cudaDeviceGetByPCIBusId'
peers='cudaDeviceGetP2PAttribute cudaDeviceCanAccessPeer cudaDeviceEnablePeerAccess cudaDeviceDisablePeerAccess
    cudaMemcpyPeer cudaMemcpyPeerAsync cudaMemcpy3DPeer cudaMemcpy3DPeerAsync'
sharing='cudaIpcGetMemHandle cudaIpcOpenMemHandle cudaIpcGetEventHandle cudaImportExternalMemory
    cudaImportExternalSemaphore cudaMemPoolExportToShareableHandle cudaMemPoolImportPointer'
context='cudaDeviceReset cuCtxCreate cuCtxCreate_v4 cuCtxSetCurrent cuDevicePrimaryCtxRetain cuDevicePrimaryCtxReset_v2 cudaGreenCtxCreate'
driver='cuInit cuModuleLoadData cuMemAlloc_v2 cudaGetDriverEntryPoint cudaGetDriverEntryPointByVersion cudaGetExportTable'
loading='dlopen dlmopen dlsym dlvsym dlclose dladdr dladdr1 dlinfo dl_iterate_phdr _dl_sym'

@test "imports: every name of the table is refused, with the rule that it breaks" {
    while read -r list words; do
        for name in ${!list}; do
            # Weak, as the linker has not all of them to offer.
            library "extern __attribute__((weak)) int $name(); void *kept = (void *)$name;"
            refused "names $name: $words"
        done
    done << 'END'
processes a submission may not start processes
others a submission may not reach into other processes
devices a submission has the one device that it is given, and may not look for others
peers a submission may not reach the memory of other devices
sharing a submission may not share device memory with other processes
context the device's context is the judge's: a submission may not make or reset one
driver a submission may not go past the CUDA runtime to the driver
loading a submission may not load libraries or look up functions by name
END
}

@test "imports: a name that is bound to a symbol's version, or to another name, is found as well" {
    library '__asm__(".symver harmless, fork@GLIBC_2.2.5"); extern int harmless(void); void *kept = (void *)harmless;'
    refused 'names fork: a submission may not start processes'
}

@test "imports: names that only look like them, and functions of one's own of those names, are allowed" {
    library 'extern __attribute__((weak)) int customer(), forks(), my_system(), cudaMalloc(), cublas(), executor(),
            dlopener();
        void *kept[] = { customer, forks, my_system, cudaMalloc, cublas, executor, dlopener };'
    run_at_all
    library 'int fork(void) { return 0; } int dlsym(void) { return 0; } void *kept[] = { fork, dlsym };'
    run_at_all
}

@test "imports: libraries other than those of the languages are refused, as is changing where they are found" {
    local stub=$BATS_TEST_TMPDIR/stub.so words='a submission may not change where libraries are looked for'
    for name in libcuda.so.1 libnvidia-ml.so.1; do
        echo 'int stub;' | gcc -shared -x c -Wl,-soname,$name -o "$stub" -
        library '' -Wl,--no-as-needed "$stub"
        refused "needs $name: a submission may not go past the CUDA runtime to the driver"
    done
    for name in libcublas.so.13 libc.so./tmp/libc.so ./libm.so.6; do
        echo 'int stub;' | gcc -shared -x c -Wl,-soname,$name -o "$stub" -
        library '' -Wl,--no-as-needed "$stub"
        refused "needs $name: a submission may use the libraries of C, C++, the CUDA runtime and OpenCL only"
    done
    library '' -Wl,-rpath,/tmp
    refused "has DT_RUNPATH: $words"
    library '' -Wl,-rpath,/tmp -Wl,--disable-new-dtags
    refused "has DT_RPATH: $words"
    library '' -Wl,--audit,x.so
    refused "has DT_AUDIT: $words"
    library '' -Wl,--depaudit,x.so
    refused "has DT_DEPAUDIT: $words"
    library '' -Wl,-F,x.so
    refused "has DT_FILTER: $words"
    library '' -Wl,-f,x.so
    refused "has DT_AUXILIARY: $words"
    library '' -Wl,--no-as-needed -lm -lpthread -lstdc++ -lgcc_s
    run_at_all
}

@test "imports: a file whose sections hide what the loader will see is refused" {
    local offset where words='its dynamic symbols cannot be inspected: sections and program headers disagree'
    library 'extern __attribute__((weak)) int cuInit(); void *kept = (void *)cuInit;'
    offset=$(readelf -hW "$so" | sed -n 's/.*Start of section headers: *\([0-9]*\).*/\1/p')
    for section in .dynsym .dynamic; do
        cp "$so" "$BATS_TEST_TMPDIR/whole.so"
        # The address of the section, which libelf goes by and the loader does not look at.
        where=$(readelf -SW "$so" | sed -n "s/^ *\[ *\([0-9]*\)\] \\$section .*/\1/p")
        printf '\x01' | dd of="$so" bs=1 seek=$((offset + where * 64 + 16)) conv=notrunc status=none
        refused "$words"
        cp "$BATS_TEST_TMPDIR/whole.so" "$so"
    done
}

@test "imports: CUB and Thrust, which name some of them, are not refused for it" {
    requires nvcc
    library 'extern __attribute__((weak)) int cudaSetDevice(), cudaGetDeviceCount();
        void *kept[] = { cudaSetDevice, cudaGetDeviceCount, "_ZN3cub6kernelEv" };'
    run_at_all
    library 'extern __attribute__((weak)) int dlsym(); void *kept[] = { dlsym, "_ZN3cub6kernelEv" };'
    refused 'names dlsym: a submission may not load libraries or look up functions by name'
    library 'extern __attribute__((weak)) int cudaSetDevice(), cudaDeviceEnablePeerAccess();
        void *kept[] = { cudaSetDevice, cudaDeviceEnablePeerAccess, "_ZN3cub6kernelEv" };'
    refused 'names cudaDeviceEnablePeerAccess: a submission may not reach the memory of other devices'
    # The real thing: what it names is what the table says that it names.
    so=$(submission problems/mergesort/submissions/accepted/cub.cu mergesort)
    nm -D --undefined-only "$so" | sed 's/.* //; s/@.*//' | sort > "$BATS_TEST_TMPDIR/names"
    for name in cudaSetDevice cudaGetDeviceCount; do
        grep -qx $name "$BATS_TEST_TMPDIR/names" || fail "CUB does not name $name any more: the table can be stricter"
    done
    run -1 grep -x "dl.*" "$BATS_TEST_TMPDIR/names"
    run -0 timeout 120 "$host" mergesort --submission "$so" --league open --case sample/1-ten
}
