# Where each operator of mutants can be applied: called by mutants.sh for the sources of one program. A line a site:
# operator, file, line, and the sed expression that makes the mutant, parted by tabs. README.md says what each operator
# does. Only statements of one line are sites. It refuses to know what the program does and what the simulator reports.

function emit(op, n, sed) { print op "\t" FILE "\t" n "\t" (sed ~ /^[0-9]/ ? "" : n) sed }

# A statement of one line that is a call of NAME, perhaps in a macro that checks its result.
function call(c, name) { return c ~ ("^[ \t]*([A-Za-z_]+ *\\( *)?" name " *\\(.*\\) *;[ \t]*$") }

# Takes comments and strings out of line N, and follows braces: is it in a function of the device?
function clean(n,    s, out, i, ch, two, quoted) {
    s = L[n]
    out = ""
    for (i = 1; i <= length(s); i++) {
        ch = substr(s, i, 1)
        two = substr(s, i, 2)
        if (comment) { if (two == "*/") { comment = 0; i++ } continue }
        if (quoted) { if (ch == "\\") i++; else if (ch == "\"") quoted = 0; continue }
        if (two == "/*") { comment = 1; i++; continue }
        if (two == "//") break
        if (ch == "\"") { quoted = 1; out = out "Q"; continue }
        out = out ch
    }
    return out
}

function braces(c,    i, ch) {
    if (c ~ /__global__|__device__/ && !device) { pending = 1; paren = 0 }
    for (i = 1; i <= length(c); i++) {
        ch = substr(c, i, 1)
        if (ch == "(") paren++
        else if (ch == ")") paren--
        else if (ch == ";" && pending && paren <= 0) pending = 0
        else if (ch == "{") { depth++; if (pending) { pending = 0; device = depth } }
        else if (ch == "}") { if (device == depth) device = 0; depth-- }
    }
}

