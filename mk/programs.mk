# Bare-metal programs for the virt board: build/guest/NAME.elf for each file of
# guest/, and NAME-fence.elf for those that exist with and without their fence.
#
#   make programs
#   make workloads      build/guest/bench/NAME.elf, .linux and .native: see guest/bench/bench.h

PROGRAM_SRC   := guest
PROGRAM_OUT   := $(BUILD)/guest
PROGRAM_CC    := $(CROSS)gcc
PROGRAM_NAMES := hello fail reset timer ipi lrsc sv39 plic-uart uart-thre htif stuck badstack asleep loop \
	bits wrs remap virtio-disk virtio-flood virtio-write tick vectors \
	selfpatch freshcode crosspatch tornword latedata
PROGRAM_FENCED := $(addsuffix -fence,selfpatch freshcode crosspatch latedata)

# Flags that keep the code of a program's versions at the same addresses.
PROGRAM_CFLAGS := -std=gnu11 -march=rv64imac_zicsr_zifencei -mabi=lp64 -mcmodel=medany \
	-mno-relax -msmall-data-limit=0 -O2 -g -ffreestanding -fno-common -fno-stack-protector \
	-fno-pic -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns \
	-Wall -Wextra -Wshadow -Werror
PROGRAM_LDFLAGS := -nostdlib -static -Wl,--no-relax,--build-id=none,-z,max-page-size=4096 \
	-Wl,--no-warn-rwx-segments -T $(PROGRAM_SRC)/virt.lds
PROGRAM_COMMON := $(addprefix $(PROGRAM_OUT)/obj/,start.o virt.o version.o)

