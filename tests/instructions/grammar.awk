# Expands the families of grammar.txt. Writes one form a line: the module it needs of its own (or -), a tab, the opcode,
# a tab, declarations of registers and labels, a tab, the statement, a tab, what follows it.
#
# -v limit=N: of families with more than N forms, N that are drawn with -v seed=S; 0: all.

BEGIN {
    count = split("b8:h u8:h s8:h b16:h u16:h s16:h f16:h bf16:h e4m3x2:h e5m2x2:h ue8m0x2:h e4m3:h e5m2:h e2m1x2:h " \
                  "e2m3x2:h e3m2x2:h b32:w u32:w s32:w f32:w f16x2:w bf16x2:w tf32:w u16x2:w s16x2:w e4m3x4:w s2:w " \
                  "u2:w s4:w u4:w b64:q u64:q s64:q f64:q f32x2:q b128:o pred:p", list, " ")
    for (n = 1; n <= count; n++) {
        split(list[n], pair, ":")
        size[pair[1]] = pair[2]
    }
    declared["h"] = ".b16"; declared["w"] = ".b32"; declared["q"] = ".b64"; declared["o"] = ".b128"
    declared["p"] = ".pred"
    srand(seed + 0)
}

/^;/ || /^[ \t]*$/ { next }

/^@/ {
    name = substr($1, 2)
    lists[name] = $3
    next
}

{
    line = $0
    while (match(line, /[<,]@[A-Z0-9a-z]+/)) {
        name = substr(line, RSTART + 2, RLENGTH - 2)
        if (!(name in lists)) {
            print "grammar: line " NR ": no list '" name "'" > "/dev/stderr"
            exit 1
        }
        line = substr(line, 1, RSTART) lists[name] substr(line, RSTART + RLENGTH)
    }
    families++
    form_count = 0
    expand("", line)
    for (n = 1; n <= form_count; n++)
        if (!limit || form_count <= limit || rand() * form_count < limit)
            write(forms[n])
}

# Splits `rest` at its choices and keeps every whole line in `forms`.
function expand(before, rest,    at, end, count, n, options) {
    at = index(rest, "<")
    if (!at) {
        forms[++form_count] = before rest
        return
    }
    end = index(rest, ">")
    count = split(substr(rest, at + 1, end - at - 1), options, ",")
    for (n = 1; n <= count; n++)
        expand(before substr(rest, 1, at - 1) options[n], substr(rest, end + 1))
}

# The size of the operand letter S in a form of this opcode.
function size_of(s) {
    return s == "T" ? last : s == "U" ? first : s == "V" ? second : s
}

# Replaces x#S and x#S*N in the text, and notes the registers.
function operands(text,    at, name, s, times, out, n, one) {
    out = ""
    while (match(text, /[a-z]#[TUVhwqop](\*(n\/[0-9]|[0-9]+))?/)) {
        at = RSTART
        one = substr(text, RSTART, RLENGTH)
        name = substr(one, 1, 1)
        s = size_of(substr(one, 3, 1))
        times = length(one) > 3 ? substr(one, 5) : ""
        if (times ~ /^n/)
            times = columns / substr(times, 3)
        out = out substr(text, 1, at - 1)
        text = substr(text, at + length(one))
        if (times == "") {
            out = out register(s, name)
            continue
        }
        out = out "{"
        for (n = 0; n < times; n++)
            out = out (n ? ", " : "") register(s, name n)
        out = out "}"
    }
    return out text
}

function register(s, name) {
    name = "%" s name
    if (!(name in used)) {
        used[name] = 1
        registers = registers " .reg " declared[s] " " name ";"
    }
    return name
}

function write(form,    opcode, rest, part, n, count, tokens, own) {
    opcode = form
    sub(/[ \t].*/, "", opcode)
    rest = substr(form, length(opcode) + 1)
    sub(/^[ \t]+/, "", rest)
    first = second = last = ""
    columns = 0
    count = split(opcode, tokens, ".")
    for (n = 2; n <= count; n++) {
        if (tokens[n] ~ /^m64n[0-9]+k/) {
            columns = tokens[n]
            sub(/^m64n/, "", columns)
            columns += 0
        }
        if (!(tokens[n] in size))
            continue
        last = size[tokens[n]]
        if (first == "")
            first = last
        else if (second == "")
            second = last
    }
    registers = ""
    split("", used)
    own = rest ~ /texture_of_module/ ? "texture" : rest ~ /reg_twice/ ? "registers" : "-"
    split("", part)
    split(rest, part, "[ \t]*[|][|][ \t]*")
    rest = operands(part[1])
    print own "\t" opcode "\t" registers " " operands(part[2]) "\t" opcode " " rest ";\t" part[3]
}
