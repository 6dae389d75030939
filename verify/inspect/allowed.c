/*
 * allowed.c - the groups. Words are separated by spaces; one that ends in '*' is the start of names.
 */
#include "allowed.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* C and POSIX, a header or a part of one each. */
static const char *const c_groups[] = {
    /* assert.h, errno.h, setjmp.h, ucontext.h */
    "__assert_fail __assert_perror_fail __errno_location _setjmp setjmp __sigsetjmp longjmp _longjmp siglongjmp "
    "getcontext makecontext setcontext swapcontext",
    /* ctype.h, wctype.h */
    "isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit toascii "
    "tolower toupper __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __ctype_get_mb_cur_max isw* towlower "
    "towupper towctrans wctrans wctype",
    /* string.h, strings.h */
    "bcmp bcopy bzero explicit_bzero ffs ffsl ffsll index memccpy memchr memcmp memcpy memmem memmove mempcpy memrchr "
    "memset rawmemchr rindex stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcmp strcoll strcpy "
    "strcspn strdup strerror strerror_r strerrordesc_np strerrorname_np strlcat strlcpy strlen strncasecmp strncat "
    "strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtok strtok_r strverscmp strxfrm "
    "swab __mempcpy __rawmemchr __stpcpy __stpncpy __strdup __strndup __strtok_r __xpg_strerror_r __memcmpeq",
    /* wchar.h, uchar.h: the characters of the C locale */
    "btowc c16rtomb c32rtomb mblen mbrlen mbrtoc16 mbrtoc32 mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs mbtowc "
    "wcpcpy wcpncpy wcrtomb wcs* wctob wctomb wcwidth wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset",
    /* stdlib.h, malloc.h, inttypes.h */
    "_Exit a64l abort abs aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc div drand48 ecvt "
    "erand48 exit fcvt free gcvt getenv getsubopt imaxabs imaxdiv initstate jrand48 l64a labs lcong48 ldiv llabs lldiv "
    "lrand48 mallinfo mallinfo2 malloc malloc_trim malloc_usable_size mallopt memalign mrand48 nrand48 on_exit "
    "posix_memalign pvalloc qsort qsort_r quick_exit rand random realloc reallocarray secure_getenv seed48 setstate "
    "srand srand48 srandom strfrom* strtod* strtof* strtoimax strtol strtold* strtoll strtoq strtoul strtoull "
    "strtoumax strtouq valloc __strtol_internal __strtod_internal",
    /* search.h */
    "hcreate hdestroy hsearch insque lfind lsearch remque tdelete tdestroy tfind tsearch twalk",
    /* stdio.h: standard streams and those in memory */
    "asprintf clearerr dprintf fclose feof ferror fflush fgetc fgetpos fgets fileno flockfile fmemopen fprintf fputc "
    "fputs fread fscanf fseek fseeko fsetpos ftell ftello ftrylockfile funlockfile fwide fwprintf fputwc fputws fwrite "
    "getc getchar getdelim getline open_memstream open_wmemstream perror printf putc putchar puts putwc putwchar "
    "rewind scanf setbuf setbuffer setlinebuf setvbuf snprintf sprintf sscanf stderr stdin stdout swprintf swscanf "
    "ungetc vasprintf vdprintf vfprintf vfscanf vfwprintf vprintf vscanf vsnprintf vsprintf vsscanf vswprintf "
    "vswscanf vwprintf wprintf _IO_getc _IO_putc _IO_puts _IO_stdin_ __overflow __uflow",
    /* time.h, sys/time.h */
    "asctime clock clock_getres clock_gettime clock_nanosleep ctime difftime ftime getitimer gettimeofday gmtime "
    "localtime mktime nanosleep sleep strftime strptime time timegm timelocal times timespec_get timespec_getres "
    "tzset usleep",
    /* signal.h: those of one's own process */
    "alarm bsd_signal pause raise sigaction sigaddset sigaltstack sigandset sigdelset sigemptyset sigfillset "
    "siginterrupt sigisemptyset sigismember signal sigorset sigpending sigprocmask sysv_signal __sysv_signal "
    "__libc_current_sigrtmin __libc_current_sigrtmax",
    /* pthread.h, threads.h, semaphore.h, sched.h */
    "pthread_* __pthread_* __register_atfork call_once cnd_* mtx_* thrd_* tss_* sem_clockwait sem_destroy "
    "sem_getvalue sem_init sem_post sem_timedwait sem_trywait sem_wait sched_get_priority_max sched_get_priority_min "
    "sched_getaffinity sched_getcpu sched_setaffinity sched_yield getcpu __sched_cpualloc __sched_cpucount "
    "__sched_cpufree",
    /* sys/mman.h: memory without a name */
    "madvise mincore mlock mmap mmap64 mremap munlock munmap posix_madvise",
    /* unistd.h, sys/sysinfo.h, sys/resource.h: what the process is, and has used */
    "_exit get_avphys_pages get_nprocs get_nprocs_conf get_phys_pages getpagesize getpid getrusage gettid sysconf "
    "write __getpagesize __x86_get_cpuid_feature_leaf",
    /* sys/random.h, netinet/in.h, locale.h */
    "arc4random arc4random_buf arc4random_uniform getentropy getrandom htonl htons ntohl ntohs localeconv",
    /* what compilers call */
    "_ITM_deregisterTMCloneTable _ITM_registerTMCloneTable _Unwind_* __chk_fail __cxa_at_quick_exit __cxa_atexit "
    "__cxa_finalize __cxa_thread_atexit_impl __emutls_get_address __emutls_register_common __fdelt_chk __fdelt_warn "
    "__gcc_personality_v0 __gmon_start__ __libc_single_threaded __stack_chk_fail __stack_chk_guard __tls_get_addr "
    "__cpu_indicator_init __cpu_model __clear_cache",
    /* libgcc: arithmetic that the processor does not have */
    "__absv* __addtf3 __addv* __ashlti3 __ashrti3 __bswap* __clrsb* __clz* __cmpti2 __ctz* __div* __eqhf2 __eqtf2 "
    "__extend* __ffs* __fix* __float* __getf2 __gttf2 __letf2 __lshrti3 __lttf2 __mod* __mul* __neg* __nehf2 __netf2 "
    "__parity* __popcount* __powi* __subtf3 __subv* __trunc* __ucmpti2 __udiv* __umod* __unordtf2",
    /* libmvec, and the narrowing functions of libm */
    "_ZGVb* _ZGVc* _ZGVd* _ZGVe* f32* f64* daddl ddivl dfmal dmull dsqrtl dsubl fadd fdiv ffma fmul fsqrt fsub",
};

