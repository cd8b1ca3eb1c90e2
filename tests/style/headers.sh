#!/bin/sh
# Every header of the emulator compiles alone.
cd "$(dirname "$0")/../.." || exit 1
status=0
for header in emu/*.h emu/*/*.h; do
    if ! ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -Iemu -Wall -Wextra -x c -fsyntax-only "$header"; then
        echo "not ok - $header does not compile alone"
        status=1
    fi
done
[ $status -eq 0 ] && echo "ok - every header of the emulator compiles alone"
exit $status
