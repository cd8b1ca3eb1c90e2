# Bare-metal programs for the virt board: build/guest/NAME.elf, one a file of
# guest/, and NAME-fence.elf for those that exist with and without their fence.
#
#   make programs

PROGRAM_SRC   := guest
PROGRAM_OUT   := $(BUILD)/guest
PROGRAM_CC    := $(CROSS)gcc
PROGRAM_NAMES := hello fail reset timer ipi lrsc sv39 plic-uart htif stuck asleep loop \
	bits wrs \
	selfpatch freshcode crosspatch
PROGRAM_FENCED := $(addsuffix -fence,selfpatch freshcode crosspatch)

# Nothing the compiler may choose moves code between the versions of a program.
PROGRAM_CFLAGS := -std=gnu11 -march=rv64imac_zicsr_zifencei -mabi=lp64 -mcmodel=medany \
	-mno-relax -msmall-data-limit=0 -O2 -g -ffreestanding -fno-common -fno-stack-protector \
	-fno-pic -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns \
	-Wall -Wextra -Wshadow -Werror
PROGRAM_LDFLAGS := -nostdlib -static -Wl,--no-relax,--build-id=none,-z,max-page-size=4096 \
	-Wl,--no-warn-rwx-segments -T $(PROGRAM_SRC)/virt.lds
PROGRAM_COMMON := $(addprefix $(PROGRAM_OUT)/obj/,start.o virt.o version.o)

PROGRAMS := $(addprefix $(PROGRAM_OUT)/,$(addsuffix .elf,$(PROGRAM_NAMES) $(PROGRAM_FENCED)))

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

$(PROGRAM_OUT)/%.elf: $(PROGRAM_OUT)/obj/%.o $(PROGRAM_COMMON) $(PROGRAM_SRC)/virt.lds
	$(say) LD $@
	$(Q)$(PROGRAM_CC) $(PROGRAM_CFLAGS) $(PROGRAM_LDFLAGS) -o $@ $< $(PROGRAM_COMMON)

.SECONDARY: $(PROGRAM_COMMON) $(PROGRAMS:$(PROGRAM_OUT)/%.elf=$(PROGRAM_OUT)/obj/%.o)
-include $(wildcard $(PROGRAM_OUT)/obj/*.d)
