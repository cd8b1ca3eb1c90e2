# make test: the tests that run in minutes. make check-long: longer ones.
#
# Unit and instruction tests link against the sanitized objects in build/asan.

unit_src  := $(wildcard tests/unit/test_*.c tests/isa/test_*.c tests/debug/test_*.c)
unit_bin  := $(unit_src:tests/%.c=$(BUILD)/tests/%)
tool_src  := tests/unit/load_query.c tests/isa/objdump_compare.c
tool_bin  := $(tool_src:tests/%.c=$(BUILD)/tests/%)
asan_obj   = $(patsubst emu/%.c,$(BUILD)/asan/emu/%.o,$(call engines_first,$(filter-out emu/main.c,$(emu_src))))
# An archive: each test gets only the objects that it needs, which halves the time of linking.
asan_lib  := $(BUILD)/asan/emu.a

$(asan_lib): $(asan_obj)
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rc $@ $^

$(unit_bin) $(tool_bin): $(BUILD)/tests/%: tests/%.c $(asan_lib) mk/tests.mk | $(BOOTSTRAP_TEST)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(EMU_CFLAGS) -Itests -O0 -g1 $(asan_flags) -MMD -MP -MF $@.d -o $@ $< $(test_obj) $(asan_lib) -lcmocka $(emu_libs)

