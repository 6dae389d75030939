#!/usr/bin/env bats
# Names that no submission may use, in any league: found in the built file, before anything runs.

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
devices a submission may use only the device that it is given
peers a submission may not reach the memory of other devices
sharing a submission may not share device memory with other processes
context the device's context is the judge's: a submission may not make or reset one
driver a submission may not go past the CUDA runtime to the driver
loading a submission may not load libraries or look up functions by name
END
}

@test "imports: a name bound to a symbol version or to another name is found too" {
    library '__asm__(".symver harmless, fork@GLIBC_2.2.5"); extern int harmless(void); void *kept = (void *)harmless;'
    refused 'names fork: a submission may not start processes'
}

# Names in no group, and things that a submission may not do: one line for all.
others_words='a submission may use functions that compute and print, of C, C++, CUDA and OpenCL, and no others (docs/SECURITY.md lists them)'

@test "imports: functions that compute and print are allowed, and every other name is refused" {
    for name in fopen open openat read close socket connect send ioctl prctl syscall mprotect memfd_create shm_open \
        setenv putenv unsetenv clearenv iconv_open iconv setlocale newlocale uselocale bindtextdomain catopen getpwnam \
        getaddrinfo gethostbyname getgrnam getservbyname fmtmsg regcomp kill sigqueue getauxval backtrace mkstemp \
        tmpfile freopen fdopen fopencookie opendir nftw sem_open mq_open shmget setrlimit setuid error warn \
        register_printf_function environ __environ __libc_dlopen_mode __nss_database_lookup cudaLibraryLoadData \
        cudaGraphDebugDotPrint cudaLogsDumpToFile cudaGraphicsMapResources clCreateProgramWithBinary \
        clCreateProgramWithIL clGetExtensionFunctionAddressForPlatform __cudaGetProcAddress \
        __cudaRegisterUnifiedTable __register_frame customer my_system __fopen_chk __isoc99_fopen open_l socket_r \
        fopen_unlocked __open_chk __fork_finite; do
        library "extern __attribute__((weak)) int $name(); void *kept = (void *)$name;"
        case $name in
            __libc_dlopen_mode)
                refused "names $name: a submission may not load libraries or look up functions by name"
                ;;
            *) refused "names $name: $others_words" ;;
        esac
    done
    for name in _ZNSt6localeC1EPKc _ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode \
        _ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode _ZNSt10filesystem6removeERKNS_4pathE \
        _ZTVSt13basic_filebufIcSt11char_traitsIcEE _ZNSt14numpunct_bynameIcEC1EPKcm _Z6systemv _ZN5other4nameEv; do
        library "extern __attribute__((weak)) int $name(); void *kept = (void *)$name;"
        refused "names $name: $others_words"
    done
}

@test "imports: a submission's own functions may have any name" {
    library 'int fork(void) { return 0; } int dlsym(void) { return 0; } int fopen(void) { return 1; }
        void *kept[] = { fork, dlsym, fopen };'
    run_at_all
}

# bats test_tags=long
@test "imports: ordinary programs of many headers name nothing that is refused" {
    local source words
    for source in tests/fixtures/imports/*; do
        words=$BATS_TEST_TMPDIR/$(basename "$source").so
        case $source in
            *.c)
                gcc -std=gnu11 -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-all -w -fPIC -shared -o "$words" "$source" -lm
                ;;
            *) g++ -std=c++17 -O2 -w -fPIC -shared -o "$words" "$source" ;;
        esac
        [ "$(nm -D --undefined-only "$words" | wc -l)" -gt 40 ] || fail "$source names hardly anything"
        run -1 timeout 20 "$host" editdistance --submission "$words" --case sample/1-small --json "$result"
        assert_equal "$source $(json .verdict)" "$source WA"
    done
}

@test "imports: memory that can be written and executed, and an executable stack, are refused" {
    library '__asm__(".section .both,\"awx\"\n.quad 0\n.text");'
    refused "has a section that can be written and executed: a submission's code may not change"
    library '' -Wl,-z,execstack
    refused 'needs an executable stack: do not take the address of a function inside a function, or move it out'
}

@test "imports: device code is registered by the compiler's own code alone" {
    library 'extern __attribute__((weak)) void **__cudaRegisterFatBinary(void *);
        void register_it(void *what) { __cudaRegisterFatBinary(what); } void *kept = (void *)register_it;'
    refused 'calls __cudaRegisterFatBinary itself: only the compiler'"'"'s own code may register device code'
    library 'extern __attribute__((weak)) void **__cudaRegisterFatBinary(void *);
        void *table[] = { (void *)__cudaRegisterFatBinary };'
    refused "has the address of __cudaRegisterFatBinary in its data: only the compiler's own code may register device code"
    library '__asm__(".weak __cudaRegisterFunction"); extern void other(void) __asm__("__cudaRegisterFunction");
        void (*get(void))(void) { return other; } void *kept = (void *)get;'
    refused "calls __cudaRegisterFunction itself: only the compiler's own code may register device code"
}

@test "imports: --any-imports checks no name, and no judging that counts accepts it" {
    library 'extern __attribute__((weak)) int fork(); void *kept = (void *)fork;'
    run -1 timeout 20 "$host" editdistance --submission "$so" --any-imports --case sample/1-small --json "$result"
    assert_equal "$(json .verdict)" WA
    run -2 "$host" editdistance --submission "$so" --any-imports --ranked
    assert_output 'main_host: --any-imports is for tests of the box: omit --ranked, --seal and --key'
}

@test "imports: libraries beyond those of the languages are refused, and so are changed search paths" {
    local stub=$BATS_TEST_TMPDIR/stub.so words='a submission may not change the search path of libraries'
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

@test "imports: a file whose sections hide what the loader reads is refused" {
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

# bats test_tags=long
@test "imports: CUB and Thrust are not refused though they use some of these names" {
    requires nvcc
    library 'extern __attribute__((weak)) int cudaSetDevice(), cudaGetDeviceCount();
        void *kept[] = { cudaSetDevice, cudaGetDeviceCount, "_ZN3cub6kernelEv" };'
    run_at_all
    library 'extern __attribute__((weak)) int dlsym(); void *kept[] = { dlsym, "_ZN3cub6kernelEv" };'
    refused 'names dlsym: a submission may not load libraries or look up functions by name'
    library 'extern __attribute__((weak)) int cudaSetDevice(), cudaDeviceEnablePeerAccess();
        void *kept[] = { cudaSetDevice, cudaDeviceEnablePeerAccess, "_ZN3cub6kernelEv" };'
    refused 'names cudaDeviceEnablePeerAccess: a submission may not reach the memory of other devices'
    # The real library: it uses exactly the names that the table lists.
    so=$(submission problems/mergesort/submissions/accepted/cub.cu mergesort)
    nm -D --undefined-only "$so" | sed 's/.* //; s/@.*//' | sort > "$BATS_TEST_TMPDIR/names"
    for name in cudaSetDevice cudaGetDeviceCount; do
        grep -qx $name "$BATS_TEST_TMPDIR/names" || fail "CUB does not name $name any more: the table can be stricter"
    done
    run -1 grep -x "dl.*" "$BATS_TEST_TMPDIR/names"
    run -0 timeout 120 "$host" mergesort --submission "$so" --league open --case sample/1-ten
}