/* math.h, complex.h and fenv.h: for double; math_name() knows the other types. */
static const char math_group[] =
    "acos acosh asin asinh atan atan2 atanh cabs cacos cacosh canonicalize carg casin casinh catan catanh cbrt ccos "
    "ccosh ceil cexp cimag clog clog10 conj copysign cos cosh cpow cproj creal csin csinh csqrt ctan ctanh drem erf "
    "erfc exp exp10 exp2 expm1 fabs fadd fdim fdiv ffma finite floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num "
    "fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod fmul frexp fromfp "
    "fromfpx fsqrt fsub gamma getpayload hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llogb llrint llround log log10 "
    "log1p log2 logb lrint lround matherr modf nan nearbyint nextafter nextdown nexttoward nextup pow pow10 remainder "
    "remquo rint round roundeven scalb scalbln scalbn setpayload setpayloadsig significand sin sincos sinh sqrt tan "
    "tanh tgamma totalorder totalordermag trunc ufromfp ufromfpx y0 y1 yn "
    "__clog10 __finite __fpclassify __iscanonical __iseqsig __isinf __isnan __issignaling __signbit";
static const char math_others[] =
    "feclearexcept fedisableexcept feenableexcept fegetenv fegetexcept fegetexceptflag fegetmode fegetround "
    "feholdexcept feraiseexcept fesetenv fesetexcept fesetexceptflag fesetmode fesetround fetestexcept "
    "fetestexceptflag feupdateenv signgam __signgam";

