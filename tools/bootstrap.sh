#!/bin/sh
# bootstrap.sh - install what rvftrace needs on Debian 12, and say so.
#
# The table in packages() is the one place that names packages. Exit status:
# 0 all there, 1 something is missing (--check) or could not be installed,
# 64 usage, 69 it cannot be done here: the message says what to type instead.

set -eu

# Column 1: needed to build, to test, or to boot Linux as a test; 2: the package; 3: the reason.
packages() {
    cat <<'EOF'
build gcc-riscv64-unknown-elf compiles the guest kernel and the guest programs
build binutils-riscv64-unknown-elf assembles, links and disassembles them
build libelf-dev reads and writes ELF files (recordmcount, the image loader)
build libdw-dev finds source lines for addresses
build libfdt-dev makes the device tree
build libedit-dev edits the command line of the debugger
build libjansson-dev reads reports back (rvftrace report)
build libcmocka-dev runs the unit tests
build pkg-config finds these libraries
test qemu-system-misc runs the same guest as the second opinion (qemu-system-riscv64)
test opensbi is the firmware that QEMU starts it with
test u-boot-qemu is the boot loader that reads our disks
test e2fsprogs makes the disk that it reads (mke2fs)
test clang compiles the fuzz targets
test libclang-rt-14-dev brings libFuzzer and the sanitizers that they are built with
test clang-format checks the layout of the C code
test clang-tidy reads it for mistakes (make check-long)
test device-tree-compiler reads the device trees back (dtc)
test llvm-19 disassembles what binutils 2.40 does not know (llvm-objdump-19)
test man-db checks and shows the man pages
build cpio packs what guests have as their first file system
test python3 runs the checks and benchmarks that are scripts
linux gcc-riscv64-linux-gnu compiles Linux
linux flex generates the readers of its configuration
linux bison generates them, too
linux bc computes constants in its build
linux xz-utils unpacks its source
linux debian-archive-keyring proves that the kernels are Debian's
EOF
}

say() { printf '%s\n' "bootstrap: $*"; }

fail() { # status, message
    printf '%s\n' "bootstrap: $2" >&2
    exit "$1"
}

usage() {
    cat <<'EOF'
Usage: tools/bootstrap.sh [--build | --test | --linux | --check | --list]
  --build  install what building needs (the default)
  --test   install what testing needs as well
  --linux  install what `make check-linux' needs on top of both
  --check  install nothing; name what building and testing miss, exit 1 if any
  --list   print every package with the reason for it
EOF
}

wanted() { # build, test (both) or linux (all)
    packages | while read -r need package reason; do
        case $1:$need in
        build:build | test:build | test:test | linux:*) printf '%s\n' "$package" ;;
        esac
    done
}

list() {
    packages | while read -r need package reason; do
        printf '%-5s  %-28s %s\n' "$need" "$package" "$reason"
    done
}

is_debian() {
    os=${OS_RELEASE:-/etc/os-release} # the variable is for the test
    [ -r "$os" ] || return 1
    # shellcheck source=/dev/null
    case " $(. "$os" && printf '%s' "${ID-} ${ID_LIKE-}") " in
    *' debian '* | *' ubuntu '*) command -v dpkg-query >/dev/null 2>&1 ;;
    *) return 1 ;;
    esac
}

# Prints the wanted packages that are not installed, in one line.
missing() {
    wanted_now=$(wanted "$1")
    # shellcheck disable=SC2086 # one word for each package
    installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' $wanted_now 2>/dev/null || :)
    line=
    for package in $wanted_now; do
        case "
$installed
" in
        *"
ii $package
"*) ;;
        *) line="$line${line:+ }$package" ;;
        esac
    done
    printf '%s' "$line"
}

# Runs apt-get as root, its output in the log.
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@" >>"$log" 2>&1 </dev/null
}

install() { # packages in one line
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 ||
            fail 69 "missing: $1; as root, type: apt-get update && apt-get install -y --no-install-recommends $1"
        as_root=sudo
    fi
    log=$(mktemp "${TMPDIR:-/tmp}/rvftrace-bootstrap.XXXXXX")
    say "installing: $1"
    apt update || say "apt-get update failed (log: $log); trying with the package lists at hand"
    # shellcheck disable=SC2086 # one word for each package
    apt install -y --no-install-recommends $1 ||
        fail 1 "apt-get could not install: $1; its output is in $log"
    rm -f "$log"
    say "installed"
}

deed=--build
[ $# -le 1 ] || { usage >&2; exit 64; }
[ $# -eq 0 ] || deed=$1
case $deed in
--build | --test | --linux) need=${deed#--} ;;
--check) need='test' ;;
--list) list; exit 0 ;;
-h | --help) usage; exit 0 ;;
*) usage >&2; exit 64 ;;
esac

is_debian || fail 69 "this is not Debian or Ubuntu; install what these packages hold there:
$(list)"
absent=$(missing "$need")
if [ -z "$absent" ]; then
    [ "$deed" != --check ] || say "nothing is missing"
    exit 0
fi
[ "$deed" != --check ] || fail 1 "missing: $absent; install with: tools/bootstrap.sh --test"
install "$absent"
absent=$(missing "$need")
[ -z "$absent" ] || fail 1 "still missing after the installation: $absent; install by hand"
