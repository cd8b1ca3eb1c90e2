#!/bin/sh
# tour.sh - what `tour patching' says in each layout: the stops and their texts are those of tests/debug/tour/LAYOUT, and
# docs/tour.md has each explanation once, in the first layout that has it.
# Addresses, cycles and the number of stores of a patch depend on the build and are not compared.
#
#     UPDATE=1 tests/debug/tour.sh      writes the present output into both
set -eu
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
tracing=/sys/kernel/tracing
failed=0
{
    echo tour patching
    for _ in $(seq 40); do echo tour; done
    echo continue
} >"$dir/commands"
echo continue >"$dir/plain"

# The transcript of a layout, up to the end of the tour.
tour() { # LAYOUT [COMMANDS]
    "$build/rvftrace" debug --quiet --harts 2 --console none --report "$dir/$1.${2:-commands}.json" \
        --append "script=\"cd $tracing; echo fib > set_ftrace_filter; echo function > current_tracer; work calls 1; echo fib > set_graph_function; echo function_graph > current_tracer; work calls 1; echo nop > current_tracer; poweroff\"" \
        --commands "$dir/${2:-commands}" "$build/guest-kernel/$1/kernel.elf" </dev/null 2>&1 |
        sed '1d; /begins a tour$/,$d' | sed '$d'
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

# The stops whose text no earlier one has; $dir/seen has the texts so far, a line each.
new_stops() {
    touch "$dir/seen"
    awk -v seen="$dir/seen" 'BEGIN { while ((getline line <seen) > 0) old[line] = 1 }
        function done() { if (stop && !(text in old)) { printf "%s", stop; old[text] = 1; print text >>seen } stop = text = "" }
        /^\(rvftrace\) / { done() }
        { stop = stop $0 "\n" }
        /^    \| / { text = text $0 }
        END { done() }'
}

same() { # SENTENCE EXPECTED FOUND
    if diff "$2" "$3" >"$dir/why"; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        sed 's/^/# /' "$dir/why"
        failed=1
    fi
}

for layout in mcount pfe16 pfe8 atomic callops; do
    tour $layout >"$dir/$layout"
    new_stops <"$dir/$layout" >"$dir/$layout.new"
    essence <"$dir/$layout" >"$dir/found"
    if [ "${UPDATE:-}" ]; then
        awk -v name="## $layout" -v file="$dir/$layout.new" '
            /^## / { on = $0 == name }
            on && /^```/ { inside = !inside
                print
                if (inside) while ((getline line <file) > 0) print line
                next }
            !(on && inside)' docs/tour.md >"$dir/document"
        cp "$dir/document" docs/tour.md
        cp "$dir/found" "tests/debug/tour/$layout"
    fi
    if [ "$(grep -c '^    |' "$dir/found")" -gt 15 ] && grep -q 'This is the end of the tour' "$dir/found"; then
        echo "ok - the tour of $layout gets to its end"
    else
        echo "not ok - the tour of $layout gets to its end"
        sed 's/^/# /' "$dir/found"
        failed=1
    fi
    same "... with the stops of tests/debug/tour/$layout" "tests/debug/tour/$layout" "$dir/found"
    section $layout | essence >"$dir/expected"
    essence <"$dir/$layout.new" >"$dir/found"
    same '... and docs/tour.md shows those that are new in it' "$dir/expected" "$dir/found"
done

tour mcount plain >/dev/null
if cmp "$dir/mcount.commands.json" "$dir/mcount.plain.json"; then
    echo "ok - the tour changes nothing of the run"
else
    echo "not ok - the tour changes nothing of the run"
    failed=1
fi
exit $failed
