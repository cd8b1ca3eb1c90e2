#!/bin/sh
# litmus_fetch.sh - rvftrace litmus on the public suite of litmus tests about fetches (docs/litmus.md says where it is).
#
#   litmus_fetch.sh FOLDER     the checkout of rems-project/litmus-tests-riscv-ifetch
. "$(dirname "$0")/../machine/common.inc"

suite=$1
LIMIT=1200

# holds MODE KINDS: runs the suite against the verdicts of one reading of the ISA.
holds() { run litmus --quiet --fetch "$1" --expect "$suite/kinds-$2.txt" "$suite"; }
not_seen() { sed -n 's/^Expected \(.*\) Allow: allowed, but not seen/\1/p' "$out" | sort; }
# The tests that the weakest rule forbids by which a fetch is before the stores that follow in its hart.
forbidden_by_decode() { sed -n 's/^\([^ ]*\)  *Forbid.*/\1/p' "$suite/kinds-ir-decode-w.txt" | sort; }
all_need_a_late_fetch() { not_seen >"$work/not_seen" && forbidden_by_decode | comm -23 "$work/not_seen" - | cmp - /dev/null; }
all_is_seen() { not_seen | cmp - /dev/null; }

holds any Ziccif-only
claim 'with Ziccif only, nothing forbidden is seen' has_line '^Expected [0-9]*: .* forbidden and seen 0' "$out"
claim 'and all tests are run' has_line '^Tests [0-9]*: [0-9]* run$' "$out"
claim 'what is allowed and not seen needs a fetch after a later store' all_need_a_late_fetch
sed 's/^/# not seen: /' "$work/not_seen"
grep -E '^(Tests|Final|Expected [0-9]|Allowed)' "$out" | sed 's/^/# /'
holds any ir-decode-w
claim 'what is allowed if no fetch is after a later store is all seen' all_is_seen
holds ordered Ziccid
claim 'with Ziccid, all is as expected' has_status 0
claim 'and all that is allowed is seen' all_is_seen
holds coherent Ziccid
claim 'what coherent fetches show is allowed by Ziccid' has_line '^Expected [0-9]*: .* forbidden and seen 0' "$out"
finish