/* libstdc++: what is outside of namespaces, by the names of its binary interface. */
static const char cxx_group[] =
    "__cxa_allocate_dependent_exception __cxa_allocate_exception __cxa_bad_cast __cxa_bad_typeid __cxa_begin_catch "
    "__cxa_call_unexpected __cxa_call_terminate __cxa_current_exception_type __cxa_deleted_virtual __cxa_demangle "
    "__cxa_end_catch __cxa_free_dependent_exception __cxa_free_exception __cxa_get_exception_ptr __cxa_get_globals "
    "__cxa_get_globals_fast __cxa_guard_abort __cxa_guard_acquire __cxa_guard_release __cxa_init_primary_exception "
    "__cxa_pure_virtual __cxa_rethrow __cxa_thread_atexit __cxa_throw __cxa_throw_bad_array_length "
    "__cxa_throw_bad_array_new_length __cxa_vec_* __dynamic_cast __gxx_personality_v0 __once_proxy "
    "__atomic_flag_for_address __atomic_flag_wait_explicit atomic_flag_clear_explicit "
    "atomic_flag_test_and_set_explicit "
    "_Znw* _Zna* _Zdl* _Zda* _ZTI* _ZTS*";

/*
 * And in namespace std and beside it: the first name below the namespace, of a function or of a class with all its
 * members. Not: basic_filebuf, basic_fstream and their like, filesystem, and what has to do with locales by name.
 */
static const char std_group[] =
    "_Fnv_hash_bytes _Hash_bytes _List_node_base _Rb_tree_* _Sp_locker _Sp_make_shared_tag _V2 __atomic0 "
    "__atomic_futex_unsigned_base __convert_to_v __copy_streambufs __copy_streambufs_eof __cxx1998 __detail "
    "__exception_ptr __future_base __glibcxx_assert_fail __istream_extract __norm __num_base __numeric_limits_base "
    "__numpunct_cache __once_call __once_callable __ostream_insert __shared_ptr __throw_* __timepunct "
    "__timepunct_cache __verify_grouping adopt_lock bad_* basic_ios basic_iostream basic_istream basic_istringstream "
    "basic_ostream basic_ostringstream basic_streambuf basic_string basic_string_view basic_stringbuf "
    "basic_stringstream cerr char_traits chrono cin clog collate condition_variable condition_variable_any cout ctype "
    "ctype_base current_exception defer_lock domain_error endl ends error_category error_code exception flush "
    "from_chars future_category future_error generic_category get_new_handler get_terminate get_unexpected getline "
    "gslice has_facet hash invalid_argument ios_base ios_base_library_init iostream_category istreambuf_iterator "
    "istrstream length_error "
    "lock_error logic_error nested_exception nothrow notify_all_at_thread_exit num_get num_put numeric_limits numpunct "
    "ostrstream out_of_range overflow_error placeholders pmr random_device range_error regex_error rethrow_exception "
    "runtime_error set_new_handler set_terminate set_unexpected strstream strstreambuf system_category system_error "
    "terminate this_thread thread time_base time_get time_put to_chars tr1 try_to_lock type_info uncaught_exception "
    "uncaught_exceptions underflow_error unexpected use_facet valarray wcerr wcin wclog wcout ws "
    "__cxxabiv1 __format __gnu_cxx __gnu_debug __gnu_norm __gnu_parallel __throw_system_error allocator";

/* Of std::locale: copies of the one that is there, facets of it, and not one by its name. */
static const char locale_group[] =
    "_ZNSt6localeC1Ev _ZNSt6localeC2Ev _ZNSt6localeC1ERKS_ _ZNSt6localeC2ERKS_ _ZNSt6localeD1Ev _ZNSt6localeD2Ev "
    "_ZNSt6localeaSERKS_ _ZNSt6locale7classicEv _ZNKSt6localeeqERKS_ _ZNKSt6locale4nameEv "
    "_ZNKSt6locale4nameB5cxx11Ev _ZNKSt6locale2id5_M_idEv _ZNSt6locale5facet* _ZNKSt6locale5facet* "
    "_ZTVNSt6locale5facetE";