# Programs that showed defects of the machine; each has its own _start.
PROGRAM_DEFECTS := $(patsubst $(PROGRAM_SRC)/defects/%.S,%,$(wildcard $(PROGRAM_SRC)/defects/*.S)) patched-function-pmpw

PROGRAMS := $(addprefix $(PROGRAM_OUT)/,$(addsuffix .elf,$(PROGRAM_NAMES) $(PROGRAM_FENCED) $(PROGRAM_DEFECTS:%=defects/%)))

.PHONY: programs
programs: $(PROGRAMS)

$(PROGRAM_OUT)/obj/%.o: $(PROGRAM_SRC)/%.c mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(PROGRAM_CC) $(PROGRAM_CFLAGS) -MMD -MP -c -o $@ $<

$(PROGRAM_OUT)/obj/%-fence.o: $(PROGRAM_SRC)/%.c mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(PROGRAM_CC) $(PROGRAM_CFLAGS) -DFENCE -MMD -MP -c -o $@ $<

$(PROGRAM_OUT)/obj/%.o: $(PROGRAM_SRC)/%.S mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) AS $<
	$(Q)$(PROGRAM_CC) $(PROGRAM_CFLAGS) -MMD -MP -c -o $@ $<

define link_defect
@mkdir -p $(@D)
$(say) AS $@
$(Q)$(PROGRAM_CC) $(PROGRAM_CFLAGS) -nostdlib -static $(1) -Wl,--no-relax,--build-id=none \
	-Wl,--no-warn-rwx-segments -Wl,-Ttext=0x80000000 -o $@ $<
endef
$(PROGRAM_OUT)/defects/%.elf: $(PROGRAM_SRC)/defects/%.S mk/programs.mk | $(BOOTSTRAP_BUILD)
	$(call link_defect)
$(PROGRAM_OUT)/defects/patched-function-pmpw.elf: $(PROGRAM_SRC)/defects/patched-function.S mk/programs.mk | $(BOOTSTRAP_BUILD)
	$(call link_defect,-DPMPW)

$(PROGRAM_OUT)/%.elf: $(PROGRAM_OUT)/obj/%.o $(PROGRAM_COMMON) $(PROGRAM_SRC)/virt.lds
	$(say) LD $@
	$(Q)$(PROGRAM_CC) $(PROGRAM_CFLAGS) $(PROGRAM_LDFLAGS) -o $@ $(filter %.o,$^)
$(addprefix $(PROGRAM_OUT)/virtio-,disk.elf flood.elf write.elf): $(PROGRAM_OUT)/obj/virtio.o

# Programs that change code in a way the ISA allows, for tests/machine/legal.sh. NAME-miss.elf
# lacks a fence, or a store.
LEGAL_SRC   := tests/machine/legal
LEGAL_OUT   := $(PROGRAM_OUT)/legal
LEGAL_NAMES := backwards beside dma exec fresh label module remote selfmod swap
LEGAL       := $(foreach n,$(LEGAL_NAMES),$(LEGAL_OUT)/$(n).elf $(LEGAL_OUT)/$(n)-miss.elf)
LEGAL_COMMON := $(PROGRAM_OUT)/obj/start.o $(LEGAL_OUT)/obj/common.o

programs: $(LEGAL)

$(LEGAL_OUT)/obj/%.o: $(LEGAL_SRC)/%.c mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(PROGRAM_CC) $(PROGRAM_CFLAGS) -I$(PROGRAM_SRC) -MMD -MP -c -o $@ $<

$(LEGAL_OUT)/obj/%-miss.o: $(LEGAL_SRC)/%.c mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(PROGRAM_CC) $(PROGRAM_CFLAGS) -I$(PROGRAM_SRC) -DMISS -MMD -MP -c -o $@ $<

$(LEGAL_OUT)/%.elf: $(LEGAL_OUT)/obj/%.o $(LEGAL_COMMON) $(PROGRAM_SRC)/virt.lds
	$(say) LD $@
	$(Q)$(PROGRAM_CC) $(PROGRAM_CFLAGS) $(PROGRAM_LDFLAGS) -o $@ $< $(LEGAL_COMMON)

# Programs that try to fill the host's memory through the auditor, for tests/machine/bounds.sh.
HOSTILE_OUT := $(PROGRAM_OUT)/hostile
HOSTILE     := $(addprefix $(HOSTILE_OUT)/,causes.elf deep.elf fences.elf findings.elf pages.elf slow.elf storm.elf swaps.elf tables.elf \
	run-by-all.elf run-by-all-large.elf run-in-turns.elf run-in-turns-large.elf)

programs: $(HOSTILE)

define link_hostile
@mkdir -p $(@D)
$(say) AS $@
$(Q)$(PROGRAM_CC) -march=rv64gc_zifencei -mabi=lp64d -mcmodel=medany -nostdlib -static $(hostile_flags) \
	-Wl,--build-id=none,--no-warn-rwx-segments,-Ttext=0x80000000 -o $@ $<
endef
$(HOSTILE_OUT)/%.elf: tests/machine/hostile/%.S mk/programs.mk | $(BOOTSTRAP_BUILD)
	$(link_hostile)
$(addprefix $(HOSTILE_OUT)/run-,by-all-large.elf in-turns.elf in-turns-large.elf): tests/machine/hostile/run-by-all.S mk/programs.mk | $(BOOTSTRAP_BUILD)
	$(link_hostile)
$(HOSTILE_OUT)/run-by-all-large.elf: hostile_flags = -DMEBIBYTES=12
$(HOSTILE_OUT)/run-in-turns.elf: hostile_flags = -DTURNS
$(HOSTILE_OUT)/run-in-turns-large.elf: hostile_flags = -DTURNS -DMEBIBYTES=12

.SECONDARY: $(LEGAL_COMMON) $(LEGAL:$(LEGAL_OUT)/%.elf=$(LEGAL_OUT)/obj/%.o)
-include $(wildcard $(LEGAL_OUT)/obj/*.d)

# The workloads of tools/bench-speed, compiled with ordinary options.
BENCH_OUT    := $(PROGRAM_OUT)/bench
BENCH_NAMES  := calls mix chase float string
# These have vector instructions.
BENCH_VECTOR := vmemcpy vstrlen vsaxpy vmatmul vchacha
BENCH_CIPHER := vgcm vsha # by instructions of cryptography, which few machines have
BENCH_BARE   := reuse # writes code: under Linux it would need executable memory
BENCH_NATIVE := calls mix chase string # the result of `float` depends on fused multiply-adds
BENCH_CFLAGS := -std=gnu11 -march=rv64gc -mabi=lp64d -mcmodel=medany -O2 -g -ffreestanding \
	-fno-common -fno-stack-protector -fno-pic -fno-asynchronous-unwind-tables \
	-fno-tree-loop-distribute-patterns -Wall -Wextra -Wshadow -Werror
BENCH_HOST   := -std=gnu11 -O2 -g -D_GNU_SOURCE -fno-common -fno-builtin \
	$(if $(findstring clang,$(CC)),,-fno-tree-loop-distribute-patterns) -Wall -Wextra -Wshadow
BENCH_BOARD  := $(addprefix $(BENCH_OUT)/obj/,start.o board.o report.o)
BENCH_LINUX  := $(addprefix $(BENCH_OUT)/obj/,linux.o report.o)
# `calls` with this number of ftrace sites in all: its own functions' and others around them.
BENCH_SITES  := 100 100000
WORKLOADS    := $(BENCH_SITES:%=$(BENCH_OUT)/sites-%.elf) $(patsubst %,$(BENCH_OUT)/%.elf,$(BENCH_NAMES) $(BENCH_VECTOR) $(BENCH_CIPHER) $(BENCH_BARE)) $(patsubst %,$(BENCH_OUT)/%.linux,$(BENCH_NAMES) $(BENCH_VECTOR)) \
	$(BENCH_NATIVE:%=$(BENCH_OUT)/%.native)

.PHONY: workloads
workloads: $(WORKLOADS)

$(BENCH_OUT)/obj/%.o: $(PROGRAM_SRC)/bench/%.c mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) -MMD -MP -c -o $@ $<

$(BENCH_OUT)/obj/%.o: $(PROGRAM_SRC)/bench/%.S mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) AS $<
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) -MMD -MP -c -o $@ $<

$(BENCH_OUT)/%.elf: $(BENCH_OUT)/obj/%.o $(BENCH_BOARD) $(PROGRAM_SRC)/virt.lds
	$(say) LD $@
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) $(PROGRAM_LDFLAGS) -o $@ $< $(BENCH_BOARD)

$(BENCH_OUT)/%.linux: $(BENCH_OUT)/obj/%.o $(BENCH_LINUX)
	$(say) LD $@
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) -nostdlib -static -Wl,--build-id=none -o $@ $< $(BENCH_LINUX)

$(BENCH_OUT)/%.native: $(addprefix $(PROGRAM_SRC)/bench/,%.c native.c report.c bench.h) mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(BENCH_HOST) $(LDFLAGS) -o $@ $(filter %.c,$^)

$(BENCH_OUT)/obj/calls-sites.o: $(PROGRAM_SRC)/bench/calls.c mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) -fpatchable-function-entry=4 -MMD -MP -c -o $@ $<

$(BENCH_OUT)/obj/sites-%.o: $(PROGRAM_SRC)/bench/sites.S mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) AS $@
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) -DSITES=$* -MMD -MP -c -o $@ $<

$(BENCH_OUT)/sites-%.elf: $(BENCH_OUT)/obj/sites-%.o $(BENCH_OUT)/obj/calls-sites.o $(BENCH_BOARD) \
		$(PROGRAM_SRC)/bench/sites.lds $(PROGRAM_SRC)/virt.lds
	$(say) LD $@
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) -Wl,-T,$(PROGRAM_SRC)/bench/sites.lds $(PROGRAM_LDFLAGS) -o $@ $(filter %.o,$^)

.SECONDARY: $(BENCH_SITES:%=$(BENCH_OUT)/obj/sites-%.o) $(BENCH_OUT)/obj/calls-sites.o $(BENCH_BOARD) $(BENCH_LINUX) $(patsubst %,$(BENCH_OUT)/obj/%.o,$(BENCH_NAMES) $(BENCH_BARE))
-include $(wildcard $(BENCH_OUT)/obj/*.d)

# What tools/cycles measures: one image with rows that a generator writes, and workloads. As one file has
# call sites of several forms, so its objects are built with the flags of each.
CYCLES_SRC   := $(PROGRAM_SRC)/cycles
CYCLES_OUT   := $(PROGRAM_OUT)/cycles
CYCLES_ELF   := $(CYCLES_OUT)/cycles.elf
CYCLES_FORMS := none fp static pfe16 pfe8
# Rows first: their place in memory is part of what is measured.
CYCLES_OBJS  := $(addprefix $(CYCLES_OUT)/,start.o rows.o support.o main.o mcount.o table.o numbers.o bytes.o pointers.o \
	floating.o $(CYCLES_FORMS:%=calls-%.o) branching.o)
cycles_form_fp     := -fno-omit-frame-pointer
cycles_form_static := -fno-omit-frame-pointer -pg
cycles_form_pfe16  := -fno-omit-frame-pointer -fpatchable-function-entry=8
cycles_form_pfe8   := -fno-omit-frame-pointer -fpatchable-function-entry=4

.PHONY: cycles
cycles: $(CYCLES_ELF)
programs: cycles

$(CYCLES_OUT)/%.o: $(CYCLES_SRC)/%.c mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) -mno-relax -MMD -MP -c -o $@ $<

$(CYCLES_OUT)/%.o: $(CYCLES_SRC)/%.S mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) AS $<
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) -MMD -MP -c -o $@ $<

$(CYCLES_OUT)/rows.S: $(CYCLES_SRC)/generate $(wildcard $(CYCLES_SRC)/*.py) | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q)$(CYCLES_SRC)/generate > $@

$(CYCLES_OUT)/rows.o: $(CYCLES_OUT)/rows.S mk/programs.mk | $(BOOTSTRAP_BUILD)
	$(say) AS $<
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) -c -o $@ $<

$(CYCLES_FORMS:%=$(CYCLES_OUT)/calls-%.o): $(CYCLES_OUT)/calls-%.o: $(CYCLES_SRC)/calls.c mk/programs.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) -mno-relax $(cycles_form_$*) -DFORM=_$* -MMD -MP -c -o $@ $<

$(CYCLES_ELF): $(CYCLES_OBJS) $(CYCLES_SRC)/cycles.lds
	$(say) LD $@
	$(Q)$(PROGRAM_CC) $(BENCH_CFLAGS) -nostdlib -static -Wl,--no-relax,--build-id=none,--no-warn-rwx-segments \
		-T $(CYCLES_SRC)/cycles.lds -o $@ $(CYCLES_OBJS)

-include $(wildcard $(CYCLES_OUT)/*.d)

.SECONDARY: $(PROGRAM_COMMON) $(PROGRAMS:$(PROGRAM_OUT)/%.elf=$(PROGRAM_OUT)/obj/%.o)
-include $(wildcard $(PROGRAM_OUT)/obj/*.d)
