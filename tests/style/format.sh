#!/bin/sh
# The C code is formatted according to .clang-format.
cd "$(dirname "$0")/../.." || exit 1
files=$(find emu tools tests guest-kernel guest -name '*.[ch]')
# shellcheck disable=SC2086
bad=$(clang-format --dry-run $files 2>&1 | sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: .*clang-format.*/\1/p' | sort -u)
if [ -n "$bad" ]; then
    for file in $bad; do
        echo "not ok - $file is not laid out as .clang-format says; make format"
    done
    exit 1
fi
echo "ok - the C code is laid out as .clang-format says"