/* The CUDA runtime without its families cuda<...>Peer, Ipc, External, Library and the like. */
static const char cuda_group[] =
    "__cudaGetKernel __cudaLaunchKernel __cudaPopCallConfiguration __cudaPushCallConfiguration cudaArrayGet* "
    "cudaCreateChannelDesc cudaCreateSurfaceObject cudaCreateTextureObject cudaCtxResetPersistingL2Cache "
    "cudaDestroySurfaceObject cudaDestroyTextureObject cudaDeviceGetAttribute cudaDeviceGetCacheConfig "
    "cudaDeviceGetDefaultMemPool cudaDeviceGetGraphMemAttribute cudaDeviceGetHostAtomicCapabilities cudaDeviceGetLimit "
    "cudaDeviceGetMemPool cudaDeviceGetPCIBusId cudaDeviceGetSharedMemConfig cudaDeviceGetStreamPriorityRange "
    "cudaDeviceGetTexture1DLinearMaxWidth cudaDeviceGraphMemTrim cudaDeviceSetCacheConfig "
    "cudaDeviceSetGraphMemAttribute cudaDeviceSetLimit cudaDeviceSetMemPool cudaDeviceSetSharedMemConfig "
    "cudaDeviceSynchronize cudaDriverGetVersion cudaEventCreate cudaEventCreateWithFlags cudaEventDestroy "
    "cudaEventElapsedTime cudaEventQuery cudaEventRecord cudaEventRecordWithFlags cudaEventSynchronize cudaFree "
    "cudaFreeArray cudaFreeAsync cudaFreeHost cudaFreeMipmappedArray cudaFunc* cudaGetChannelDesc cudaGetDevice "
    "cudaGetDeviceFlags cudaGetDeviceProperties cudaGetErrorName cudaGetErrorString cudaGetFuncBySymbol cudaGetKernel "
    "cudaGetLastError cudaGetMipmappedArrayLevel cudaGetSurfaceObjectResourceDesc cudaGetSymbolAddress "
    "cudaGetSymbolSize cudaGetTextureObject* cudaHostAlloc cudaHostGetDevicePointer cudaHostGetFlags cudaHostRegister "
    "cudaHostUnregister cudaKernelSetAttributeForDevice cudaLaunchCooperativeKernel cudaLaunchHostFunc "
    "cudaLaunchKernel cudaLaunchKernelExC "
    "cudaMalloc cudaMalloc3D cudaMalloc3DArray cudaMallocArray cudaMallocAsync cudaMallocFromPoolAsync cudaMallocHost "
    "cudaMallocManaged cudaMallocMipmappedArray cudaMallocPitch cudaMemAdvise cudaMemDiscard* cudaMemGet* "
    "cudaMemPoolCreate cudaMemPoolDestroy cudaMemPoolGetAccess cudaMemPoolGetAttribute cudaMemPoolSetAccess "
    "cudaMemPoolSetAttribute cudaMemPoolTrimTo cudaMemPrefetch* cudaMemRange* cudaMemSetMemPool cudaMemcpy "
    "cudaMemcpy2D cudaMemcpy2DArrayToArray cudaMemcpy2DAsync cudaMemcpy2DFromArray cudaMemcpy2DFromArrayAsync "
    "cudaMemcpy2DToArray cudaMemcpy2DToArrayAsync cudaMemcpy3D cudaMemcpy3DAsync cudaMemcpy3DBatchAsync "
    "cudaMemcpyArrayToArray cudaMemcpyAsync cudaMemcpyBatchAsync cudaMemcpyFromArray cudaMemcpyFromArrayAsync "
    "cudaMemcpyFromSymbol cudaMemcpyFromSymbolAsync cudaMemcpyToArray cudaMemcpyToArrayAsync cudaMemcpyToSymbol "
    "cudaMemcpyToSymbolAsync cudaMemset cudaMemset2D cudaMemset2DAsync cudaMemset3D cudaMemset3DAsync cudaMemsetAsync "
    "cudaMipmappedArrayGet* cudaOccupancy* cudaPeekAtLastError cudaPointerGetAttributes cudaProfilerStart "
    "cudaProfilerStop cudaRuntimeGetVersion cudaSetDeviceFlags cudaStreamAddCallback cudaStreamAttachMemAsync "
    "cudaStreamBeginCapture cudaStreamBeginCaptureToGraph cudaStreamCopyAttributes cudaStreamCreate "
    "cudaStreamCreateWithFlags cudaStreamCreateWithPriority cudaStreamDestroy cudaStreamEndCapture cudaStreamGet* "
    "cudaStreamIsCapturing cudaStreamQuery cudaStreamSetAttribute cudaStreamSynchronize "
    "cudaStreamUpdateCaptureDependencies cudaStreamWaitEvent cudaThreadExchangeStreamCaptureMode "
    "cudaThreadSynchronize cudaUserObjectCreate cudaUserObjectRelease cudaUserObjectRetain";