function device_line(c, n,    next_line, before, where, inside) {
    if (c ~ /__syncthreads *\(\) *;|__syncwarp *\([^)]*\) *;|[a-z_]+\.sync *\(\) *;|cg::sync *\([^)]*\) *;/) {
        for (next_line = n + 1; next_line <= N && C[next_line] ~ /^[ \t]*$/; next_line++);
        emit(C[next_line] ~ /^[ \t]*}[ \t]*$/ ? "barrier-of-loop" : "barrier", n, \
            "s/\\(__syncthreads *()\\|__syncwarp *([^)]*)\\|[a-z_]*\\.sync *()\\|cg::sync *([^)]*)\\) *;/;/")
    }
    if (c ~ /__threadfence[a-z_]* *\(\) *;/)
        emit("fence", n, "s/__threadfence[a-z_]* *() *;/;/")
    if (c ~ /(if|for|while) *\(/ && c ~ /[A-Za-z0-9_)\]] *< *[A-Za-z(]/ && c !~ /<=|<<|>/)
        emit("bound", n, "s/\\([]A-Za-z0-9_)]\\) *< */\\1 <= /")
    if (c ~ /if *\( *[A-Za-z_.0-9 ]+(<|>=) *[A-Za-z_][A-Za-z_0-9]* *\)/)
        emit("guard", n, "s/if *([^()]*)/if (" (c ~ />=/ ? "false" : "true") ")/")
    if (match(c, /[A-Za-z_][A-Za-z_0-9]*\[[^][]+\]/) && c !~ /__shared__|__constant__/) {
        where = RSTART
        before = substr(c, 1, where - 1)
        inside = substr(c, 1, index(c, "[") - 1)
        sub(/[ \t]+$/, "", before)
        if (index(c, "[") > where && inside !~ /\]/ && before ~ /(^|[=(+*\/,&|<>?:!;{-]|return)$/ &&
            before !~ /^[ \t]*[a-z]+ *\*$/)
            emit("index", n, "s/\\[\\([^][]*\\)\\]/[(\\1) " SIGN[n % 2] " 1]/")
    }
    if (c ~ /^[ \t]*[A-Za-z_][A-Za-z_0-9 ]* +[A-Za-z_][A-Za-z_0-9]* *= *0(\.0*)?f?;[ \t]*$/ && c !~ /return/)
        emit("zero", n, "s/ *= *0[.0-9f]* *;/;/")
    if (c ~ /^[ \t]*(if *\(.*\) *)?[A-Za-z_][A-Za-z_0-9]*(\[[^]]*\])* *= *0(\.0*)?[fuU]?;[ \t]*$/)
        emit("zero-stored", n, "s/[^[:blank:]].*/;/")
    if (c ~ /(^|[ \t;)])atomicAdd *\([^;]*, *[^,;]*\) *;[ \t]*$/ && c !~ /=.*atomicAdd|return/)
        emit("atomic", n, "s/atomicAdd *(\\(.*\\), *\\([^,]*\\)) *;/*(\\1) += \\2;/")
    if (c ~ /__shared__.*\[[^]]+\].*;/ && c !~ /extern|\[ *1 *\]/)
        emit("shared-small", n, "s/\\[\\([^]]*\\)\\]/[(\\1) - 1]/")
    if (c ~ /^[ \t]*[A-Za-z_][A-Za-z_0-9]*(\[[^]]*\])? *[-+*|]?= *[^;]*__shfl[a-z_]*_sync *\([^;]*;[ \t]*$/)
        emit("shuffle-of-half", n, "s/[^[:blank:]].*/if (threadIdx.x % 32 < 16) &/")
    if (c ~ /_sync *\( *[A-Za-z_]/ && c !~ /_sync *\( *(FULL|full|0x|ALL)/ &&
        c ~ /__(shfl|ballot|any|all|reduce|match|syncwarp)/)
        emit("mask", n, "s/_sync *([^,)]*/_sync(0xffffffff/")
}

# The operators of the second list, in kernels.
function device_line_2(c, n) {
    if (c ~ /if *\( *(threadIdx\.[xyz]|[a-zA-Z_.]*([tT]id|[iI]dx|[lL]ane|[rR]ank|tx)[a-zA-Z_]*(\(\))?) *== *0 *\)/)
        emit("leader", n, "s/if *([^=]*== *0 *)/if (true)/")
    if (c ~ /if *\(.*<.*&&/)
        emit("and-or", n, "s/&&/||/")
    if (planes && c ~ /threadIdx\.x/)
        emit("axis", n, "s/threadIdx\\.x/threadIdx.y/")
    if (c ~ /(blockDim\.x *\* *gridDim\.x|gridDim\.x *\* *blockDim\.x)/)
        emit("grid-stride", n, "s/blockDim\\.x *\\* *gridDim\\.x\\|gridDim\\.x *\\* *blockDim\\.x/blockDim.x/")
    if (c ~ /(blockIdx\.x *\* *blockDim\.x|blockDim\.x *\* *blockIdx\.x)/)
        emit("block-index", n, "s/blockIdx\\.x *\\* *blockDim\\.x\\|blockDim\\.x *\\* *blockIdx\\.x/blockIdx.x/")
    if (c ~ /for *\( *(unsigned |const )*[a-z_A-Z0-9]+ +[a-z_A-Z0-9]+ *= *0 *;/)
        emit("from-one", n, "s/= *0 *;/= 1;/")
    if (c ~ /__syncthreads *\(\) *;/)
        emit("barrier-of-some", n, "s/__syncthreads *() *;/if (threadIdx.x < 16) __syncthreads();/")
    if (c ~ /[A-Za-z_0-9]\[[^][]*\]\[[^][]*\]/ && c ~ /=/ &&
        c !~ /__shared__|__constant__|^[ \t]*(const )?[a-z0-9_]+ +[a-zA-Z_0-9]+\[/)
        emit("second-index", n, "s/\\]\\[\\([^][]*\\)\\]/][(\\1) " SIGN[n % 2] " 1]/")
}

# The operators of the second list, on the host.
function host_line_2(c, n) {
    if (shares && call(c, "cuda(DeviceSynchronize|StreamSynchronize|EventSynchronize|StreamWaitEvent)"))
        emit("host-wait-shared", n, "s/[^[:blank:]].*/;/")
    if (call(c, "cudaEventRecord"))
        emit("record", n, "s/[^[:blank:]].*/;/")
    if (call(c, "cudaFuncSetAttribute"))
        emit("attribute", n, "s/[^[:blank:]].*/;/")
    if (call(c, "cudaMemcpyToSymbol(Async)?"))
        emit("symbol", n, "s/[^[:blank:]].*/;/")
    if (c ~ /^[ \t]*[A-Za-z_][A-Za-z_0-9<>, ]*<<<.*>>> *\(.*\) *;[ \t]*$/)
        emit("launch", n, "s/[^[:blank:]].*/;/")
    if (c ~ /cudaMemcpy *\( *[^(),]*, *[^(),]*,/)
        emit("copy-swapped", n, "s/cudaMemcpy *( *\\([^(),]*\\), *\\([^(),]*\\),/cudaMemcpy(\\2, \\1,/")
}

# The operators of the third list, in kernels.
function device_line_3(c, n) {
    if (c ~ /__syncthreads *\(\) *;/)
        emit("warp-for-block", n, "s/__syncthreads *()/__syncwarp()/")
    if (c ~ /__shared__/ && c !~ /extern/ && c ~ /;/)
        emit("shared-none", n, "s/__shared__ *//")
    if (c ~ /^[ \t]*[^=;]*(wait_prior[^(]*\(|consumer_wait|arrive_and_wait|\.wait *\(|cg::wait *\()[^;]*\) *;[ \t]*$/)
        emit("async-wait", n, "s/[^[:blank:]].*/;/")
    if (c ~ /^[ \t]*(if *\([^()]*\) *)?atomic(Max|Min|Sub|Or|Exch) *\(.*, *[^,;]*\) *;[ \t]*$/)
        emit("atomic-other", n, "s/atomic[A-Za-z]* *(\\(.*\\), *\\([^,]*\\)) *;/*(\\1) = \\2;/")
}

# The operators of the third list, on the host.
function host_line_3(c, n) {
    if (call(c, "cudaMalloc"))
        emit("alloc-none", n, "s/[^[:blank:]].*/;/")
    if (c ~ /^[ \t]*cudaFree *\([^()]*\) *;[ \t]*$/)
        emit("free-by-host", n, "s/cudaFree *(/free(/")
    if (c ~ /^[ \t]*cudaFreeHost *\([^()]*\) *;[ \t]*$/)
        emit("free-by-host", n, "s/cudaFreeHost *(/free(/")
    if (c ~ /cudaMallocManaged *\([^,]*,[^,]*\) *\)? *;/)
        emit("managed-none", n, "s/cudaMallocManaged *(/cudaMalloc(/")
    if (c ~ /<<< *[A-Za-z_0-9]+ *, *[A-Za-z_0-9]+ *[,>]/)
        emit("sizes-swapped", n, "s/<<< *\\([A-Za-z_0-9]*\\) *, *\\([A-Za-z_0-9]*\\)/<<<\\2, \\1/")
    if (c ~ /<<<[^,<>]*,[^,<>]*,[^,<>]*, *[A-Za-z_][^,<>]*>>>/)
        emit("stream-none", n, "s/,[^,<>]*,[^,<>]*>>>/>>>/")
    if (call(c, "cuda(StreamDestroy|EventDestroy|Graph(Exec)?Destroy|DestroyTextureObject|FreeArray|FreeHost)"))
        emit("destroy-none", n, "s/[^[:blank:]].*/;/")
    if (c ~ /cudaLaunchCooperativeKernel *\(/)
        emit("cooperative-none", n, "s/cudaLaunchCooperativeKernel *(/cudaLaunchKernel(/")
}

function host_line(c, n,    d, m, k, args, sign) {
    sign = SIGN[n % 2]
    if (call(c, "cuda(DeviceSynchronize|StreamSynchronize|EventSynchronize|StreamWaitEvent)"))
        emit("host-wait", n, "s/[^[:blank:]].*/;/")
    if (pinned && c ~ /cudaMemcpy *\(/)
        emit("copy-async", n, "s/cudaMemcpy *(/cudaMemcpyAsync(/")
    if (call(c, "cudaMemset(Async)?"))
        emit("fill", n, "s/[^[:blank:]].*/;/")
    if (call(c, "cudaMemcpy(Async)?") && c ~ /HostToDevice/)
        emit("upload", n, "s/[^[:blank:]].*/;/")
    if (c ~ /cudaMemcpyHostToDevice/)
        emit("direction", n, "s/cudaMemcpyHostToDevice/cudaMemcpyDeviceToHost/")
    else if (c ~ /cudaMemcpyDeviceToHost/)
        emit("direction", n, "s/cudaMemcpyDeviceToHost/cudaMemcpyHostToDevice/")
    if (c ~ /cuda(Memcpy|Malloc|Memset)[A-Za-z]* *\(/) {
        k = c ~ /cudaMalloc/ ? "malloc-bytes" : "copy-bytes"
        if (c ~ /\* *sizeof *\([^()]*\)/)
            emit(k, n, "s/ *\\* *sizeof *([^()]*)//")
        else if (c ~ /sizeof *\([^()]*\) *\*/)
            emit(k, n, "s/sizeof *([^()]*) *\\* *//")
    }
    if (c ~ /\([^()+]*\+[^()]*- *1 *\) *\/ *[A-Za-z0-9_(]/)
        emit("grid-rounded", n, "s/(\\([^()+]*\\)+[^()]*- *1 *) *\\//(\\1) \\//")
    if (match(c, /<<< *[A-Za-z_0-9]+ *,/)) {
        d = substr(c, RSTART + 3, RLENGTH - 4)
        gsub(/ /, "", d)
        if (!(d in DIM3))
            emit("grid", n, "s/<<< *\\([A-Za-z_0-9]*\\)/<<<\\1 " sign " 1/")
    } else if (c ~ /dim3 +[A-Za-z_0-9]*([gG]rid|[bB]locks)[A-Za-z_0-9]* *\( *[^(), ]+/)
        emit("grid", n, "s/\\(dim3 *[A-Za-z_0-9]*\\) *( *\\([^(), ]*\\)/\\1(\\2 " sign " 1/")
    if (c ~ /<<<[^,<>]*,[^,<>]*, *[^0 ,<>][^,<>]*(,|>>>)/)
        emit("shared-dynamic", n, "s/<<<\\([^,]*\\),\\([^,]*\\),\\([^,>]*\\)/<<<\\1,\\2,(\\3) \\/ 2/")
    if (c ~ /(<<<|Async *\().*[sS]tream[A-Za-z_0-9]*\[[^]]+\]/)
        emit("stream", n, "s/\\([sS]tream[A-Za-z_0-9]*\\)\\[\\([^]]*\\)\\]/\\1[(\\2) ? 0 : 1]/")
    if (call(c, "cudaFree") && match(c, /cudaFree *\( *[A-Za-z_0-9]+ *\)/)) {
        emit("free-none", n, "s/[^[:blank:]].*/;/")
        emit("free-twice", n, "s/[^[:blank:]].*/& &/")
    }
    if (call(c, "cudaMemcpy") && c ~ /DeviceToHost/ && split(c, args, ",") == 4) {
        d = args[2]
        gsub(/ /, "", d)
        if (d ~ /^[A-Za-z_0-9]+$/) {
            for (m = n + 1; m <= N; m++)
                if (call(C[m], "cudaFree") && C[m] ~ ("\\( *" d " *\\)")) {
                    emit("free-early", n, n "s/[^[:blank:]].*/cudaFree(" d "); &/;" m "s/[^[:blank:]].*/;/")
                    break
                }
            if (c ~ /^[ \t]*cudaMemcpy.*, *cudaMemcpyDeviceToHost *\)/)
                emit("host-reads", n, "s/cudaMemcpy *(\\(.*\\), *cudaMemcpyDeviceToHost *)/memcpy(\\1)/")
        }
    }
    if (c ~ /<<<.*>>> *\(.*\) *;/)
        for (d in UP)
            if (match(c, ">>>.*[(, ]" d " *[,)]") && UP[d] != d) {
                emit("host-pointer", n, "s/\\(>>>.*[(, ]\\)" d "\\( *[,)]\\)/\\1" UP[d] "\\2/")
                break
            }
}

# A block's size by its name: a macro, a constant, or a number in the launch.
function size_line(c, n,    v, low) {
    low = tolower(c)
    if (low ~ /^[ \t]*(# *define|(static )?(const |constexpr )+(unsigned )?(int|size_t)|dim3|(const )?int) +[a-z_]/ &&
        low ~ /[ _a-z0-9](block|thread|wg|tpb)[a-z_0-9]*[ =(]+[0-9]+[ );]*$/ &&
        low !~ /num_?block|nblock|blocks|grid/)
        match(c, /[0-9]+[ );]*$/)
    else if (!match(c, /<<<[^,<>]*, *[0-9]+ *[,>]/))
        return
    v = substr(c, RSTART, RLENGTH)
    if (c ~ /<<</) sub(/^<<<[^,<>]*, */, "", v)
    v += 0
    if (v < 32 || v > 1024) return
    emit("block-large", n, "s/\\b" v "\\b\\([ ,>);]*\\)/2048\\1/")
    emit("block-odd", n, "s/\\b" v "\\b\\([ ,>);]*\\)/" (v - 6) "\\1/")
}

function file(    n, c, args, d) {
    depth = device = pending = comment = paren = pinned = planes = shares = 0
    split("", DIM3)
    split("", UP)
    for (n = 1; n <= N; n++) {
        c = C[n] = clean(n)
        D[n] = device
        if (c ~ /^[ \t]*#/ || c ~ /\\[ \t]*$/) { D[n] = -1; continue }
        braces(c)
        if (!device && match(c, /dim3 +[A-Za-z_0-9]+/)) DIM3[substr(c, RSTART + 5, RLENGTH - 5)] = 1
        if (c ~ /threadIdx\.y/) planes = 1
        if (c ~ /cudaMallocHost|cudaHostAlloc|cudaHostRegister|cudaMallocManaged|__managed__/) shares = 1
        if (c ~ /cudaMallocHost|cudaHostAlloc|cudaHostRegister/) pinned = 1
        if (call(c, "cudaMemcpy") && c ~ /HostToDevice/ && split(c, args, ",") == 4) {
            d = args[1]
            sub(/.*\( */, "", d)
            gsub(/ /, "", args[2])
            if (d ~ /^[A-Za-z_0-9]+$/ && args[2] ~ /^[A-Za-z_0-9]+$/) UP[d] = args[2]
        }
    }
    for (n = 1; n <= N; n++) {
        c = C[n]
        if (D[n] > 0) { device_line(c, n); device_line_2(c, n); device_line_3(c, n) }
        else if (!D[n]) { host_line(c, n); host_line_2(c, n); host_line_3(c, n) }
        if (D[n] <= 0 && c !~ /\\[ \t]*$/) size_line(c, n)
        if (D[n] >= 0 && c ~ /(^|[^a-z] *)volatile +[A-Za-z]/ && c !~ /asm/)
            emit("volatile", n, "s/\\bvolatile \\+//")
    }
}

BEGIN { SIGN[0] = "+"; SIGN[1] = "-" }
FNR == 1 && NR > 1 { file() }
FNR == 1 { FILE = FILENAME; N = 0 }
{ sub(/\r$/, ""); L[++N] = $0 }
END { if (N) file() }
