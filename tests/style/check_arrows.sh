#!/bin/sh
# check_arrows.sh - tools/check_arrows refuses each kind of mistake, in a small tree of two or three folders, with a line
# about this mistake and no other.
. "$(dirname "$0")/../claims.sh"
tree=$work/tree

# file NAME LINE...: a source file of the tree.
file() {
    mkdir -p "$tree/$(dirname "$1")"
    file_name=$1
    shift
    printf '%s\n' "$@" >"$tree/$file_name"
}

# good_tree: high/ uses a header of low/, as the table says.
good_tree() {
    rm -rf "$tree"
    file low/api.h '/* public */'
    file low/more.h '/* public, too */'
    file low/low_priv.h '/* private */'
    file low/low.c '#include "low/api.h"' '#include "low/low_priv.h"'
    file high/high.c '#include <stdio.h>' '#include "low/api.h"'
}

# check TABLE: runs the tool on the tree.
check() {
    printf '%s\n' "$1" >"$work/table"
    try "$claims_path/../tools/check_arrows" "$tree" "$work/table" >"$out" 2>"$err"
}

# refused SENTENCE TABLE LINE: the tool's only line is this one.
refused() {
    check "$2"
    printf 'not ok - %s\n' "$3" >"$work/wanted"
    claim "$1" has_status 1 and diff "$work/wanted" "$out"
}

good='{"low": {}, "high": {"low": null}}'

good_tree
check "$good"
claim 'includes as the table permits are accepted' has_status 0 and has_line '^ok - all includes' "$out"
check '{"low": {}, "high": {"low": ["api.h"]}}'
claim '... also where the table names the headers' has_status 0 and has_line '^ok - all includes' "$out"

refused 'a folder without a row is refused' '{"low": {}}' "$tree/high has no row in DEPENDENCIES
not ok - $tree/high/high.c includes low/api.h: high must not depend on low"
refused 'a row without a folder is refused' '{"low": {}, "high": {"low": null}, "gone": {}}' \
    "$tree/gone has no source files"
refused 'a cycle in the table is refused' '{"low": {"high": null}, "high": {"low": null}}' \
    'a cycle in DEPENDENCIES: low -> high -> low'

file low/back.c '#include "high/api.h"'
file high/api.h '/* public */'
refused 'an include against the table is refused' "$good" \
    "$tree/low/back.c includes high/api.h: low must not depend on high"

good_tree
file high/priv.c '#include "low/low_priv.h"'
refused 'a *_priv.h of another folder is refused' "$good" \
    "$tree/high/priv.c includes low/low_priv.h: low_priv.h is private to low"

good_tree
file low/part/part.c '#include "low/low_priv.h"'
check '{"low": {}, "low/part": {"low": null}, "high": {"low": null}}'
claim 'a component inside of the folder may include it' has_status 0 and has_line '^ok - all includes' "$out"
rm -r "$tree/low/part"

good_tree
file high/more.c '#include "low/more.h"'
refused 'a header that the row does not name is refused' '{"low": {}, "high": {"low": ["api.h"]}}' \
    "$tree/high/more.c includes low/more.h: high may include only api.h of low"

good_tree
file high/gone.c '#include "low/gone.h"'
refused 'a header that does not exist is refused' "$good" \
    "$tree/high/gone.c includes low/gone.h: no such file in $tree"

good_tree
file high/high.c '#include <stdio.h>'
refused 'a permitted folder of which nothing is included is refused' "$good" \
    'high includes nothing of low, which DEPENDENCIES permits'

good_tree
refused 'a permitted header that is not included is refused' '{"low": {}, "high": {"low": ["api.h", "more.h"]}}' \
    'high does not include low/more.h, which DEPENDENCIES permits'
finish
