# Says what a submission has in place of device_user(): read from nm -C of its object files. Exit code 0 where it has
# that function; else 1, and one line for the participant, in place of the linker's words.
NF < 3 { next } # names of files, and what is only used
{
    kind = $2
    name = $0
    sub(/^ *[0-9a-f]+ +. +/, "", name)
    gsub(/[^A-Za-z0-9_:()*&, ]/, "?", name) # names come from outside
    name = substr(name, 1, 80)
}
name == "device_user" && kind ~ /[TWVDBR]/ { found = 1 }
index(name, "device_user(") == 1 { other = name }
# In CUDA the compiler's own helpers are there as well.
kind == "T" && name !~ /^_|__|::|\?/ && count < 4 { names = names (count++ ? ", " : "") name (name ~ /\(/ ? "" : "()") }
END {
    if (found)
        exit 0
    if (other != "")
        print "error: " other " is another function than device_user.h declares: its parameters differ"
    else
        print "error: there is no function device_user(): the submission defines " (count ? names : "no function")
    exit 1
}
