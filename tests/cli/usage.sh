#!/bin/sh
# usage.sh - a wrong command line is status 64 and one line; help and version go to standard output.
. "$(dirname "$0")/../machine/common.inc"

run
claim 'no arguments: told what to try' refused 64 'no command'
run frobnicate "$mcount"
claim 'an unknown command is named' refused 64 ".*frobnicate"
run frob
claim 'an unknown command is answered with all commands' refused 64 '.*frob.*run, debug, explore, litmus, report, log, view, check-trace and cores'
run run
claim 'no image: told what to try' refused 64 'no image'
run run "$mcount" "$mcount"
claim 'two images are one too many' refused 64 'more than one image'
run run --frobnicate "$mcount"
claim 'an unknown option is named' refused 64 '.*--frobnicate; see rvftrace run --help'
run run --hartss=2 "$mcount"
claim '... and the nearest one' refused 64 'no option --hartss; did you mean --harts?'
run log --functoin fib x.log
claim '... of each command with options of its own' refused 64 'no option --functoin; did you mean --function?'
run run --commnads "$mcount"
claim '... and none of another command' refused 64 'no option --commnads; see'
run run --append --frobnicate --max-insns 1 --quiet "$mcount"
claim 'what an option takes is no option' has_status 75
run run -Z "$mcount"
claim 'an unknown short option is named' refused 64 '.*Z'
run run --harts
claim 'a missing argument is said' refused 64 '.*--harts'
run run --quiet=yes "$mcount"
claim 'an argument where none belongs is said' refused 64 '.*--quiet'
run run --ha 2 --max-insns 1 --quiet "$mcount"
claim 'an unambiguous beginning of an option will do' has_status 75
run run --m 2 "$mcount"
claim 'an ambiguous one will not' refused 64 '.*--m'

# refuses OPTION VALUE...: each is refused with a message that has the option and the value.
refuses() {
    option=$1
    shift
    for value; do
        run run --max-insns 1 "--$option=$value" "$mcount"
        has_status 64 && says_one_line ".*--$option" && grep -qF -- "$value" "$err" ||
            { echo "--$option=$value: status $status" && cat "$err" && return 1; }
    done
}
accepts() {
    option=$1
    shift
    for value; do
        run run --quiet --max-insns 10 --console none "--$option=$value" "$mcount"
        has_status 75 || { echo "--$option=$value: status $status" && cat "$err" && return 1; }
    done
}
numbers='-1 x 1x 1KK 1T 0x 99999999999999999999 18446744073709551615K 1.5'
claim 'bad numbers of harts are refused' refuses harts 0 65 1K '' ' -1' $numbers
claim 'good ones are taken' accepts harts 1 2 64 0x10
claim 'bad sizes of memory are refused' refuses memory 0 4097 1M 65G 3K '' $numbers
claim 'good ones are taken' accepts memory 16M 16m 1G 65536K 134217728
claim 'bad limits are refused' refuses max-insns '' ' -5' $numbers
claim 'bad cycle limits are refused' refuses max-cycles '' $numbers
claim 'good ones are taken' accepts max-cycles 1k 1K 1M 10G
claim 'bad styles of findings are refused' refuses findings '' none FULL full,brief
claim 'good ones are taken' accepts findings auto full brief
claim 'bad timeouts are refused' refuses timeout 0 -1 x 1x nan inf 1e30 ''
claim 'good ones are taken' accepts timeout 1 0.5 1e3
claim 'bad seeds are refused' refuses seed '' ' -1' $numbers
claim 'good ones are taken' accepts seed 0 1 0xdeadbeef 18446744073709551615
claim 'bad ISA strings are refused' refuses isa '' rv32i rv64 rv64mac rv64iq rv64i_zfoo
claim 'good ones are taken' accepts isa rv64imac_zifencei RV64IMAC_ZIFENCEI
run run --timeout=0 "$mcount"
claim 'what is refused is told what would do' refused 64 ".*--timeout: invalid value .0': expected seconds, above 0"
run run --memory 4096 "$mcount"
claim '... with its limits' refused 64 '.*from 4M to 64G'
run run --report= "$mcount"
claim 'a file needs a name' refused 64 ".*--report: invalid value .': expected a file"
run run --quiet --max-insns 10 --seed 1 --seed 2 "$mcount"
claim_line 'an option that is given twice is warned of' "^rvftrace: warning: --seed is given more than once; using .2'" "$err"
claim '... and the last one counts' has_status 75
claim 'bad timing models are refused' refuses timing '' atlantis unit: INORDER
claim 'good ones are taken' accepts timing unit inorder
claim 'bad fetch modes are refused' refuses fetch '' random any ordered any: stale:1 random: random:x 'random:-1' fresh
claim 'good ones are taken' accepts fetch stale coherent random:0 random:12 any:1 ordered:0
claim 'bad translation modes are refused' refuses translate '' random random: random:x stale:1 invalid
claim 'good ones are taken' accepts translate stale coherent random:0 random:12
claim 'bad modes of stores are refused' refuses stores '' random random: random:x delayed:1 late
claim 'good ones are taken' accepts stores prompt delayed random:0 random:12
run run --quiet --max-insns 10 --isa rv64imafdc_zicsr_zifencei_svadu --translate invalid "$mcount"
claim 'entries that were invalid can be kept without Svvptc' has_status 75
claim 'bad audit words are refused' refuses audit '' on Fail
claim 'good ones are taken' accepts audit off warn fail
claim 'bad account words are refused' refuses account '' yes 1
claim 'good ones are taken' accepts account on off
claim 'bad numbers of rows are refused' refuses rows '' 4294967296 $numbers
claim 'good ones are taken' accepts rows 0 1 1000
for option in console firmware; do
    run run --$option= "$mcount"
    claim "a $option without a name is refused" refused 64 ".*--$option: invalid value"
