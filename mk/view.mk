# The viewer: build/rvftrace-view, a program of its own. It is built where SDL2, SDL2_ttf and libpng are
# there (tools/bootstrap.sh --view installs them), and `rvftrace view' says so where they are not.

.PHONY: view
view_src := $(wildcard tools/view/*.c)
view_obj := $(view_src:%.c=$(BUILD)/%.o)
# What it shares with the emulator: the reader of logs, the disassembler, and what these need.
view_emu := $(patsubst emu/%.c,$(BUILD)/emu/%.o,$(wildcard emu/base/*.c emu/export/*.c emu/log/log_read.c emu/log/log_cursor.c \
	emu/log/log_state.c emu/log/log_frames.c emu/log/log_values.c \
	emu/log/log_arguments.c) $(addprefix emu/cpu/isa/, decode.c disasm.c extension.c float.c isa.c))
view_packages = sdl2 SDL2_ttf libpng
view_cflags   = $(shell pkg-config --cflags $(view_packages))
view_libs     = $(shell pkg-config --libs $(view_packages)) -lzstd -lm -pthread

view: $(BUILD)/rvftrace-view

# `make' builds it if its libraries are there, and never installs them; `make view' does.
ifneq ($(shell pkg-config --exists sdl2 SDL2_ttf libpng 2>/dev/null && echo yes),)
all: view
view_stamp := $(BOOTSTRAP_BUILD)
else
view_stamp := $(BOOTSTRAP_VIEW)
endif

$(BUILD)/rvftrace-view: $(view_obj) $(view_emu) | $(view_stamp)
	$(say) LD $@
	$(Q)$(CC) $(EMU_CFLAGS) $(LDFLAGS) -o $@ $^ $(view_libs)

$(view_obj): $(BUILD)/%.o: %.c mk/view.mk | $(view_stamp)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(EMU_CFLAGS) $(view_cflags) -MMD -MP -c -o $@ $<

-include $(view_obj:.o=.d)
