#!/bin/bash
# Installs the Debian packages that are missing, or says which: packages.sh build|test...
#
# With root's rights (or sudo without a password) it installs; without, it names the packages and ends with code 3.
# The CUDA Toolkit is NVIDIA's and not among them; without nvcc only submissions in C can be built.
. "$(dirname "$0")/lib.sh"
for_build=(gcc make libc6-dev pkg-config libjansson-dev libyaml-dev libelf-dev bubblewrap)
for_test=(bats bats-support bats-assert jq shellcheck g++ libedlib-dev)

wanted=()
for group; do
    case $group in
    build) wanted+=("${for_build[@]}") ;;
    test) wanted+=("${for_test[@]}") ;;
    *) usage 'packages.sh build|test...' ;;
    esac
done
[ ${#wanted[@]} -gt 0 ] || usage 'packages.sh build|test...'

command -v dpkg-query > /dev/null || exit 0 # not Debian's kind: the build will say what it misses
missing=()
for package in "${wanted[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ]; then
    become=()
elif sudo -n true 2> /dev/null; then
    become=(sudo -n)
else
    fail "these packages are missing; install them with: sudo apt-get install ${missing[*]}"
fi
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
{
    "${become[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" ||
        { "${become[@]}" apt-get update -q &&
            "${become[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"; }
} >&2 || fail "apt-get could not install: ${missing[*]}"
