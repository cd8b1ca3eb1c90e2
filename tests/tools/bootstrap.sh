#!/bin/sh
# bootstrap.sh - tests of tools/bootstrap.sh, on a simulated machine.
#
# Stubs of dpkg-query, apt-get, id and sudo simulate Debian; nothing is
# installed. Prints `ok - claim` or `not ok - claim`; status 0 when all hold.

set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
bootstrap=$root/tools/bootstrap.sh
failed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/test-bootstrap.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tmp"

claim() { # status, claim
    if [ "$1" -eq 0 ]; then
        printf 'ok - %s\n' "$2"
    else
        printf 'not ok - %s\n' "$2"
        sed 's/^/# /' "$work/out"
        failed=1
    fi
}

stub() { # name, body
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

run() { # expected status, arguments...: the output in $work/out
    expected=$1
    shift
    : >"$work/calls"
    PATH=$work/bin TMPDIR=$work/tmp OS_RELEASE=$work/os /bin/sh "$bootstrap" "$@" \
        >"$work/out" 2>&1
    got=$?
    [ $got -eq "$expected" ] || echo "(status $got, not $expected)" >>"$work/out"
    [ $got -eq "$expected" ]
}

has() { grep -q -e "$2" "$work/$1"; }

# The machine: only these programs, packages listed in the file "installed".
for program in cat env grep mktemp rm printf sh; do
    ln -s "$(command -v $program)" "$work/bin/$program"
done
echo 'ID=debian' >"$work/os"
stub id 'echo 0'
stub dpkg-query "sed 's/^/ii /' '$work/installed'; exit 1"
ln -s "$(command -v sed)" "$work/bin/sed"
stub apt-get "echo \"\$@\" >>'$work/calls'
echo 'noise of apt'
case \$1 in
install) for p; do case \$p in install | -*) ;; *) echo \"\$p\" >>'$work/installed' ;; esac; done ;;
esac"

/bin/sh "$bootstrap" --list | awk '{ print $2 }' >"$work/all"
/bin/sh "$bootstrap" --list | awk '$1 == "build" { print $2 }' >"$work/build"

/bin/sh "$bootstrap" --list | awk '{ print $1, $2 }' | sort >"$work/told"
# The rows of the page, each with the section that it is in.
awk -F'`' '/^## To build/ { need = "build" } /^## To test/ { need = "test" } /^## For the long/ { need = "long" }
    /^## For the viewer/ { need = "view" } /^## For tests with Linux/ { need = "linux" }
    /^\| `[^`]*` \| .+ \|$/ { print need, $2 }' "$root/docs/packages.md" | sort >"$work/documented"
[ -s "$work/told" ] && cmp "$work/told" "$work/documented"
claim $? "docs/packages.md says of every package what it does and what needs it, and of no other"

cp "$work/all" "$work/installed"
run 0 && [ ! -s "$work/out" ] && [ ! -s "$work/calls" ]
claim $? "with all there, nothing is said and apt-get is not called"
run 0 --check
claim $? "with all there, --check is status 0"

cp "$work/build" "$work/installed"
run 0 && [ ! -s "$work/calls" ]
claim $? "building does not ask for what only tests need"
run 1 --check && has out man-db && [ ! -s "$work/calls" ]
claim $? "--check names what is missing, status 1, and installs nothing"
run 0 --test && has out 'installing: .*man-db' && has calls '^update$' &&
    has calls '^install -y --no-install-recommends .*man-db' && ! has calls libelf-dev
claim $? "--test updates and installs what is missing, and only that"
! has calls bison
claim $? "testing does not ask for what only Linux needs"
run 0 --linux && has calls 'install .*bison' && ! has calls man-db
claim $? "--linux installs that"
! has out noise && [ -z "$(ls "$work/tmp")" ]
claim $? "apt's output does not show and leaves no log when all went well"

: >"$work/installed"
run 0 --build && has calls 'install .*libelf-dev' && ! has calls man-db
claim $? "--build installs what building needs"

stub apt-get "echo 'E: the reason'; [ \"\$1\" = update ]"
: >"$work/installed"
run 1 && log=$(sed -n 's/.*its output is in //p' "$work/out") && grep -q 'the reason' "$log"
claim $? "when apt-get fails, the log it names holds the reason"

stub apt-get "echo \"\$@\" >>'$work/calls'"
: >"$work/installed"
run 1 && has out 'still missing'
claim $? "a package that apt-get did not install after all is noticed"

stub id 'echo 1000'
: >"$work/installed"
run 69 && has out 'apt-get install -y --no-install-recommends gcc-riscv64-unknown-elf' &&
    [ ! -s "$work/calls" ]
claim $? "without root and sudo it says what to type, status 69"
stub sudo "echo sudo >>'$work/calls'; exec \"\$@\""
run 1 && has calls '^sudo$' && has calls '^update$'
claim $? "without root it uses sudo"

echo 'ID=fedora' >"$work/os"
run 69 && has out libelf-dev
claim $? "on another system it names the packages, status 69"
echo 'ID=mint
ID_LIKE="ubuntu debian"' >"$work/os"
cp "$work/all" "$work/installed"
run 0
claim $? "a descendant of Debian counts as Debian"

run 64 --nonsense
claim $? "a wrong option is status 64"

exit $failed