# The examples of test_insn that need code, by class of instruction.
insn_src := $(wildcard tests/isa/insn/*.c)
insn_obj := $(insn_src:tests/%.c=$(BUILD)/tests/%.o)

$(insn_obj): $(BUILD)/tests/%.o: tests/%.c mk/tests.mk | $(BOOTSTRAP_TEST)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(EMU_CFLAGS) -Itests -O0 -g1 $(asan_flags) -MMD -MP -c -o $@ $<
$(BUILD)/tests/isa/test_insn: $(insn_obj)
$(BUILD)/tests/isa/test_insn: test_obj = $(insn_obj)

-include $(insn_obj:.o=.d)

# The parts of the viewer that need no SDL2.
view_test_obj := $(patsubst %,$(BUILD)/asan/tools/view/%.o,cache detail follow levels model range)

$(view_test_obj): $(BUILD)/asan/%.o: %.c mk/tests.mk | $(BOOTSTRAP_TEST)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(EMU_CFLAGS) -O0 -g1 $(asan_flags) -MMD -MP -c -o $@ $<
$(BUILD)/tests/unit/test_view: $(view_test_obj)
$(BUILD)/tests/unit/test_view: test_obj = $(view_test_obj)

-include $(view_test_obj:.o=.d)

# They run whole guests, so they are built from the objects of the release build.
snapshot_check = $(BUILD)/tests/machine/snapshot_check
irqs_off_check = $(BUILD)/tests/machine/irqs_off_check
wakeup_check   = $(BUILD)/tests/machine/wakeup_check
machine_checks = $(snapshot_check) $(irqs_off_check) $(wakeup_check)
release_obj    = $(filter-out $(BUILD)/emu/main.o,$(emu_src:emu/%.c=$(BUILD)/emu/%.o))

$(machine_checks): $(BUILD)/tests/machine/%: tests/machine/%.c $(release_obj) mk/tests.mk | $(BOOTSTRAP_TEST)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(EMU_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(release_obj) $(emu_libs)

-include $(addsuffix .d,$(machine_checks))

$(BUILD)/tests/isa/float_cases.def: tests/isa/float_cases.py | $(BOOTSTRAP_TEST)
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q)python3 $< > $@
$(BUILD)/tests/isa/test_float_insn: $(BUILD)/tests/isa/float_cases.def
$(BUILD)/tests/isa/test_float_insn: EMU_CFLAGS += -I$(BUILD)/tests

-include $(addsuffix .d,$(unit_bin) $(tool_bin))

# The guest kernel's verifier and interpreter of BPF, on the host; docs/bpf.md.
bpf_fuzz := $(BUILD)/tests/bpf_fuzz
bpf_src  := tests/bpf/fuzz.c tests/bpf/host.c $(addprefix guest-kernel/kernel/bpf/,core.c func_proto.c) $(wildcard guest-kernel/kernel/bpf/verifier*.c)
$(bpf_fuzz): $(bpf_src) tests/bpf/host.h guest/user/bpf_cases.h guest/user/bpf_insn.h guest/user/bpf_numbers.h guest/user/bpf_random.h $(wildcard guest-kernel/include/linux/bpf*.h guest-kernel/include/uapi/linux/bpf.h guest-kernel/kernel/bpf/verifier.h) mk/tests.mk | $(BOOTSTRAP_TEST)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) -std=gnu11 -O1 -g1 -Wall -Wextra -Wshadow -Werror -ffreestanding -fno-strict-aliasing -DBPF_CHECK -Iguest-kernel/include \
		$(asan_flags) -fno-sanitize=alignment -o $@ $(bpf_src)

# Programs of BPF that clang compiles, in /lib/bpf of an archive that can be appended to another; for the tests only, as
# clang is.
bpf_names   := $(patsubst guest/bpf/%.bpf.c,%,$(wildcard guest/bpf/*.bpf.c))
# Also with the third version of the instructions, which has jumps and arithmetic of 32 bits.
bpf_objects := $(foreach v,.o .v3.o,$(bpf_names:%=$(BUILD)/guest-kernel/bpf/%$(v)))
bpf_cpio    := $(BUILD)/guest-kernel/bpf.cpio
bpf_clang    = clang -target bpf -mcpu=$(1) -O2 -std=gnu11 -Wall -Wextra -Wshadow -Werror -Wno-unused-parameter
$(bpf_objects): guest/bpf/bpf_helpers.h mk/tests.mk | $(BOOTSTRAP_TEST)
$(BUILD)/guest-kernel/bpf/%.v3.o: guest/bpf/%.bpf.c
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)$(call bpf_clang,v3) -c -o $@ $<
$(BUILD)/guest-kernel/bpf/%.o: guest/bpf/%.bpf.c
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)$(call bpf_clang,v1) -c -o $@ $<
$(bpf_cpio): $(bpf_objects)
	$(say) CPIO $@
	$(Q)rm -rf $@.root && mkdir -p $@.root/lib/bpf && cp $^ $@.root/lib/bpf
	$(Q)cd $@.root && find . -exec touch -h -d @0 {} + && find . | LC_ALL=C sort | \
		cpio --quiet --reproducible -R 0:0 -o -H newc > "$(abspath $@)"

# Tests that each header compiles alone, and that clang-format would change nothing.
style_src = $(shell find emu tools tests guest-kernel guest -name "*.[ch]")

.PHONY: check-format format
check-format: | $(BOOTSTRAP_TEST)
	@tests/style/format.sh
format: | $(BOOTSTRAP_TEST)
	$(Q)clang-format -i $(style_src)

mcount_elf = $(BUILD)/guest-kernel/mcount/kernel.elf

# Style, unit tests, instructions.
quick_commands = \
    'tools/check_arrows' \
    'tests/style/check_arrows.sh' \
    'tests/style/headers.sh' \
    'tests/style/format.sh' \
    'tests/style/docs.py' \
    $(patsubst %,'%',$(unit_bin)) \
    'tests/unit/load_against_binutils.sh $(BUILD)/tests/unit/load_query' \
    'tests/isa/disasm_against_objdump.sh $(mcount_elf)'

# Tests of the tools that measure speed and cost: two minutes of processor time together.
long_tests = tests/bench/bench.sh tests/bench/cost.sh tests/bench/layouts.sh tests/bench/speed.sh

test_commands = $(quick_commands) \
    'tests/diff/difftest.py --seconds 6' 'tests/diff/vectortest.py --seconds 1 --cases 1000' 'tests/diff/mmutest.py --programs 50' 'tests/diff/hartstest.py --programs 8' \
    $(if $(wildcard tests/diff/regressions/*.case),'tests/diff/difftest.py --replay $(wildcard tests/diff/regressions/*.case)') \
    'tests/tools/recordmcount.sh' \
    'tests/tools/bootstrap.sh' \
    'tests/tools/bootstrap_rules.py' \
    'tests/tools/install.sh' \
    'tests/tools/fuzz_recordmcount.sh 2' \
    'tests/fuzz/fuzz.sh --replay' \
    '$(bpf_fuzz) 20000' \
    'tests/guest/formats.py' 'tests/guest/blktrace.py' 'tests/guest/rings.py' $(patsubst %,'%',$(filter-out %/lib.sh $(long_tests),$(wildcard tests/bench/*.sh tests/guest/*.sh tests/machine/*.sh tests/cli/*.sh tests/debug/*.sh)))

.PHONY: test test-programs check-long tidy
# All that the tests run; the files that the compiler takes longest for are first.
test-programs: emu $(BUILD)/asan/rvftrace $(BUILD)/stress/rvftrace $(BUILD)/drop/rvftrace guest guest-tested programs tools \
	$(unit_bin) $(tool_bin) $(bpf_fuzz) $(bpf_cpio) $(machine_checks) $(fuzz_replay) | $(BOOTSTRAP_TEST)

# What a change of the emulator is checked with first: less than a minute in a built tree.
.PHONY: check-quick
check-quick: export BUILD := $(BUILD)
check-quick: export CROSS := $(CROSS)
check-quick: emu $(unit_bin) $(tool_bin) guest-mcount-kernel | $(BOOTSTRAP_TEST)
	@tests/run $(quick_commands)

test: export BUILD := $(BUILD)
test: export CROSS := $(CROSS)
test: test-programs
	@tests/run $(test_commands)

# clang-tidy (Debian's) on every file of the emulator: one or two minutes.
tidy: $(BUILD)/revision.h $(BUILD)/version.h $(BUILD)/report_page.h | $(BOOTSTRAP_TEST)
	$(Q)clang-tidy --quiet $(emu_src) -- -std=gnu11 -D_GNU_SOURCE -Iemu -I$(BUILD)

# The same tests without caches: about a quarter of an hour.
.PHONY: check-caches
check-caches: export BUILD := $(BUILD)
check-caches: export CROSS := $(CROSS)
check-caches: emu guest guest-tested programs tools $(machine_checks) $(BUILD)/asan/rvftrace $(BUILD)/stress/rvftrace $(BUILD)/drop/rvftrace | $(BOOTSTRAP_TEST)
	@tests/caches/suite.sh

# The same of native code and the interpreter, with random programs and litmus tests after it.
.PHONY: check-translate
check-translate: export BUILD := $(BUILD)
check-translate: export CROSS := $(CROSS)
check-translate: emu guest guest-tested programs tools $(machine_checks) $(BUILD)/stress/rvftrace | $(BOOTSTRAP_TEST)
	@TWICE=engines tests/caches/suite.sh
	@TINY=$(BUILD)/stress/rvftrace SEEDS=20 tests/run 'tests/machine/native.sh' 'tests/diff/difftest.py --seconds 600 --seed 2000' 'tests/diff/vectortest.py --engines --seconds 60 --seed 2000 --vlen 128 256 1024 --rounds 2'

# A table of the kernels with a mistake, and many runs of those without.
.PHONY: check-mutants
check-mutants: export BUILD := $(BUILD)
check-mutants: emu guest guest-mistakes | $(BOOTSTRAP_TEST)
	@tests/broken/table.py --seeds 100

# rvftrace litmus against the axioms of RVWMO (tools/rvwmo) on a folder of litmus tests: those of this tree, or one of the
# public suites. Goes on where it was stopped.
SUITE ?= tests/litmus
.PHONY: check-litmus
check-litmus: export BUILD := $(BUILD)
check-litmus: emu | $(BOOTSTRAP_TEST)
	@tests/long/litmus_suite.py $(LITMUS_FLAGS) $(SUITE)

# The public suites (docs/litmus.md says where they are): half an hour. SUITE_RISCV=, SUITE_IFETCH=: their folders, or one
# of them alone.
.PHONY: check-suites
check-suites: export BUILD := $(BUILD)
check-suites: emu | $(BOOTSTRAP_TEST)
	$(if $(SUITE_RISCV)$(SUITE_IFETCH),,$(error check-suites: give SUITE_RISCV=FOLDER or SUITE_IFETCH=FOLDER; docs/litmus.md))
	$(if $(SUITE_IFETCH),@tests/run 'tests/long/litmus_fetch.sh $(SUITE_IFETCH)')
	$(if $(SUITE_RISCV),@tests/long/litmus_suite.py $(LITMUS_FLAGS) $(SUITE_RISCV))

# How many instructions the engines take, and what the audit adds, against kept figures: minutes.
.PHONY: check-work
check-work: export BUILD := $(BUILD)
check-work: emu guest-pfe8 guest-mcount-kernel programs initrd workloads | $(BOOTSTRAP_LONG)
	@tests/run tests/bench/host_work.py tests/bench/audit_cost.py tests/cli/signals.py

# The viewer, with real windows in a display of its own: a minute. Damaged logs are for one with the
# sanitizers.
view_input_test = $(BUILD)/tests/view/test_input
view_asan       = $(BUILD)/asan/rvftrace-view
view_asan_obj   := $(view_src:%.c=$(BUILD)/asan/%.o)

$(view_input_test): tests/view/test_input.c $(filter-out %/main.o,$(view_obj)) $(view_emu) mk/tests.mk | $(BOOTSTRAP_VIEW)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(EMU_CFLAGS) $(view_cflags) -Itests -MMD -MP -MF $@.d -o $@ $(filter-out %.mk,$^) $(view_libs)

$(filter-out $(view_test_obj),$(view_asan_obj)): $(BUILD)/asan/%.o: %.c mk/tests.mk | $(BOOTSTRAP_VIEW)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(EMU_CFLAGS) $(view_cflags) -O1 -g1 $(asan_flags) -MMD -MP -c -o $@ $<

$(view_asan): $(view_asan_obj) $(asan_lib) mk/tests.mk
	$(say) LD $@
	$(Q)$(CC) $(EMU_CFLAGS) $(asan_flags) -o $@ $(view_asan_obj) $(asan_lib) $(view_libs)

-include $(view_asan_obj:.o=.d) $(view_input_test).d

# A large log to measure the viewer with: build/tests/view/varied FILE EVENTS, then rvftrace view --bench FILE.
view_varied = $(BUILD)/tests/view/varied

$(view_varied): tests/view/varied.c $(patsubst %,$(BUILD)/emu/log/%.o,log_write log_frames log_state log_values) $(patsubst emu/%.c,$(BUILD)/emu/%.o,$(wildcard emu/base/*.c)) mk/tests.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(EMU_CFLAGS) -Itests -MMD -MP -MF $@.d -o $@ $(filter-out %.mk,$^) -lzstd -pthread

-include $(view_varied).d

.PHONY: check-view
check-view: export BUILD := $(BUILD)
check-view: emu view guest-pfe8 programs $(view_input_test) $(view_varied) $(view_asan) | $(BOOTSTRAP_TEST) $(BOOTSTRAP_VIEW)
	@tests/run tests/view/view.py

check-long: test tidy guest-shared-check check-caches check-mutants check-work $(GUEST_LONG:%=guest-%) $(fuzz_bin) view $(view_input_test) $(view_varied) $(view_asan) | $(BOOTSTRAP_VIEW)
	@tests/run $(patsubst %,'%',$(long_tests)) 'tests/long/branch.sh' 'tests/long/ways.sh' 'tests/long/aarch64.sh' 'tests/long/perf.py' 'tests/long/damage.py' 'tests/long/log_cost.py' '$(bpf_fuzz) cases' '$(bpf_fuzz) 10000000 2000000'
	@SEEDS=20 INSNS=1000000000 tests/run 'tests/guest/truth.sh' 'tests/guest/soak.sh' 'tests/guest/bpf_jit.sh' 'tests/guest/trace_dat.py' 'tests/cli/export_tools.py' 'tests/cli/kernelshark.py' 'tests/cli/html.py' 'tests/cli/shells.sh' 'tests/tools/deb.sh' 'tests/guest/blktrace.py' 'tests/guest/trace_cmd.py'
	@DAMAGED=1000 tests/run 'tests/view/view.py'
	@SEEDS=1000 SUITE=all tests/run '$(BUILD)/tests/unit/test_machine' 'tests/diff/difftest.py --seconds 3600 --seed 1000' 'tests/diff/vectortest.py --seconds 900 --seed 1000 --vlen 128 256 1024' 'tests/diff/mmutest.py --seconds 1800 --seed 1000 --programs 400 --modes stale coherent random:7 invalid "stale --timing c906" "random:8 --translations-max 16"' 'tests/diff/hartstest.py --seconds 900 --seed 1000' 'tests/diff/hartstest.py --seconds 900 --seed 2000 --harts 12' 'tests/machine/fences.sh' 'tests/machine/caches.sh' 'tests/machine/bounds.sh' 'tests/machine/broken.sh' 'tests/machine/explore.sh' 'tests/machine/races.sh' 'tests/debug/back.sh' 'tests/machine/timing.sh' 'tests/machine/snapshot.sh' 'tests/guest/suite.sh' 'tests/guest/programs.sh' 'tests/tools/fuzz_recordmcount.sh 600' 'tests/fuzz/fuzz.sh --seconds 120'

# Boots Linux, which is fetched and built once (LINUX_CACHE, by default .cache/linux) and needs the
# network for that. See docs/linux.md.
.PHONY: check-linux
check-linux: export BUILD := $(BUILD)
check-linux: emu guest-mcount guest-pfe8 initrd workloads $(bpf_fuzz) $(bpf_cpio) | $(BOOTSTRAP_TEST) $(BOOTSTRAP_LINUX)
	@tests/linux/guests.sh
	@tests/linux/vector-guest.sh
	@tests/run 'tests/linux/boots.sh' 'tests/linux/snapshots.sh' 'tests/linux/modes.sh' 'tests/linux/vectors.sh' 'tests/linux/switches.sh' 'tests/linux/ftracetest.sh' 'tests/linux/ftracetest-inside.sh' 'tests/linux/xv6.sh' 'tests/linux/freertos.sh' 'tests/linux/gdb.sh' 'tests/linux/hist.sh' 'tests/linux/debug.sh' 'tests/linux/perf.sh' 'tests/linux/bpf.sh' 'tests/linux/busybox.sh' 'tests/linux/counts.sh' 'tests/linux/pair.sh' 'tests/linux/rings.sh' 'tests/machine/uboot.sh'
