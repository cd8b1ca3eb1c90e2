#!/bin/sh
# bootstrap.sh - install the Debian 12 packages that rvftrace needs.
#
# The table in packages() is the only list of packages. Exit status: 0 all are
# installed, 1 some are missing (--check) or could not be installed, 64 usage, 69
# they cannot be installed here: the message has the command to run instead.

set -eu

# Columns: needed for (build, test, long: make check-long, view: the viewer and its tests, or linux: booting
# Linux as a test); package; reason.
packages() {
    cat <<'EOF'
build gcc-riscv64-unknown-elf compiles the guest kernel and the guest programs
build binutils-riscv64-unknown-elf assembles, links and disassembles them
build libelf-dev reads and writes ELF files (recordmcount, the image loader)
build libdw-dev finds source lines for addresses
build libfdt-dev makes the device tree
build libedit-dev edits the command line of the debugger
build libjansson-dev reads reports (rvftrace report)
build libzstd-dev compresses snapshots in files
build libcmocka-dev runs the unit tests
build pkg-config finds these libraries
test qemu-system-misc runs the same guests for comparison (qemu-system-riscv64)
test gdb-multiarch controls guests through the gdb server
test opensbi is the firmware that QEMU starts them with
test u-boot-qemu is the boot loader that reads disks in tests
test e2fsprogs makes these disks (mke2fs)
test clang compiles the fuzz targets, and programs of BPF
long libclang-rt-14-dev has libFuzzer and the sanitizers for them
test clang-format checks the format of the C code
long clang-tidy checks the C code for defects
test device-tree-compiler decompiles the device trees (dtc)
test llvm-19 disassembles instructions that binutils 2.40 does not know (llvm-objdump-19)
test man-db checks and shows the man pages
build cpio packs the initial file systems of guests
build patch makes the guest kernels with a mistake, for the tests of the auditor
build python3 makes tables of stencils, and benchmarks (guest/cycles); runs checks and tools that are scripts
test gnuplot-nox draws the plots of tools/bench
test parallel runs the pieces that tools/bench --shards makes
long gcc-aarch64-linux-gnu compiles the stencils of native code for hosts of that kind
long valgrind counts the instructions that the emulator takes
long trace-cmd reads what the guest kernel recorded
long kernelshark shows the traces that rvftrace log and run --rings write
long gtkwave reads the states of harts that rvftrace log writes (vcd2fst)
long linux-perf reads the samples that rvftrace log writes (perf)
long libdevel-nytprof-perl has flamegraph.pl, which draws the folded stacks that rvftrace log writes
long protobuf-compiler decodes the Perfetto traces that rvftrace log writes (protoc)
test fish completes command lines of rvftrace
test zsh completes command lines of rvftrace
long debhelper makes the Debian packages
long lintian checks the Debian packages
long desktop-file-utils checks the entry of the viewer in menus
long chromium draws the pages that rvftrace report writes
long blktrace reads what the guest kernel recorded of a disk (blkparse)
view libsdl2-dev shows windows (rvftrace view)
view libsdl2-ttf-dev draws the text in them
view libpng-dev writes pictures of them
view fonts-dejavu-core is the font
view xvfb is the display in their tests
view xdotool presses keys and clicks there
view zstd makes logs there whose checksums are right and whose contents are not
linux gcc-riscv64-linux-gnu compiles Linux
linux clang-19 compiles a user space for rva23u64
linux lld-19 links it
linux flex generates the lexers of its build tools
linux bison generates the parsers of its build tools
linux bc computes constants in its build
linux xz-utils unpacks its source
linux debian-archive-keyring verifies that the kernels are Debian's
EOF
}

say() { printf '%s\n' "bootstrap: $*"; }

fail() { # status, message
    printf '%s\n' "bootstrap: $2" >&2
    exit "$1"
}

usage() {
    cat <<'EOF'
Usage: tools/bootstrap.sh [--build | --test | --long | --view | --linux | --check | --list]
  --build  install the packages for building (the default)
  --test   install those for testing, too
  --long   install those for `make check-long', too
  --view   install those for building and the viewer (`make view', `make check-view')
  --linux  install those for `make check-linux', too
  --check  install nothing; list the missing ones for building and testing, exit 1 if any
  --list   print every package with its reason
EOF
}

wanted() { # build, test (both), long (those and its own), view (build and its own) or linux (all but those of view)
    packages | while read -r need package reason; do
        case $1:$need in
        build:build | test:build | test:test | long:build | long:test | long:long | view:build | view:view | linux:build | linux:test | linux:long | linux:linux) printf '%s\n' "$package" ;;
        esac
    done
}

list() {
    packages | while read -r need package reason; do
        printf '%-5s  %-28s %s\n' "$need" "$package" "$reason"
    done
}

is_debian() {
    os=${OS_RELEASE:-/etc/os-release} # OS_RELEASE is set by the test only
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

# Runs apt-get as root, its output in the log. It waits up to ten minutes for another process that installs packages, like the
# automatic updates of a machine that has just been started.
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@" -o DPkg::Lock::Timeout=600 >>"$log" 2>&1 </dev/null
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
--build | --test | --long | --view | --linux) need=${deed#--} ;;
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
