# Host tools: build/recordmcount, and the packages everything else needs.
#
# Defines for the other parts: HOSTCFLAGS (for every program of the host, also the
# emulator), Q and say (quiet output, V=1 shows the commands), and five order-only
# prerequisites:
#     build/foo: foo.c | $(BOOTSTRAP_BUILD)      packages for building
#     test-foo: | $(BOOTSTRAP_TEST)              packages for testing
#     check-foo: | $(BOOTSTRAP_LONG)             packages for make check-long
#     check-foo: | $(BOOTSTRAP_LINUX)            packages for building Linux
#     build/foo: foo.c | $(BOOTSTRAP_VIEW)       packages of the viewer and its tests

V ?= 0
ifeq ($(V),1)
Q   :=
say := @:
else
Q   := @
say := @printf '  %-7s %s\n'
endif

# Line numbers, for a stack and a profile; `make CFLAGS=-g' has variables, too, and takes a sixth longer.
HOSTCFLAGS := -std=gnu11 -O2 -g1 -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion \
              -Wstrict-prototypes -Wmissing-prototypes -D_GNU_SOURCE
ifeq ($(WERROR),1)
HOSTCFLAGS += -Werror
endif

# ---- packages: nothing is done while the stamp files exist ----

BOOTSTRAP_BUILD := $(BUILD)/.bootstrap-build
BOOTSTRAP_TEST  := $(BUILD)/.bootstrap-test
BOOTSTRAP_LONG  := $(BUILD)/.bootstrap-long
BOOTSTRAP_LINUX := $(BUILD)/.bootstrap-linux
BOOTSTRAP_VIEW  := $(BUILD)/.bootstrap-view

.PHONY: bootstrap bootstrap-test
bootstrap: $(BOOTSTRAP_BUILD)
bootstrap-test: $(BOOTSTRAP_TEST)

# One after the other: two simultaneous runs of apt-get fail on its lock.
$(BOOTSTRAP_TEST): | $(BOOTSTRAP_BUILD)
$(BOOTSTRAP_LONG): | $(BOOTSTRAP_TEST)
$(BOOTSTRAP_LINUX): | $(BOOTSTRAP_TEST)
$(BOOTSTRAP_VIEW): | $(BOOTSTRAP_BUILD)

$(BUILD)/.bootstrap-%: tools/bootstrap.sh
	@mkdir -p $(@D)
	$(Q)flock $(BUILD)/.bootstrap-lock sh tools/bootstrap.sh --$*
	$(Q)touch $@

# ---- recordmcount ----

RECORDMCOUNT := $(BUILD)/recordmcount

recordmcount_src := $(wildcard tools/recordmcount/*.c)
recordmcount_obj := $(recordmcount_src:%.c=$(BUILD)/%.o)

# Expanded in the recipe only: pkg-config may not be installed before the bootstrap.
libelf_cflags = $(shell pkg-config --cflags libelf)
libelf_libs   = $(shell pkg-config --libs libelf)

.PHONY: tools
tools: $(RECORDMCOUNT)

$(RECORDMCOUNT): $(recordmcount_obj)
	$(say) LD $@
	$(Q)$(CC) $(HOSTCFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libelf_libs)

$(recordmcount_obj): $(BUILD)/%.o: %.c mk/tools.mk | $(BOOTSTRAP_BUILD)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(HOSTCFLAGS) $(CFLAGS) -I$(BUILD) $(libelf_cflags) -MMD -MP -c -o $@ $<

$(BUILD)/tools/recordmcount/main.o: $(BUILD)/version.h

-include $(recordmcount_obj:.o=.d)
