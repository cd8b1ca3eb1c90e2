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
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
tree="$out/rvftrace-$version"
rm -rf "$tree" "$out"/*.deb "$out"/*.dsc "$out"/*.tar.xz "$out"/*.changes "$out"/*.buildinfo
mkdir "$tree"
if [ -e .git ]; then
    git archive HEAD | tar -x -C "$tree"
else
    tar -c --exclude=./build --exclude=./.cache . | tar -x -C "$tree"
fi
(cd "$tree" && dpkg-buildpackage -us -uc -j2)
rm -rf "$tree"
(cd "$out" && lintian --fail-on warning ./*.changes && ls -l ./*.deb ./*.dsc)
