# The emulator: build/rvftrace, its man page, and the same code in other builds.
#
# BUILD_KIND=release (default), asan (address and undefined-behaviour
# sanitizers), stress (tiny caches and slices, so that full caches and switches
# between harts are frequent), drop (drops all caches at random: results, cycles
# and findings must not change). The latter three are built in build/asan,
# build/stress and build/drop, and `make test` runs them, too.

# rvftrace(1) has all; a page for each command has its options, so that `man rvftrace-log'
# finds them.
man_commands := run debug explore litmus report log view check-trace cores
man_pages    := $(man_commands:%=$(BUILD)/man/rvftrace-%.1)
completions  := $(BUILD)/rvftrace.bash $(BUILD)/rvftrace.zsh $(BUILD)/rvftrace.fish

.PHONY: emu
emu: $(BUILD)/rvftrace $(BUILD)/rvftrace.1 $(man_pages) $(completions)


comma     := ,
emu_src   := $(wildcard emu/*.c emu/*/*.c emu/*/*/*.c emu/*/*/*/*.c)
# These are programs of the build, and what native code is made of.
emu_src   := $(filter-out emu/manual/% emu/cpu/native/stencils.c,$(emu_src))

EMU_CFLAGS = $(HOSTCFLAGS) $(CFLAGS) -Iemu -I$(BUILD) -fno-strict-aliasing
emu_libs   = -lelf -ldw -lfdt -ledit -ljansson -lzstd -pthread -lm

# Cross-jumping and GCSE would merge the indirect jumps at the ends of operations
# into one, which takes away the advantage of threaded dispatch for the host's
# branch predictor. In the timed engine the position in a block is no induction
# variable, although the engine is a loop: the compiler would keep it in two registers.
engine_flags := -fno-gcse -fno-crossjumping
timed_engine_flags := $(engine_flags) -fno-ivopts

# A null pointer, or one outside of its object, is the address sanitizer's to see, so three checks of the other, which are a
# third of the time of compiling, are left out.
asan_flags := -fsanitize=address,undefined -fno-sanitize=null,object-size,pointer-overflow -fno-sanitize-recover=undefined

# The commit that is built, with a + if files differ from it; empty outside of a git checkout.
$(BUILD)/revision.h: FORCE | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	@revision=; if [ -e .git ]; then revision=$$(git describe --always --dirty=+ --abbrev=12 2>/dev/null || :); fi; \
	printf '#define RVFTRACE_REVISION "%s"\n' "$$revision" >$@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
.PHONY: FORCE
FORCE:

# The version: the first heading of CHANGELOG.md, `## 0.9 (2026-11-28)'.
$(BUILD)/version.h: CHANGELOG.md mk/emu.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	@version=$$(sed -n '/^## /{s/^## \([0-9.]*\) .*/\1/p;q;}' $<); \
	if [ -z "$$version" ]; then echo '$<: expected a first heading like "## 1.0 (2026-11-27)"' >&2; exit 1; fi; \
	printf '#define RVFTRACE_VERSION "%s"\n' "$$version" >$@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# The page of `report --html' as a string. An escaped quote or backslash, and no other sequence.
$(BUILD)/report_page.h: emu/report/page.html mk/emu.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q){ echo '#define REPORT_PAGE \\'; sed -e 's/["\\]/\\&/g' -e 's/.*/"&\\n" \\/' $<; echo '""'; } >$@

# What native code is made of (emu/cpu/native_priv.h): compiled for its relocations, and never linked. It has flags of its own,
# not the user's: the code depends on them. Registers of the host are global variables, so the compiler must not use them.
stencil_flags := -std=gnu11 -D_GNU_SOURCE -Iemu -O2 -w -fno-pic -fno-pie -fno-strict-aliasing -fno-math-errno \
	-fno-asynchronous-unwind-tables -fno-stack-protector -fno-ipa-icf -fno-partial-inlining -fno-crossjumping -fno-align-functions \
	-fno-align-jumps -fno-align-labels -fno-align-loops -fno-tree-vectorize -fno-tree-slp-vectorize
# With the model of addresses for kernels a symbol's address is a number of 32 bits with a sign, as immediates are.
stencil_flags_x86_64 := -mcmodel=kernel -fcf-protection=none -mpreferred-stack-boundary=3 -mincoming-stack-boundary=4 \
	$(patsubst %,-ffixed-%,rbx rbp rsi r8 r9 r10 r11 r12 r13 r14) -fcall-used-r15
# With the tiny model one instruction makes an address, and it can become one that makes a number. Nothing walks the stack.
stencil_flags_aarch64 := -mcmodel=tiny -mbranch-protection=none -mno-outline-atomics -fno-unwind-tables -fomit-frame-pointer \
	-freorder-blocks-and-partition $(patsubst %,-ffixed-%,x19 x20 x21 x22 x23 x24 x25 x26 x27 x28)
# The host's processor, if the compiler is gcc; empty where there are no stencils.
has_stencils := $(shell $(CC) --version 2>/dev/null | grep -q 'Free Software' && $(CC) -dumpmachine | sed -n '/linux/s/^\(x86_64\|aarch64\)-.*/\1/p')
ifeq ($(has_stencils),)
  EMU_CFLAGS += -DNO_NATIVE
