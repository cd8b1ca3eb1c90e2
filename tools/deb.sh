#!/bin/sh
# deb.sh DIRECTORY - makes the Debian packages of this tree in the directory, source and binary, and
# has lintian check them. `make deb` calls it. In a git checkout it takes what is committed.
set -eu
out=$1
mkdir -p "$out"
out=$(realpath "$out")
cd "$(dirname "$0")/.."
for program in dpkg-buildpackage dh lintian; do
    if ! command -v "$program" >/dev/null; then
        echo "deb: there is no $program: apt-get install dpkg-dev debhelper lintian" >&2
        exit 1
    fi
done
# debian/changelog, made of CHANGELOG.md: a section for each version, an entry for each line that begins with `-'.
# Lines are of 80 characters at most.
changelog() {
    awk -v maintainer="$(sed -n 's/^Maintainer: //p' debian/control)" '
        function put(word) {
            if (length(line) + 1 + length(word) > 80) { print line; line = "   " }
            line = line " " word
        }
        function entry() { if (line) print line; line = "" }
        function done() { entry(); if (date) { printf "\n -- %s  ", maintainer; fflush(); system("LC_ALL=C date -u -R -d " date) } }
        /^## / { done(); date = substr($3, 2, 10); printf "%srvftrace (%s) unstable; urgency=medium\n\n", separator, $2; separator = "\n" }
        date && /^- / { entry(); line = "  *"; for (i = 2; i <= NF; i++) put($i) }
        date && line && /^  / { for (i = 1; i <= NF; i++) put($i) }
        END { done() }' CHANGELOG.md
}
version=$(sed -n '/^## /{s/^## \([0-9.]*\) .*/\1/p;q;}' CHANGELOG.md)
tree="$out/rvftrace-$version"
rm -rf "$tree" "$out"/*.deb "$out"/*.dsc "$out"/*.tar.xz "$out"/*.changes "$out"/*.buildinfo
mkdir "$tree"
if [ -e .git ]; then
    git archive HEAD | tar -x -C "$tree"
else
    tar -c --exclude=./build --exclude=./.cache . | tar -x -C "$tree"
fi
changelog >"$tree/debian/changelog"
(cd "$tree" && dpkg-buildpackage -us -uc -j2)
rm -rf "$tree"
(cd "$out" && lintian --fail-on warning ./*.changes && ls -l ./*.deb ./*.dsc)
