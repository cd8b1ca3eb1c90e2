#!/bin/sh
# headers.sh - every header of the emulator compiles alone.
. "$(dirname "$0")/../claims.sh"
cd "$claims_path/.." || exit 1

compile_each() {
    find emu -name '*.h' |
        xargs -n 8 -P "$(nproc)" "${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -Iemu -Wall -Wextra -x c -fsyntax-only
}
claim 'every header of the emulator compiles alone' compile_each
finish