/* Its graphs, without the nodes of other devices and processes. */
static const char graph_group[] =
    "cudaGraphAddChildGraphNode cudaGraphAddDependencies cudaGraphAddEmptyNode cudaGraphAddEventRecordNode "
    "cudaGraphAddEventWaitNode cudaGraphAddHostNode cudaGraphAddKernelNode cudaGraphAddMem* cudaGraphAddNode "
    "cudaGraphChildGraphNodeGetGraph cudaGraphClone cudaGraphConditionalHandleCreate cudaGraphCreate cudaGraphDestroy "
    "cudaGraphDestroyNode cudaGraphEventRecordNode* cudaGraphEventWaitNode* cudaGraphExecChildGraphNodeSetParams "
    "cudaGraphExecDestroy cudaGraphExecEvent* cudaGraphExecGetFlags cudaGraphExecHostNodeSetParams "
    "cudaGraphExecKernelNodeSetParams cudaGraphExecMem* cudaGraphExecNodeSetParams cudaGraphExecUpdate cudaGraphGet* "
    "cudaGraphHostNode* cudaGraphInstantiate* cudaGraphKernelNode* cudaGraphLaunch cudaGraphMem* cudaGraphNode* "
    "cudaGraphReleaseUserObject cudaGraphRemoveDependencies cudaGraphRetainUserObject cudaGraphUpload";

/* What nvcc's own code calls when the file is loaded and unloaded. */
static const char startup_group[] =
    "__cudaInitModule __cudaRegisterFatBinary __cudaRegisterFatBinaryEnd __cudaRegisterFunction __cudaRegisterHostVar "
    "__cudaRegisterManagedVar __cudaRegisterSurface __cudaRegisterTexture __cudaRegisterVar __cudaUnregisterFatBinary";

/* OpenCL 3.0 without programs in binary and intermediate form, which nobody can read, and functions by name. */
static const char opencl_group[] =
    "clBuildProgram clCloneKernel clCompileProgram clCreateBuffer clCreateBufferWithProperties clCreateCommandQueue "
    "clCreateCommandQueueWithProperties clCreateContext clCreateContextFromType clCreateImage clCreateImage2D "
    "clCreateImage3D clCreateImageWithProperties clCreateKernel clCreateKernelsInProgram clCreatePipe "
    "clCreateProgramWithSource clCreateSampler clCreateSamplerWithProperties clCreateSubBuffer clCreateSubDevices "
    "clCreateUserEvent clEnqueue* clFinish clFlush clGetCommandQueueInfo clGetContextInfo clGetDeviceAndHostTimer "
    "clGetDeviceIDs clGetDeviceInfo clGetEventInfo clGetEventProfilingInfo clGetHostTimer clGetImageInfo "
    "clGetKernelArgInfo clGetKernelInfo clGetKernelSubGroupInfo clGetKernelWorkGroupInfo clGetMemObjectInfo "
    "clGetPipeInfo clGetPlatformIDs clGetPlatformInfo clGetProgramBuildInfo clGetProgramInfo clGetSamplerInfo "
    "clGetSupportedImageFormats clLinkProgram clRelease* clRetain* clSVMAlloc clSVMFree clSetCommandQueueProperty "
    "clSetContextDestructorCallback clSetDefaultDeviceCommandQueue clSetEventCallback clSetKernelArg "
    "clSetKernelArgSVMPointer clSetKernelExecInfo clSetMemObjectDestructorCallback clSetProgramReleaseCallback "
    "clSetProgramSpecializationConstant clSetUserEventStatus clUnloadCompiler clUnloadPlatformCompiler clWaitForEvents";

/* Whether the `length` bytes at `name` are a word of the group, or start as a word with '*' does. */
static bool has(const char *group, const char *name, size_t length)
{
    for (const char *word = group; *word; word += strspn(word, " ")) {
        const size_t size = strcspn(word, " ");

        if (word[size - 1] == '*' ? length >= size - 1 && memcmp(word, name, size - 1) == 0
                                  : length == size && memcmp(word, name, size) == 0)
            return true;
        word += size;
    }
    return false;
}

