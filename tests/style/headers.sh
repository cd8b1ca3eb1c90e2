#!/bin/sh
# Every header of the emulator compiles alone.
cd "$(dirname "$0")/../.." || exit 1
find emu -name '*.h' | xargs -n 8 -P "$(nproc)" "${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -Iemu -Wall -Wextra -x c -fsyntax-only || {
    echo "not ok - every header of the emulator compiles alone"
    exit 1
}
echo "ok - every header of the emulator compiles alone"