done
run run --commands x "$mcount"
claim 'an option of another command is said to be so' refused 64 '.*--commands is not an option of'

run --version
claim '--version names the extensions and libraries' has_line '^isa rv64imafdc' "$out" \
    and has_line '^jansson 2.*, zstd 1' "$out" and test "$(wc -l <"$out")" -eq 3
version=$(sed -n '/^## /{s/^## \([0-9.]*\) .*/\1/p;q;}' CHANGELOG.md)
head -n 1 "$out" >"$work/first"
claim '... after one line with the version, that of CHANGELOG.md' has_status 0 and line_count 1 '^rvftrace ' "$out" \
    and has_line "^rvftrace $version( |\$)" "$work/first"
claim_line '... which the man page names, too' "^.TH RVFTRACE 1 \"\" \"rvftrace $version\"" "$BUILD/rvftrace.1"
run -V
claim '-V is the same' has_status 0
for help in --help '-?' 'run --help' 'debug --help' 'run -?'; do
    # shellcheck disable=SC2086 # two words
    run $help
    claim "$help is status 0" has_status 0
    case $help in
    -*) command='run|debug|explore' ;;
    *) command=${help% *} ;;
    esac
    claim '... and begins with the usage' test "$(head -n 1 "$out")" = "Usage: rvftrace $command [OPTION...] IMAGE"
    claim '... and goes to standard output' test -s "$out" -a ! -s "$err"
done

# Rows of options.def: name and description.
options() { grep -oE '^OPT\("[a-z-]+"' emu/cli/options.def | sed 's/.*"\(.*\)"/\1/'; }
for command in '' run debug explore report log; do
    run $command --help
    claim "${command:-rvftrace} --help fits into 79 columns" awk 'length > 79 { bad = 1 } END { exit bad || NR < 10 }' "$out"
    claim '... and its texts begin where they should' awk '/^ {15}/ && !/^ {29}[^ ]/ || /[^ ] {26}/ { bad = 1 } END { exit bad || NR < 10 }' "$out"
done
run run --help
claim "run --help does not offer what is debug's" has_line '--rows' "$out" and no_line '--commands' "$out"
run debug --help
claim "nor debug --help what is run's" has_line '--commands' "$out" and no_line '--rows' "$out"
run run --version
claim 'the version may be asked for behind a command' has_status 0 and has_line '^rvftrace [0-9]' "$out"
run --help
claim_line '--help names --version' '--version' "$out"
first=$(sed -n '/ needed most:$/,/^$/s/^ .*--\([a-z-]*\)[= ].*/\1/p' "$out" | xargs)
claim '--help begins with the ten options that are needed most' \
    test "$first" = 'audit append drive harts initrd log memory report timeout timing'
claim '... then the others by what they are for' line_count 10 '^ [A-Z].*:$' "$out"
claim '--help tells the commands apart' has_line 'Of run\.$' "$out" and has_line 'Of debug\.$' "$out" and has_line ' Of run and debug\.' "$out"
claim_line '--help says how to leave' 'Ctrl-A x' "$out"
for option in $(options); do
    claim_line "--help knows --$option" "--$option" "$out"
done
for status_word in 64 65 66 70 74 75 76 80 '128+N'; do
    claim "--help knows status $status_word" grep -qF "$status_word" "$out"
done

run run --replay x --input y "$mcount"
claim 'a replay has no other input' refused 64 '.*leave out --input'

page=$BUILD/rvftrace.1
LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" >"$out" 2>"$err"
claim 'the man page renders without a warning' test -s "$out" and says_nothing
LC_ALL=C.UTF-8 MANWIDTH=100 man -l "$page" 2>/dev/null | col -b >"$out"
for option in $(options); do
    claim_line "the man page names --$option" "--$option" "$out"
done
for status_word in 64 65 66 70 74 75 76 80 '128+N'; do
    claim "the man page names status $status_word" grep -qE "^ +$(echo "$status_word" | sed 's/+/[+]/')( |\$)" "$out"
done
run run "$mcount" -h
claim '-h behind the image is help, too' has_status 0 and has_line '^Usage: rvftrace run ' "$out"
for words in help -h 'help run' 'help cores' 'run -h' 'debug -h' 'explore -h' 'log -h' 'report -h' 'litmus -h' 'check-trace -h' 'cores -h' 'cores --help'; do
    # shellcheck disable=SC2086 # words
    run $words
    claim "$words shows help on standard output" has_status 0 and has_line '^Usage: rvftrace ' "$out" and says_nothing
done
run reprot x.json
claim 'a word that is nearly a command' refused 64 '.*did you mean .report.\?'
for option in report sarif junit html trace log rings device-log write-baseline dump-dtb; do
    run run --$option - "$mcount"
    claim "--$option - and the console: refused, with what to do" refused 64 "standard output is the guest's console: .*--console none"
done
for two in '--report - --sarif -' '--junit - --trace -' '--rings - --html -'; do
    # shellcheck disable=SC2086 # options
    run run --console none $two "$mcount"
    claim "$two: standard output takes one" refused 64 'standard output takes one file'
done
finish
