# Fuzzing: libFuzzer over the emulator's objects, built by clang with the
# address and undefined-behaviour sanitizers. docs/fuzzing.md says more.
#
#     make fuzz [FUZZ_TIME=SECONDS] [FUZZ='elf sbi']     runs each target, or these, for FUZZ_TIME
#
# `make test` builds $(BUILD)/tests/fuzz/replay only (below).
#
# A target is tests/fuzz/fuzz_NAME.c; its corpus is tests/fuzz/corpus/NAME. Caches and
# slices are as small as in a stress build. The engine has no fused operations
# (cpu/pair.def) and is not optimised: otherwise clang takes minutes to compile it.

FUZZ_CC    := clang
FUZZ_TIME  ?= 60
fuzz_all   := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ       ?= $(fuzz_all)
ifneq ($(filter-out $(fuzz_all),$(FUZZ)),)
  $(error FUZZ=$(FUZZ): no such target; there are: $(fuzz_all))
endif
fuzz_bin   := $(fuzz_all:%=$(BUILD)/fuzz/fuzz_%)
fuzz_lib   := $(BUILD)/fuzz/emu.a
fuzz_obj    = $(filter-out $(BUILD)/fuzz/emu/main.o,$(emu_src:emu/%.c=$(BUILD)/fuzz/emu/%.o))
fuzz_flags  = $(EMU_CFLAGS) -O1 -g1 -DSTRESS -DFEW_LABELS -fsanitize=address,undefined -fno-sanitize-recover=undefined
guard_flags = -Wl,--wrap=mmap -Wl,--wrap=munmap -Wl,--wrap=madvise

# Tracing comparisons helps libFuzzer to find particular values, but takes most of the time
# in code that runs for each guest instruction; that code is built without it.
fuzz_coverage = -fsanitize=fuzzer-no-link $(if $(filter emu/cpu/% emu/machine/schedule.c,$(1)),-fno-sanitize-coverage=trace-cmp)

# With these checks, too, clang takes half a minute for an engine. What they see the address sanitizer sees, but for misaligned
# pointers, which other builds look for.
fuzz_engine = -O0 -fno-sanitize=null,object-size,pointer-overflow,alignment

$(BUILD)/fuzz/emu/%.o: emu/%.c mk/fuzz.mk mk/emu.mk mk/tools.mk | $(BOOTSTRAP_LONG)
	@mkdir -p $(@D)
	$(say) FUZZ $<
	$(Q)$(FUZZ_CC) $(fuzz_flags) $(call fuzz_coverage,$<) $(if $(filter emu/cpu/engine/engine.c emu/cpu/engine/engine_timed.c emu/cpu/engine/engine_ooo.c emu/cpu/engine/engine_ordered.c,$<),$(fuzz_engine)) -MMD -MP -c -o $@ $<

$(BUILD)/fuzz/emu/cli/options.o: $(BUILD)/revision.h $(BUILD)/version.h
$(BUILD)/fuzz/emu/report/html.o: $(BUILD)/report_page.h

$(BUILD)/fuzz/guard.o: tests/fuzz/guard.c mk/fuzz.mk | $(BOOTSTRAP_LONG)
	@mkdir -p $(@D)
	$(say) FUZZ $<
	$(Q)$(FUZZ_CC) $(fuzz_flags) -c -o $@ $<

$(fuzz_lib): $(fuzz_obj)
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rc $@ $^

$(fuzz_bin): $(BUILD)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(BUILD)/fuzz/guard.o $(fuzz_lib)
	$(say) FUZZ $<
	$(Q)$(FUZZ_CC) $(fuzz_flags) -Itests -fsanitize=fuzzer $(guard_flags) -MMD -MP -MF $@.d -o $@ $< \
	    $(BUILD)/fuzz/guard.o $(fuzz_lib) $(emu_libs)

-include $(fuzz_obj:.o=.d) $(fuzz_bin:=.d)

# The same targets for `make test`, which runs the corpus only: one program of gcc's, with the objects of the unit tests.
fuzz_replay   := $(BUILD)/tests/fuzz/replay
replay_obj    := $(fuzz_all:%=$(BUILD)/tests/fuzz/fuzz_%.o) $(BUILD)/tests/fuzz/guard.o $(BUILD)/tests/fuzz/replay.o
replay_flags   = $(EMU_CFLAGS) -Itests -O1 -g1 $(asan_flags)
$(replay_obj): $(BUILD)/tests/fuzz/%.o: tests/fuzz/%.c mk/fuzz.mk mk/emu.mk mk/tools.mk | $(BOOTSTRAP_TEST)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(replay_flags) -DLLVMFuzzerTestOneInput=replay_$(*:fuzz_%=%) -DLLVMFuzzerCustomMutator=mutate_$(*:fuzz_%=%) \
	    '-DFUZZ_TARGETS=$(foreach name,$(fuzz_all),X($(name)))' -MMD -MP -c -o $@ $<

# (By its name: mk/tests.mk, which defines asan_lib, is read later.)
$(fuzz_replay): $(replay_obj) $(BUILD)/asan/emu.a
	$(say) LD $@
	$(Q)$(CC) $(replay_flags) $(guard_flags) -o $@ $(replay_obj) $(asan_lib) $(emu_libs)

-include $(replay_obj:.o=.d)

.PHONY: fuzz
fuzz: export BUILD := $(BUILD)
fuzz: $(FUZZ:%=$(BUILD)/fuzz/fuzz_%) | $(BOOTSTRAP_LONG)
	@tests/fuzz/fuzz.sh --seconds $(FUZZ_TIME) $(FUZZ)