/* sinf, sinl, sinf64x, lgammaf_r, __sin_finite: a function of math_group for another type, or in another form. */
static bool math_name(const char *name, size_t length)
{
    static const char *const types[] = { "", "f", "l", "f32", "f32x", "f64", "f64x", "f128" };

    if (length > 9 && memcmp(name, "__", 2) == 0 && memcmp(name + length - 7, "_finite", 7) == 0) {
        name += 2;
        length -= 9;
    }
    if (length > 2 && memcmp(name + length - 2, "_r", 2) == 0)
        length -= 2;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t type = strlen(types[i]);

        if (length > type && memcmp(name + length - type, types[i], type) == 0 && has(math_group, name, length - type))
            return true;
    }
    return false;
}

static bool c_name(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof c_groups / sizeof c_groups[0]; i++)
        if (has(c_groups[i], name, length))
            return true;
    return has(math_others, name, length) || math_name(name, length);
}

/*
 * The forms in which headers ask for a function: __isoc99_sscanf (of that standard), __memcpy_chk (with the size of
 * what it writes to), rand_r (with its state), isalpha_l (with a locale), putc_unlocked.
 */
static bool c_form(const char *name)
{
    static const char *const starts[] = { "__isoc99_", "__isoc23_" };
    static const char *const ends[] = { "_r", "_l", "_unlocked" };
    const size_t length = strlen(name);

    if (c_name(name, length))
        return true;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return c_form(name + strlen(starts[i]));
    if (length > 6 && memcmp(name, "__", 2) == 0 && strcmp(name + length - 4, "_chk") == 0)
        return c_name(name + 2, length - 6);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t end = strlen(ends[i]);

        if (length > end && strcmp(name + length - end, ends[i]) == 0 && c_name(name, length - end))
            return true;
    }
    return false;
}

/*
 * A name of C++ as the Itanium ABI writes it (_Z...): what libstdc++ exports, by the first name below std. Types,
 * guards, thunks and the like come before; S<letter> stands for string, streams and allocators.
 */
static bool cxx_name(const char *name)
{
    static const char *const kinds[] = { "TV", "TT", "TI", "TS", "TC", "TH", "TW", "GV", "GR" };
    const char *at = name + 2;
    size_t length = 0;

    if (has(cxx_group, name, strlen(name)) || has(locale_group, name, strlen(name)))
        return true;
    if (strncmp(at, "Th", 2) == 0 || strncmp(at, "Tv", 2) == 0) /* a thunk: Tv0_n24_N..., Thn16_N... */
        for (at += 2; *at && (isdigit((unsigned char)*at) || *at == 'n' || *at == '_'); at++)
            ;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (at == name + 2 && strncmp(at, kinds[i], 2) == 0) {
            at += 2;
            break;
        }
    at += *at == 'N';
    at += strspn(at, "rVKRO");
    if (at[0] == 'S' && at[1] && strchr("abdios", at[1]))
        return true;
    if (strncmp(at, "St", 2) == 0)
        at += 2;
    if (strncmp(at, "7__cxx11", 8) == 0)
        at += 8;
    if (strncmp(at, "ls", 2) == 0 || strncmp(at, "rs", 2) == 0 || strncmp(at, "pl", 2) == 0)
        return at > name + 3; /* an operator in std */
    while (isdigit((unsigned char)*at))
        length = 10 * length + (size_t)(*at++ - '0');
    return length > 0 && length <= strlen(at) && has(std_group, at, length);
}

/* A stream of the default kind for each thread has its own names, and so has a function's second version. */
static bool cuda_name(const char *name)
{
    size_t length = strlen(name);

    if (length > 5 && (strcmp(name + length - 5, "_ptsz") == 0 || strcmp(name + length - 5, "_ptds") == 0))
        length -= 5;
    if (length > 3 && name[length - 3] == '_' && name[length - 2] == 'v' && isdigit((unsigned char)name[length - 1]))
        length -= 3;
    return has(cuda_group, name, length) || has(graph_group, name, length);
}

bool allowed_name(const char *name)
{
    if (strncmp(name, "_Z", 2) == 0 && cxx_name(name))
        return true;
    return c_form(name) || has(cxx_group, name, strlen(name)) || cuda_name(name) ||
           has(opencl_group, name, strlen(name));
}

bool allowed_at_startup(const char *name) { return has(startup_group, name, strlen(name)); }
