# rvftrace: build, run, test. `make help` lists the targets.
#
# The parts: mk/tools.mk (packages, host tools), mk/emu.mk (the emulator),
# mk/guest.mk (the guest kernel), mk/programs.mk (bare-metal guests), mk/fuzz.mk,
# mk/view.mk, mk/tests.mk.

BUILD  ?= build
CC     := gcc
CROSS  ?= riscv64-unknown-elf-
PREFIX ?= /usr/local

.DELETE_ON_ERROR:
.SUFFIXES:

# As many jobs at once as there are cores, unless the user or another make says how many: -j of the command line counts
# more than this one, and that of the environment is looked for here. Targets as in `make clean run' are meant one after
# the other.
in_turn := $(if $(word 2,$(MAKECMDGOALS)),$(filter clean run debug install uninstall deb,$(MAKECMDGOALS)))
ifeq ($(MAKELEVEL)$(in_turn),0)
  cores := $(shell case $$MAKEFLAGS in (j*|-j*|*' -j'*|*--jobs*) ;; (*) nproc ;; esac)
  ifneq ($(cores),)
    MAKEFLAGS += -j$(cores)
  endif
endif

# A blank ends a name in make. BUILD may therefore have none. The directory of the checkout may have
# blanks, because all paths below it are relative; so may DESTDIR and PREFIX, which only the shell
# sees.
ifneq ($(words $(BUILD)),1)
  $(error BUILD=`$(BUILD)': give one folder without blanks in its name)
endif

.PHONY: all help run debug install uninstall clean
all: emu guest programs tools

include mk/tools.mk
include mk/emu.mk
include mk/guest.mk
include mk/programs.mk
include mk/fuzz.mk
include mk/view.mk
include mk/tests.mk

help:
	@echo 'make             build the emulator and the guest kernels, on all cores; with -j1, on one'
	@echo 'make run         boot the guest kernel, trace it, print the cycles of its sites'
	@echo 'make debug       run the same guest in the debugger'
	@echo 'make test        build everything and run the tests (minutes)'
	@echo 'make check-quick check the style, run the unit tests and those of instructions (less than a minute in a built tree)'
	@echo 'make test-programs  build all that the tests run, so that tests/run can run single ones'
	@echo 'make check-long  run the tests with many more seeds, longer fuzzing and clang-tidy (hours)'
	@echo 'make check-translate  compare each run of the tests with the same run interpreted (half an hour)'
	@echo 'make check-caches  compare each run of the tests with the same run without caches (a quarter of an hour)'
	@echo 'make check-work  count the instructions that the engines and the audit take, and compare with what they took (minutes)'
	@echo 'make check-litmus [SUITE=FOLDER]  compare what litmus tests show with the axioms of RVWMO'
	@echo 'make check-suites SUITE_RISCV=FOLDER SUITE_IFETCH=FOLDER  run the public suites of litmus tests (half an hour)'
	@echo 'make check-linux fetch and build Linux, boot and trace it (network; minutes)'
	@echo 'make fuzz [FUZZ_TIME=SECONDS] [FUZZ="elf sbi"]  fuzz the parts that read untrusted input'
	@echo 'make emu         the emulator alone'
	@echo 'make guest       the guest kernels without mistakes (but $(GUEST_LONG)), and their programs; with LAYOUT= one of'
	@echo '                 $(GUEST_LAYOUTS);'
	@echo '                 with FLAVOUR=latency, one that traces sections without interrupts or preemption'
	@echo '                 with BREAK= too, one with a mistake: tests/broken/BREAK.patch, which names its layouts'
	@echo 'make initrd      the guest kernel'\''s programs, as its initial file system'
	@echo 'make view        the viewer, rvftrace view (installs SDL2; where that is there, `make` builds it, too)'
	@echo 'make check-view  its tests, with real windows (a minute)'
	@echo 'make programs    the bare-metal guests, build/guest/NAME.elf; make workloads, make cycles: those of tools/bench-speed and tools/cycles'
	@echo 'make check-mutants  a table of the guest kernels with a mistake: the rule under which each is found'
	@echo 'make install [PREFIX=/usr/local] [DESTDIR=DIR] [GUESTS="pfe8 none"]  rvftrace, recordmcount, their man pages, documents, core models, litmus tests,'
	@echo '                 completion for bash, zsh and fish, the viewer if it was built, a guest kernel of each layout (or GUESTS) and tools/bench'
	@echo 'make install-guests  of these, the guest kernels and tools/bench alone'
	@echo 'make uninstall [PREFIX=...] [DESTDIR=...]  remove what make install has put there'
	@echo 'make deb         Debian packages of all that make install installs, in build/deb (installs debhelper and lintian)'
	@echo 'make clean       remove build/'
	@echo 'make tidy        clang-tidy on the emulator (a minute)'
	@echo 'make check-format  test that clang-format would change nothing'
	@echo 'make format      format the C code with clang-format'
	@echo 'make bootstrap   install the missing Debian packages, nothing else'
	@echo 'V=1 shows commands; WERROR=1 makes warnings errors'

# The demo script enables tracing, shows the trace, and disables tracing again.
demo_script = $(shell sed -e '/^ *\#/d' -e '/^ *$$/d' guest-kernel/scripts/demo.txt | paste -sd ';')

# It boots one kernel, and needs no other.
run: emu guest-mcount-kernel
	@echo '$(BUILD)/guest-kernel/mcount/kernel.elf on 2 harts, --audit=fail, with guest-kernel/scripts/demo.txt:'
	@$(BUILD)/rvftrace run --harts 2 --audit=fail --append $(call quoted,script="$(demo_script)") \
	    $(BUILD)/guest-kernel/mcount/kernel.elf

debug: emu guest-mcount-kernel
	@$(BUILD)/rvftrace debug --harts 2 --append $(call quoted,script="$(demo_script)") \
	    $(BUILD)/guest-kernel/mcount/kernel.elf

# Quotes a value for the shell; a quote in it becomes '\''.
quoted  = '$(subst ','\'',$(1))'
bindir  = $(call quoted,$(DESTDIR)$(PREFIX)/bin)
libdir  = $(call quoted,$(DESTDIR)$(PREFIX)/lib/rvftrace)
man1dir = $(call quoted,$(DESTDIR)$(PREFIX)/share/man/man1)
corefiles = $(notdir $(wildcard cores/*.core))
bashdir = $(call quoted,$(DESTDIR)$(PREFIX)/share/bash-completion/completions)
zshdir  = $(call quoted,$(DESTDIR)$(PREFIX)/share/zsh/vendor-completions)
fishdir = $(call quoted,$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d)
appdir  = $(call quoted,$(DESTDIR)$(PREFIX)/share/applications)
icondir = $(call quoted,$(DESTDIR)$(PREFIX)/share/icons/hicolor/scalable/apps)
mimedir = $(call quoted,$(DESTDIR)$(PREFIX)/share/mime/packages)
coredir = $(call quoted,$(DESTDIR)$(PREFIX)/share/rvftrace/cores)
litmusdir = $(call quoted,$(DESTDIR)$(PREFIX)/share/rvftrace/litmus)
toolsdir = $(call quoted,$(DESTDIR)$(PREFIX)/share/rvftrace/tools)
guestsdir = $(call quoted,$(DESTDIR)$(PREFIX)/share/rvftrace/guests)
docdir   = $(call quoted,$(DESTDIR)$(PREFIX)/share/doc/rvftrace)

# The guest kernels that are installed, with their sources, which findings and the debugger name: one for each layout, and the
# mistake that README shows; `bench': those of tools/bench, too. GUESTS= installs no guest, and not tools/bench, which needs them.
GUESTS ?= $(GUEST_LAYOUTS) bench mcount-no-remote-fence
guests_plain := $(filter $(GUEST_LAYOUTS),$(GUESTS))
guests_broken := $(filter $(GUEST_BROKEN),$(GUESTS))
ifneq ($(filter-out bench $(GUEST_LAYOUTS) $(GUEST_BROKEN),$(GUESTS)),)
  $(error GUESTS=$(GUESTS): there are $(GUEST_LAYOUTS) bench, and layouts with a mistake, as mcount-no-remote-fence)
endif

# What tools/bench builds in a checkout: three placements of each kernel, and the kernel without sites with the frame pointer that
# sites need, in a build of its own.
bench_tools := bench bench-compare benchboot.py benchcost.py benchguest.py benchjobs.py benchlayouts.py benchlib.py benchlinux.py \
	benchpair.py benchparts.py benchplot.py benchruns.py benchshards.py benchspread.py
bench_places := 1 2 3
bench_placed := $(foreach l,$(guests_plain),$(bench_places:%=$(l)-place%))
bench_frame  := $(BUILD)/bench-frame/guest-kernel/none
bench_frames := $(bench_frame) $(bench_places:%=$(bench_frame)-place%)
install_guest = install -d $(guestsdir)/$(2) && install -m 644 $(1)/kernel.elf $(guestsdir)/$(2)

.PHONY: install-guests
install-guests: $(if $(GUESTS),initrd) $(guests_plain:%=guest-%) $(guests_broken:%=guest-%-kernel)
	$(if $(filter bench,$(GUESTS)),$(MAKE) PLACEMENT="$(bench_places)" $(bench_placed:%=$(GUEST_OUT)/%/kernel.elf))
	$(if $(filter bench,$(GUESTS)),$(MAKE) PLACEMENT="$(bench_places)" BUILD=$(BUILD)/bench-frame \
	    guest_cflags_none=-fno-omit-frame-pointer $(bench_frames:%=%/kernel.elf))
	install -d $(guestsdir) $(toolsdir) $(bindir) $(man1dir)
	install -m 644 $(GUEST_OUT)/initrd.cpio $(guestsdir)
	for name in $(filter-out bench,$(GUESTS)) $(if $(filter bench,$(GUESTS)),$(bench_placed)); do \
	    $(call install_guest,$(GUEST_OUT)/$$name,$$name) || exit 1; done
	for name in $(guests_plain); do install -m 644 $(GUEST_OUT)/$$name/modules.cpio $(guestsdir)/$$name || exit 1; done
	for place in $(if $(filter bench,$(GUESTS)),'' $(bench_places:%=-place%)); do \
	    $(call install_guest,$(bench_frame)$$place,frame$$place) || exit 1; done
	find $(GUEST_SRC) $(guests_broken:%=$(GUEST_OUT)/%/src) -name '*.[chS]' -exec cp --parents -t $(guestsdir) {} +
	install -m 644 $(filter %.py,$(bench_tools:%=tools/%)) $(toolsdir)
	install $(filter-out %.py,$(bench_tools:%=tools/%)) $(toolsdir)
	ln -sf ../share/rvftrace/tools/bench $(bindir)/rvftrace-bench
	ln -sf ../share/rvftrace/tools/bench-compare $(bindir)/rvftrace-bench-compare
	install -m 644 docs/rvftrace-bench.1 docs/rvftrace-bench-compare.1 $(man1dir)

# The viewer is installed if it was built, with its entry in the desktop's menu.
install: emu tools $(if $(GUESTS),install-guests)
	install -d $(bindir) $(man1dir) $(coredir) $(bashdir) $(zshdir) $(fishdir)
	install $(BUILD)/rvftrace $(RECORDMCOUNT) $(bindir)
	install -m 644 $(BUILD)/rvftrace.1 $(man_pages) docs/recordmcount.1 $(man1dir)
	install -m 644 cores/*.core $(coredir)
	install -d $(litmusdir) $(docdir)/docs/pictures
	install -m 644 tests/litmus/*.litmus $(litmusdir)
	install -m 644 README.md CHANGELOG.md LICENSE CONTRIBUTING.md $(docdir)
	install -m 644 docs/*.md $(docdir)/docs
	install -m 644 docs/pictures/* $(docdir)/docs/pictures
	install -m 644 $(BUILD)/rvftrace.bash $(bashdir)/rvftrace
	install -m 644 $(BUILD)/rvftrace.zsh $(zshdir)/_rvftrace
	install -m 644 $(BUILD)/rvftrace.fish $(fishdir)/rvftrace.fish
	if [ -e $(BUILD)/rvftrace-view ]; then \
	    install -d $(libdir) $(appdir) $(icondir) $(mimedir) && \
	    install $(BUILD)/rvftrace-view $(libdir) && \
	    install -m 644 tools/view/rvftrace-view.desktop $(appdir) && \
	    install -m 644 tools/view/rvftrace.svg $(icondir) && \
	    install -m 644 tools/view/rvftrace.xml $(mimedir); fi

# Directories stay: they may have existed before.
uninstall:
	rm -f $(bindir)/rvftrace $(libdir)/rvftrace-view $(bindir)/recordmcount
	rm -f $(man1dir)/rvftrace.1 $(addprefix $(man1dir)/,$(notdir $(man_pages))) $(man1dir)/recordmcount.1
	rm -f $(bashdir)/rvftrace $(zshdir)/_rvftrace $(fishdir)/rvftrace.fish
	rm -f $(appdir)/rvftrace-view.desktop $(icondir)/rvftrace.svg $(mimedir)/rvftrace.xml
	rm -f $(addprefix $(coredir)/,$(corefiles))
	rm -f $(bindir)/rvftrace-bench $(bindir)/rvftrace-bench-compare $(man1dir)/rvftrace-bench.1 $(man1dir)/rvftrace-bench-compare.1
	rm -rf $(litmusdir) $(toolsdir) $(guestsdir) $(docdir)

# The Debian packages, in build/deb: of what is committed, or of a tree that is no git checkout as it is.
.PHONY: deb
deb: | $(BOOTSTRAP_BUILD)
	tools/deb.sh $(BUILD)/deb

clean:
	rm -rf $(BUILD)