endif

%/stencils.o: emu/cpu/native/stencils.c mk/emu.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(stencil_flags) $(stencil_flags_$(has_stencils)) -MMD -MP -MF $@.d -c -o $@ $<

%/stencils.inc: $(if $(has_stencils),%/stencils.o) mk/stencils.py | $(BOOTSTRAP_BUILD)
	$(say) GEN $@
	$(Q)$(if $(has_stencils),python3 mk/stencils.py $< >$@.new && mv $@.new $@,: >$@)
.PRECIOUS: %/stencils.o
-include $(BUILD)/stencils.o.d

# The compiler takes 14 and 10 seconds for these, and about 0.1 for each other file. So they are first, and no core waits
# for the other at the end.
emu_slow := emu/cpu/engine/engine.c emu/cpu/engine/engine_timed.c emu/cpu/engine/engine_ooo.c emu/cpu/engine/engine_ordered.c
engines_first = $(filter $(emu_slow),$(1)) $(filter-out $(emu_slow),$(1))

# The rules of one kind of build: $(call emu_build,directory,flags,files of its own). The other files are those of the release build.
define emu_build
$(1)/rvftrace: $$(patsubst emu/%.c,$(1)/emu/%.o,$(call engines_first,$(3))) $$(patsubst emu/%.c,$(BUILD)/emu/%.o,$$(filter-out $(3),$$(emu_src)))
	$$(say) LD $$@
	$$(Q)$$(CC) $$(EMU_CFLAGS) $(2) $$(LDFLAGS) -o $$@ $$^ $$(emu_libs)

$(1)/emu/%.o: emu/%.c mk/emu.mk mk/tools.mk | $$(BOOTSTRAP_BUILD)
	@mkdir -p $$(@D)
	$$(say) CC $$<
	$$(Q)$$(CC) $$(EMU_CFLAGS) $(2) $$(if $$(filter emu/cpu/engine/engine.c,$$<),$$(engine_flags)) $$(if $$(filter emu/cpu/engine/engine_timed.c,$$<),$$(timed_engine_flags)) -MMD -MP -c -o $$@ $$<

$(1)/emu/cli/options.o: $(BUILD)/revision.h $(BUILD)/version.h
$(1)/emu/cpu/native/native.o $(1)/emu/cpu/native/native_pieces.o: $(BUILD)/stencils.inc
$(1)/emu/report/html.o: $(BUILD)/report_page.h
-include $$(patsubst emu/%.c,$(1)/emu/%.d,$(3))
endef

$(eval $(call emu_build,$(BUILD),,$(emu_src)))
# A run with a core that executes out of order is a twelfth shorter with it.
$(patsubst emu/%.c,$(BUILD)/emu/%.o,$(wildcard emu/timing/ooo*.c)): HOSTCFLAGS += -O3
# Not optimised, gcc takes half the time, more than the tests lose; but for the engine that whole guests run on.
asan_level = $(if $(filter %/cpu/engine/engine.o,$@),-O1,-O0)
$(eval $(call emu_build,$(BUILD)/asan,$$(asan_flags) $$(asan_level) -g1,$(emu_src)))
# These differ in numbers alone (emu/base/limits.h).
$(eval $(call emu_build,$(BUILD)/stress,-DSTRESS,emu/base/limits.c))
$(eval $(call emu_build,$(BUILD)/drop,-DDROP_CACHES,emu/base/limits.c))

# With -ftree-pta gcc takes twice as long for the engines, and with the check of alignment half as long again: all their accesses
# of the guest's memory are memcpy().
$(patsubst emu/%.c,$(BUILD)/asan/emu/%.o,$(emu_slow)): asan_flags += -fno-tree-pta -fno-sanitize=alignment

# The man page comes from the same tables as the options and the keys.
$(BUILD)/manpage: emu/manual/manpage.c emu/cli/options.def emu/host/keys.def emu/commands/report.def emu/commands/log.def emu/commands/litmus.def emu/commands/check_trace.def emu/commands/view.def $(BUILD)/version.h mk/emu.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(EMU_CFLAGS) -o $@ $<

$(BUILD)/rvftrace.1: $(BUILD)/manpage
	$(say) MAN $@
	$(Q)$(BUILD)/manpage > $@

$(man_pages): $(BUILD)/man/rvftrace-%.1: $(BUILD)/manpage
	@mkdir -p $(@D)
	$(say) MAN $@
	$(Q)$(BUILD)/manpage $* > $@

# The names of the core models that come with rvftrace.
$(BUILD)/core_names.h: $(wildcard cores/*.core) mk/emu.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q)echo '#define CORE_NAMES "$(sort $(patsubst cores/%.core,%,$(filter %.core,$^)))"' >$@

# The completion of the shells, too.
$(BUILD)/completion: emu/manual/completion.c $(BUILD)/core_names.h emu/cli/options.def emu/commands/report.def emu/commands/log.def emu/commands/litmus.def emu/commands/check_trace.def emu/commands/view.def emu/export/format.def emu/ftrace/audit/rules.def mk/emu.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(EMU_CFLAGS) -o $@ $<

$(completions): $(BUILD)/rvftrace.%: $(BUILD)/completion
	$(say) GEN $@
	$(Q)$(BUILD)/completion $* > $@
