#!/bin/sh
# format.sh - the C code is laid out as .clang-format says.
. "$(dirname "$0")/../claims.sh"
cd "$claims_path/.." || exit 1

# shellcheck disable=SC2046 # names without blanks
clang-format --dry-run $(find emu tools tests guest-kernel guest -name '*.[ch]') >"$out" 2>&1
sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: .*clang-format.*/\1/p' "$out" | sort -u >"$work/files"
claim_no_line 'the C code is laid out as .clang-format says (make format)' '' "$work/files"
finish
