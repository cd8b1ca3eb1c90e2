#!/bin/sh
# bootstrap.sh - tests of tools/bootstrap.sh, on a simulated machine.
#
# Stubs of dpkg-query, apt-get, id and sudo simulate Debian; nothing is installed.
. "$(dirname "$0")/../claims.sh"

root=$(realpath "$claims_path/..")
bootstrap=$root/tools/bootstrap.sh
mkdir "$work/bin" "$work/tmp"

stub() { # name, body
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# ends STATUS ARGUMENTS...: with which status it ends on that machine; its output is then in $out.
ends() {
    expected=$1
    shift
    : >"$work/calls"
    try env PATH="$work/bin" TMPDIR="$work/tmp" OS_RELEASE="$work/os" /bin/sh "$bootstrap" "$@" >"$out" 2>&1
    has_status "$expected"
}

# says PATTERN, calls PATTERN: a line of its output, of the calls of programs. says_nothing, calls_nothing: there is none.
says() { has_line "$1" "$out"; }
calls() { has_line "$1" "$work/calls"; }
calls_not() { no_line "$1" "$work/calls"; }
says_nothing() { test ! -s "$out"; }
calls_nothing() { test ! -s "$work/calls"; }

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
install) for p; do case \$p in install | -* | *=*) ;; *) echo \"\$p\" >>'$work/installed' ;; esac; done ;;
esac"

/bin/sh "$bootstrap" --list | awk '{ print $2 }' >"$work/all"
/bin/sh "$bootstrap" --list | awk '$1 == "build" { print $2 }' >"$work/build"

/bin/sh "$bootstrap" --list | awk '{ print $1, $2 }' | sort >"$work/told"
# The rows of the page, each with the section that it is in.
awk -F'`' '/^## To build/ { need = "build" } /^## To test/ { need = "test" } /^## For the long/ { need = "long" }
    /^## For the viewer/ { need = "view" } /^## For tests with Linux/ { need = "linux" }
    /^\| `[^`]*` \| .+ \|$/ { print need, $2 }' "$root/docs/packages.md" | sort >"$work/documented"
claim "docs/packages.md says of every package what it does and what needs it, and of no other" test -s "$work/told" \
    and cmp "$work/told" "$work/documented"

cp "$work/all" "$work/installed"
claim "with all there, nothing is said and apt-get is not called" ends 0 and says_nothing and calls_nothing
claim "with all there, --check is status 0" ends 0 --check

cp "$work/build" "$work/installed"
claim "building does not ask for what only tests need" ends 0 and calls_nothing
claim "--check names what is missing, status 1, and installs nothing" ends 1 --check and says man-db and calls_nothing
claim "--test updates and installs what is missing, and only that" ends 0 --test and says 'installing: .*man-db' \
    and calls '^update ' and calls '^install -y --no-install-recommends .*man-db' and calls_not libelf-dev
claim "it waits for another process that installs packages" calls '^install .*DPkg::Lock::Timeout=[1-9]'
claim "testing does not ask for what only Linux needs" calls_not bison
claim "--linux installs that" ends 0 --linux and calls 'install .*bison' and calls_not man-db
claim "apt's output does not show and leaves no log when all went well" no_line noise "$out" and test -z "$(ls "$work/tmp")"

: >"$work/installed"
claim "--build installs what building needs" ends 0 --build and calls 'install .*libelf-dev' and calls_not man-db

stub apt-get "echo 'E: the reason'; [ \"\$1\" = update ]"
: >"$work/installed"
log_says() { has_line "$1" "$(sed -n 's/.*its output is in //p' "$out")"; }
claim "when apt-get fails, the log it names holds the reason" ends 1 and log_says 'the reason'

stub apt-get "echo \"\$@\" >>'$work/calls'"
: >"$work/installed"
claim "a package that apt-get did not install after all is noticed" ends 1 and says 'still missing'

stub id 'echo 1000'
: >"$work/installed"
claim "without root and sudo it says what to type, status 69" ends 69 \
    and says 'apt-get install -y --no-install-recommends gcc-riscv64-unknown-elf' and calls_nothing
stub sudo "echo sudo >>'$work/calls'; exec \"\$@\""
claim "without root it uses sudo" ends 1 and calls '^sudo$' and calls '^update '

echo 'ID=fedora' >"$work/os"
claim "on another system it names the packages, status 69" ends 69 and says libelf-dev
echo 'ID=mint
ID_LIKE="ubuntu debian"' >"$work/os"
cp "$work/all" "$work/installed"
claim "a descendant of Debian counts as Debian" ends 0

claim "a wrong option is status 64" ends 64 --nonsense

finish
