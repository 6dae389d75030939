# Turns forms.txt into CUDA translation units: one kernel a form, and the table which main_forms.cu walks.
# Called by run.sh:  awk -v parts=P -v part=K [-v only=REGEX] -f gen.awk forms.txt > forms_K.cu
# part=-1 prints forms_list.inc, which names the tables of all the parts.
# It knows registers and operand lists; what an instruction computes it does not know. See forms.txt for the syntax.

function fail(msg) { printf "gen.awk: %s:%d: %s\n", FILENAME, FNR, msg >"/dev/stderr"; bad = 1; exit 1 }

# bits of the register which holds an operand of type t (8-bit types live in 32-bit registers)
function regbits(t) {
    if (t == "p") return 1
    if (t ~ /^(u8|s8|b8|tf32|.*16x2|[usb]8x4|f32|[usb]32)$/) return 32
    if (t ~ /^(f16|bf16|[usb]16|e4m3x2|e5m2x2)$/) return 16
    if (t ~ /^(f64|[usb]64)$/) return 64
    if (t == "b128") return 128
    fail("unknown type '" t "'")
}

function istype(t) {
    return t ~ /^([usb](8|16|32|64)|b128|f16|bf16|f32|tf32|f64|f16x2|bf16x2|[us]16x2|e4m3x2|e5m2x2)$/
}

# resolves T, T1, T2, W, B against the types in the name
function resolve(t) {
    if (t == "T") return types[ntypes]
    if (t == "T1") return types[1]
    if (t == "T2") return types[2]
    if (t == "W") return substr(types[ntypes], 1, 1) (2 * substr(types[ntypes], 2))
    return t
}

function replace_all(text, from, to,    at, done) {
    done = ""
    while ((at = index(text, from)) > 0) {
        done = done substr(text, 1, at - 1) to
        text = substr(text, at + length(from))
    }
    return done text
}

# expands the first <a,b> group of a line and recurses; $1..$9 name the alternatives chosen so far
function expand(line, depth,    open, close_, alts, n, i, rest) {
    open = index(line, "<")
    if (open == 0) { form(line); return }
    close_ = index(line, ">")
    if (close_ < open) fail("unmatched '<'")
    n = split(substr(line, open + 1, close_ - open - 1), alts, ",")
    if (n == 0) { n = 1; alts[1] = "" }
    rest = substr(line, close_ + 1)
    for (i = 1; i <= n; i++)
        expand(substr(line, 1, open - 1) alts[i] replace_all(rest, "$" depth, alts[i]), depth + 1)
}

function emit_asm(text) { code = code "        \"" text "\\n\\t\"\n" }

