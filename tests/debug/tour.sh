#!/bin/sh
# tour.sh - what `tour patching' says in each layout: the stops and their texts are those of tests/debug/tour/LAYOUT, and
# docs/tour.md has each explanation once, in the first layout that has it.
# Addresses, cycles and the number of stores of a patch depend on the build and are not compared.
#
#     UPDATE=1 tests/debug/tour.sh      writes the present output into both
. "$(dirname "$0")/common.inc"

{
    echo tour patching
    for _ in $(seq 40); do echo tour; done
    echo continue
} >"$work/commands"
echo continue >"$work/plain"

# The transcript of a layout, up to the end of the tour.
tour() { # LAYOUT [COMMANDS]
    try "$rvftrace" debug --quiet --harts 2 --console none --report "$work/$1.${2:-commands}.json" \
        --append "script=\"cd $tracing; echo fib > set_ftrace_filter; echo function > current_tracer; work calls 1; echo fib > set_graph_function; echo function_graph > current_tracer; work calls 1; echo nop > current_tracer; poweroff\"" \
        --commands "$work/${2:-commands}" "$BUILD/guest-kernel/$1/kernel.elf" </dev/null >"$out" 2>&1
    sed '1d; /begins a tour$/,$d' "$out" | sed '$d'
}

# The section of a layout in the document.
section() { # LAYOUT
    awk -v name="## $1" '$0 == name { on = 1 } /^## / && $0 != name { on = 0 }
        on && /^```/ { inside = !inside; next } on && inside' docs/tour.md
}

# Titles and texts, each stop once in a row; without those in the middle of a patch, for a site that happens to be at a
# multiple of eight is written by one store.
essence() {
    awk 'function done() { if (block != last && block !~ /half old and half new/) { printf "%s", block; last = block } }
        /^---- / { done(); sub(/^---- [0-9]+: /, ""); block = $0 "\n" }
        /^    \| / { block = block $0 "\n" }
        END { done() }'
}

# The stops whose text no earlier one has; $work/seen has the texts so far, a line each.
new_stops() {
    touch "$work/seen"
    awk -v seen="$work/seen" 'BEGIN { while ((getline line <seen) > 0) old[line] = 1 }
        function done() { if (stop && !(text in old)) { printf "%s", stop; old[text] = 1; print text >>seen } stop = text = "" }
        /^\(rvftrace\) / { done() }
        { stop = stop $0 "\n" }
        /^    \| / { text = text $0 }
        END { done() }'
}

for layout in mcount pfe16 pfe8 atomic callops; do
    tour $layout >"$work/$layout"
    new_stops <"$work/$layout" >"$work/$layout.new"
    essence <"$work/$layout" >"$work/found"
    if [ "${UPDATE:-}" ]; then
        awk -v name="## $layout" -v file="$work/$layout.new" '
            /^## / { on = $0 == name }
            on && /^```/ { inside = !inside
                print
                if (inside) while ((getline line <file) > 0) print line
                next }
            !(on && inside)' docs/tour.md >"$work/document"
        cp "$work/document" docs/tour.md
        cp "$work/found" "tests/debug/tour/$layout"
    fi
    claim "the tour of $layout gets to its end" has_status 0 and test "$(grep -c '^    |' "$work/found")" -gt 15 \
        and has_line 'This is the end of the tour' "$work/found"
    claim "... with the stops of tests/debug/tour/$layout" diff "tests/debug/tour/$layout" "$work/found"
    section $layout | essence >"$work/expected"
    essence <"$work/$layout.new" >"$work/found"
    claim '... and docs/tour.md shows those that are new in it' diff "$work/expected" "$work/found"
done

tour mcount plain >/dev/null
claim 'the tour changes nothing of the run' has_status 0 and cmp "$work/mcount.commands.json" "$work/mcount.plain.json"
finish