function form(line,    head, text, at, n, tok, i, j, k, op, name, parts_, m, nm, ty, gn, cnt, vec, args, count, base,
              regs, space, addr, rule, size, one, uses) {
    at = index(line, " : ")
    text = ""
    head = line
    if (at > 0) { head = substr(line, 1, at - 1); text = substr(line, at + 3) }
    n = split(head, tok, " ")
    name = tok[1]
    if (only != "" && name !~ only) return
    if (name in seen) fail("form '" name "' appears twice")
    seen[name] = 1
    serial = total++
    op = name
    sub(/@.*/, "", op)
    ntypes = 0
    delete types
    m = split(op, parts_, /[.+]/)
    for (i = 1; i <= m; i++)
        if (istype(parts_[i])) types[++ntypes] = parts_[i]

    nout = nin = 0
    rule = "bits"
    size = 0
    uses = ""
    args = ""
    for (i = 2; i <= n; i++) {
        if (tok[i] ~ /^rule=/) { rule = substr(tok[i], 6); continue }
        if (tok[i] ~ /^n=/) { size = substr(tok[i], 3); continue }
        if (tok[i] ~ /^use=/) { uses = "," substr(tok[i], 5) ","; continue }
        if (tok[i] ~ /^#/) { args = args (args == "" ? "" : ", ") substr(tok[i], 2); continue }
        k = split(tok[i], one, ":")
        if (k < 2) fail("operand '" tok[i] "' of '" name "' has no type")
        nm = one[1]
        ty = resolve(one[2])
        gn = k > 2 ? one[3] : ty
        cnt = 0
        if ((at = index(nm, "*")) > 0) { cnt = substr(nm, at + 1) + 0; nm = substr(nm, 1, at - 1) }
        vec = ""
        for (j = 0; j < (cnt ? cnt : 1); j++) {
            base = cnt ? nm j : nm
            vec = vec (j ? ", " : "") base
            if (nm ~ /^[deq]/) { outs[nout] = base; outt[nout++] = ty }
            else { ins[nin] = base; intype[nin] = ty; ingen[nin++] = gn }
        }
        if (cnt) vec = "{" vec "}"
        args = args (args == "" ? "" : ", ") vec
        argtext[nm] = vec
        if (cnt) text = replace_all(text, "{" nm "*}", vec)
    }
    if (text == "") text = op " " args ";"
    space = op ~ /\.global/ ? ".global" : op ~ /\.shared/ ? ".shared" : op ~ /\.local/ ? ".local" : ""
    addr = space == ".shared" ? "s" : space == ".local" ? "loc" : "g"
    text = replace_all(text, "$NAME", op)
    text = replace_all(text, "$STORE", wmma_store)
    text = replace_all(text, "$LOAD", wmma_load)
    text = replace_all(text, "$T1", resolve("T1"))
    text = replace_all(text, "$T2", resolve("T2"))
    text = replace_all(text, "$T", ntypes ? resolve("T") : "")
    if (ntypes) text = replace_all(text, "$B", "b" regbits(resolve("T")))
    text = replace_all(text, "$S", space)
    text = replace_all(text, "$A", addr)
    if (nin == 1 && regbits(intype[0]) == 16 && ingen[0] == intype[0] && !size) size = 65536
    if (!size) size = nin > 2 ? 8192 : 4096
    if (text ~ /[^a-z0-9_%.]g[^a-z0-9_.]/) uses = uses ",g,"
    if (text ~ /[^a-z0-9_%.]s[^a-z0-9_.]/) uses = uses ",s,"
    if (index(text, "[gin]")) uses = uses ",gin,"
    if (text ~ /[^a-z0-9_%.]w[^a-z0-9_.]/) uses = uses ",w,"
    if (text ~ /[^a-z0-9_%.]lane[^a-z0-9_.]/) uses = uses ",lane,"
    if (text ~ /[^a-z0-9_%.]kc[^a-z0-9_.]/) uses = uses ",kc,"
    if (text ~ /[^a-z0-9_%.]loc[^a-z0-9_.]/) uses = uses ",loc,"

    row[serial] = sprintf("\"%s\", \"%s\", %d, %d, %d, {", name, rule, size, nout, nin)
    for (i = 0; i < nout; i++) row[serial] = row[serial] sprintf("\"%s\"%s", outt[i], i < nout - 1 ? ", " : "")
    row[serial] = row[serial] "}, {"
    for (i = 0; i < nin; i++) row[serial] = row[serial] sprintf("\"%s\"%s", intype[i], i < nin - 1 ? ", " : "")
    row[serial] = row[serial] "}, {"
    for (i = 0; i < nin; i++) row[serial] = row[serial] sprintf("\"%s\"%s", ingen[i], i < nin - 1 ? ", " : "")
    row[serial] = row[serial] "}"

    # the kernel
    sym = name
    gsub(/[^a-zA-Z0-9]/, "_", sym)
    sym = "form_" sym
    if (sym in symbols) sym = sym "_" serial
    symbols[sym] = 1
    symbol[serial] = sym
    code = "extern \"C\" __global__ void " sym "(const u64 *in, u64 *out, unsigned n, u64 *mem)\n{\n"
    code = code "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    if (uses ~ /,[sw],/) code = code "    __shared__ __align__(512) unsigned char shared[128 * 64];\n"
    for (i = 0; i < nout; i++) code = code sprintf("    %s o%d;\n", ctype(outt[i]), i)
    code = code "    asm volatile(\n"
    emit_asm("{ // form " name)
    for (i = 0; i < nout; i++) emit_asm(".reg ." regtype(outt[i]) " " outs[i] ";")
    for (i = 0; i < nin; i++) emit_asm(".reg ." regtype(intype[i]) " " ins[i] ";")
    count = nout
    for (i = 0; i < nin; i++) {
        if (intype[i] == "p") emit_asm("setp.ne.b32 " ins[i] ", %" count ", 0;")
        else emit_asm("mov." regtype(intype[i]) " " ins[i] ", %" count ";")
        count++
    }
    extra = ""
    for (i = 0; i < nin; i++)
        extra = extra (i ? ", " : "") "\"" constraint(intype[i]) "\"((" ctype(intype[i]) ")in[" i " * n + i])"
    if (uses ~ /,g,/) { emit_asm(".reg .b64 g; mov.b64 g, %" count++ ";"); extra = extra ", \"l\"(mem + 16 * i)" }
    if (uses ~ /,s,/) {
        emit_asm(".reg .b32 s; mov.b32 s, %" count++ ";")
        extra = extra ", \"r\"((unsigned)__cvta_generic_to_shared(shared + 64 * threadIdx.x))"
    }
    if (uses ~ /,gin,/) { emit_asm(".reg .b64 gin; mov.b64 gin, %" count++ ";"); extra = extra ", \"l\"(in + i)" }
    if (uses ~ /,w,/) {
        emit_asm(".reg .b32 w; mov.b32 w, %" count++ ";")
        extra = extra ", \"r\"((unsigned)__cvta_generic_to_shared(shared + 2048 * (threadIdx.x / 32)))"
    }
    if (uses ~ /,lane,/) {
        emit_asm(".reg .b32 lane; mov.b32 lane, %" count++ ";");
        extra = extra ", \"r\"(threadIdx.x & 31)"
    }
    if (uses ~ /,kc,/) {
        emit_asm(".reg .b64 kc; cvta.to.const.u64 kc, %" count++ ";");
        extra = extra ", \"l\"(forms_constants)"
    }
    if (uses ~ /,loc,/) emit_asm(".local .align 16 .b8 loc[64];")
    sub(/^, /, "", extra)
    gsub(/%/, "%%", text)
    emit_asm(text)
    for (i = 0; i < nout; i++) {
        if (outt[i] == "p") emit_asm("selp.b32 %" i ", 1, 0, " outs[i] ";")
        else emit_asm("mov." regtype(outt[i]) " %" i ", " outs[i] ";")
    }
    emit_asm("}")
    code = code "        : "
    for (i = 0; i < nout; i++) code = code (i ? ", " : "") "\"=" constraint(outt[i]) "\"(o" i ")"
    code = code "\n        : " extra "\n        : \"memory\");\n"
    for (i = 0; i < nout; i++) code = code "    out[" i " * n + i] = o" i ";\n"
    code = code "}\n"
    body[serial] = code
}

function regtype(t,    b) { b = regbits(t); return b == 1 ? "pred" : "b" b }
function ctype(t,    b) { b = regbits(t); return b == 1 ? "uint32_t" : "uint" b "_t" }
function constraint(t,    b) { b = regbits(t); return b == 16 ? "h" : b == 64 ? "l" : "r" }

BEGIN {
    # $STORE lays a, b and c out in the warp's shared memory, $LOAD reads d from where c was
    wmma_store = ".reg .b32 t, x<8>, y<8>, z<8>; shl.b32 t, lane, 4; add.u32 t, t, w; " \
        "st.shared.v4.b32 [t], {a0, a1, a2, a3}; st.shared.v4.b32 [t+512], {b0, b1, b2, b3}; " \
        "shl.b32 t, lane, 5; add.u32 t, t, w; st.shared.v4.b32 [t+1024], {c0, c1, c2, c3}; " \
        "st.shared.v4.b32 [t+1040], {c4, c5, c6, c7}; bar.warp.sync -1;"
    wmma_load = "bar.warp.sync -1; ld.shared.v4.b32 {d0, d1, d2, d3}, [t+1024]; " \
        "ld.shared.v4.b32 {d4, d5, d6, d7}, [t+1040];"
}

/^[ \t]*(;|$)/ { next }
{
    line = $0
    while (line ~ /\\$/) {
        sub(/[ \t]*\\$/, "", line)
        if ((getline more) <= 0)
            break
        sub(/^[ \t]+/, " ", more)
        line = line more
    }
    expand(line, 1)
}

END {
    if (bad) exit 1
    if (part < 0) {
        print "/* Generated from forms.txt by gen.awk: the tables of the parts. */"
        for (k = 0; k < parts; k++) printf "FORMS_PART(%d)\n", k
        exit 0
    }
    first = int(total * part / parts)
    last = int(total * (part + 1) / parts)
    print "/* Generated from forms.txt by gen.awk: kernels " first " to " last - 1 " of " total ", and their table. */"
    print "#include \"forms.h\"\n"
    uses_constants = 0
    for (i = first; i < last; i++) if (index(body[i], "forms_constants")) uses_constants = 1
    if (uses_constants) {
        print "static __constant__ u64 forms_constants[16] = {"
        print "    0x0123456789abcdefull, 0xfedcba9876543210ull, 0x8000000080000000ull, 0x7fffffff7fffffffull,"
        print "    0x80ff7f0180ff7f01ull, 0x3ff8000000000000ull, 0x3fc00000bfc00000ull, 0x0000000000000000ull};\n"
    }
    for (i = first; i < last; i++) print body[i]
    print "extern const struct form forms_" part "[] = {"
    for (i = first; i < last; i++) print "    {" row[i] ", " symbol[i] "},"
    print "};\nextern const unsigned forms_count_" part " = " last - first ";"
}
