# nvsweep - see README.md. `make help` lists the targets.
#
#   make [CC=clang] [SAN=asan|tsan] [BUILD=dir] [V=1] [WERROR=1]

VERSION := $(shell cat VERSION)
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=

ifeq ($(origin CC),default)
CC := gcc
endif
SAN ?=
FLAVOUR := $(notdir $(firstword $(CC)))$(if $(SAN),-$(SAN))
OBJ := $(BUILD)/obj/$(FLAVOUR)

# The default flavour's program is build/nvsweep; every other one stays beside its objects.
PROGRAM := $(if $(filter gcc,$(FLAVOUR)),$(BUILD)/nvsweep,$(OBJ)/nvsweep)

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-6s %s\n'
endif
MAKEFLAGS += --no-print-directory

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wpointer-arith -Wwrite-strings -Wformat=2 -Wvla -Wundef -Wredundant-decls \
	-Wimplicit-fallthrough -Wcast-align
ifneq ($(WERROR)$(CI),)
WARNINGS += -Werror
endif

OPTIMISE := -O2
ifeq ($(SAN),asan)
OPTIMISE := -O1
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else ifeq ($(SAN),tsan)
OPTIMISE := -O1
SANFLAGS := -fsanitize=thread -fno-omit-frame-pointer
else ifneq ($(SAN),)
$(error SAN=$(SAN): use SAN=asan or SAN=tsan)
else
HARDEN := -D_FORTIFY_SOURCE=2 -fstack-protector-strong
endif

pkg = $(shell pkg-config $(1) $(2) 2>/dev/null)
PACKAGES := libnvme liburing json-c ncursesw libudev blkid mount
PKG_CFLAGS := $(subst -I,-isystem ,$(call pkg,--cflags,$(PACKAGES)))
PKG_LIBS   := $(call pkg,--libs,$(PACKAGES)) -liniparser -lm -pthread

ALL_CFLAGS = -std=gnu11 -g $(OPTIMISE) $(WARNINGS) $(HARDEN) $(SANFLAGS) -pthread \
	-D_GNU_SOURCE -DNVSWEEP_VERSION='"$(VERSION)"' -ffile-prefix-map=$(CURDIR)/= \
	-Isrc $(PKG_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(SANFLAGS) -pthread $(LDFLAGS)

# ---- what there is to build ------------------------------------------------------------------
FOLDERS := $(shell sed -n 's/^\([a-z]*\):.*/\1/p' src/layers)
knows = $(shell sed -n 's/^$(1): *//p' src/layers)
$(foreach f,$(FOLDERS),$(eval KNOWS_$(f) := $(f) $(call knows,$(f))))
objects = $(patsubst %.c,$(OBJ)/%.o,$(wildcard src/$(1)/*.c))
lib = $(OBJ)/lib$(1).a
libs_of = $(foreach f,$(KNOWS_$(1)),$(call lib,$(f)))

ASSET_FILES := $(sort $(wildcard configs/*.ini configs/*/*.ini configs/*/*.csv themes/*.ini))

.PHONY: all
all: $(PROGRAM)

$(PROGRAM): $(foreach f,$(FOLDERS),$(call lib,$(f))) $(call objects,app)
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(call objects,app) -Wl,--start-group \
		$(foreach f,$(filter-out app,$(FOLDERS)),$(call lib,$(f))) -Wl,--end-group $(PKG_LIBS)

# What is built also depends on the version, the flags (but for warnings) and on which files there are:
# each list is a file that is written anew only when it differs.
STAMPS := $(addprefix $(OBJ)/,flags.stamp sources.stamp assets.stamp)
$(OBJ)/flags.stamp: LIST = $(CC) $(filter-out -W%,$(ALL_CFLAGS))
$(OBJ)/sources.stamp: LIST = $(sort $(wildcard src/*/*.c))
$(OBJ)/assets.stamp: LIST = $(ASSET_FILES)
$(STAMPS): FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(LIST) >$@.new; if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
.PHONY: FORCE
FORCE:

$(OBJ)/%.o: %.c $(OBJ)/flags.stamp
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Assets: an assembler file that includes every config and theme byte by byte, and a table.
$(OBJ)/assets_data.S: src/conf/embed-assets.sh $(ASSET_FILES) $(OBJ)/assets.stamp Makefile
	$(say) GEN $@
	$(Q)mkdir -p $(@D)
	$(Q)sh src/conf/embed-assets.sh $(ASSET_FILES) >$@.new && mv $@.new $@
$(OBJ)/assets_data.o: $(OBJ)/assets_data.S $(ASSET_FILES)
	$(Q)$(CC) -c -o $@ $<

define folder_rules
$(call lib,$(1)): $(OBJ)/sources.stamp $(call objects,$(1)) $(if $(filter conf,$(1)),$(OBJ)/assets_data.o)
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(Q)$$(AR) rcsD $$@ $$(filter %.o,$$^)

TESTS_$(1) := $(patsubst %.c,$(OBJ)/%,$(wildcard tests/unit/$(1)/test_*.c))
$$(TESTS_$(1)): $(OBJ)/tests/unit/$(1)/%: $(OBJ)/tests/unit/$(1)/%.o $(call libs_of,$(1))
	$$(say) LINK $$@
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$< -Wl,--start-group $(call libs_of,$(1)) -Wl,--end-group \
		$$(PKG_LIBS) -lcmocka
UNIT_TESTS += $$(TESTS_$(1))

.PHONY: unit-$(1)
unit-$(1): $$(TESTS_$(1))
	$$(Q)tests/run $$(TESTS_$(1))
endef
AR := ar
$(foreach f,$(FOLDERS),$(eval $(call folder_rules,$(f))))

-include $(wildcard $(OBJ)/src/*/*.d $(OBJ)/tests/*/*.d $(OBJ)/tests/unit/*/*.d)

.PHONY: unit
unit: $(UNIT_TESTS)
	$(Q)tests/run $(UNIT_TESTS)
.PHONY: unit-build
unit-build: $(UNIT_TESTS)

# ---- packages, start, install ----------------------------------------------------------------
BUILD_PACKAGES := gcc libc6-dev make pkg-config libncurses-dev libnvme-dev liburing-dev \
	libiniparser-dev libjson-c-dev libudev-dev libblkid-dev libmount-dev
TEST_PACKAGES  := libcmocka-dev libvterm-dev clang clang-format fio nvme-cli smartmontools \
	qemu-system-x86 busybox-static cpio python3 xz-utils groff-base e2fsprogs strace util-linux

# Installs what is missing of $(1); does nothing, and needs no network, when all is there.
define install_packages
	@command -v dpkg-query >/dev/null || { \
		echo "not a Debian system: install what these packages hold: $(1)"; exit 0; }; \
	missing=$$(for p in $(1); do dpkg-query -W -f='$${db:Status-Status}\n' $$p 2>/dev/null | \
		grep -qx installed || echo $$p; done); \
	[ -n "$$missing" ] || exit 0; \
	line="apt-get install -y --no-install-recommends $$(echo $$missing)"; \
	if [ $$(id -u) = 0 ]; then as=env; \
	elif command -v sudo >/dev/null; then as="sudo env"; \
	else echo "packages are missing and neither root nor sudo is at hand; run as root:"; \
		echo "  $$line"; exit 1; fi; \
	ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 || $$as apt-get update -q || exit 1; \
	$$as DEBIAN_FRONTEND=noninteractive $$line || { $$as apt-get update -q && \
		$$as DEBIAN_FRONTEND=noninteractive $$line; }
endef

.PHONY: deps deps-build run install uninstall docs docs-check help
deps-build:
	$(call install_packages,$(BUILD_PACKAGES))
deps:
	$(call install_packages,$(BUILD_PACKAGES) $(TEST_PACKAGES))

# The compiler's flags are asked of pkg-config, which may only now be there: hence a make anew.
# Without arguments and without NVMe drives there is nothing to see but the simulated ones.
run: deps-build
	+$(Q)$(MAKE) all
	@$(if $(ARGS),,if [ -z "$$(ls /sys/class/nvme 2>/dev/null)" ]; then \
		echo "no NVMe drive here: starting with --demo, whose drives are SIMULATED"; \
		exec $(PROGRAM) --demo; fi;) exec $(PROGRAM) $(ARGS)

BINDIR  := $(DESTDIR)$(PREFIX)/bin
MANDIR  := $(DESTDIR)$(PREFIX)/share/man
BASHDIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR  := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
DOCDIR  := $(DESTDIR)$(PREFIX)/share/doc/nvsweep
install: all
	install -D -m 755 $(PROGRAM) $(BINDIR)/nvsweep
	install -D -m 644 man/nvsweep.1 $(MANDIR)/man1/nvsweep.1
	install -D -m 644 man/nvsweep.ini.5 $(MANDIR)/man5/nvsweep.ini.5
	install -D -m 644 man/nvsweep-workloads.5 $(MANDIR)/man5/nvsweep-workloads.5
	install -D -m 644 man/nvsweep-fleets.5 $(MANDIR)/man5/nvsweep-fleets.5
	install -D -m 644 completions/nvsweep.bash $(BASHDIR)/nvsweep
	install -D -m 644 completions/_nvsweep $(ZSHDIR)/_nvsweep
	install -D -m 644 README.md $(DOCDIR)/README.md
	install -D -m 644 LICENSE $(DOCDIR)/copyright
	install -D -m 644 configs/nvsweep.ini $(DOCDIR)/nvsweep.ini
	install -D -m 644 configs/keys.ini $(DOCDIR)/keys.ini
uninstall:
	rm -f $(BINDIR)/nvsweep $(MANDIR)/man1/nvsweep.1 $(MANDIR)/man5/nvsweep.ini.5 \
		$(MANDIR)/man5/nvsweep-workloads.5 $(MANDIR)/man5/nvsweep-fleets.5 $(BASHDIR)/nvsweep $(ZSHDIR)/_nvsweep
	rm -rf $(DOCDIR)

# Manual sections, completions and nvsweep.ini are made from the program's tables.
docs: all
	$(Q)tests/docs $(PROGRAM) --write
docs-check: all
	$(Q)tests/run "tests/docs $(PROGRAM)"
CHECK_DOCS = "tests/docs $(PROGRAM)"
CHECK_PROGRAM += "tests/cli/run $(PROGRAM)" "tests/cli/detach $(PROGRAM)" \
	"tests/cli/detach $(BUILD)/obj/gcc-asan/nvsweep"

help:
	@echo "make             build $(BUILD)/nvsweep"
	@echo "make run         install what building needs, build, start (ARGS=... for arguments)"
	@echo "make check       install what testing needs, build, run the tests"
	@echo "make check-fast  layers, format, unit tests;   make unit-FOLDER  those of one folder"
	@echo "make check-full  check, plus the thread sanitizer and the long parts"
	@echo "make bench       I/O cost beside fio;          make docs  manual, completions, settings"
	@echo "make deps        packages for building and testing;  deps-build for building alone"
	@echo "make install     PREFIX=/usr/local DESTDIR=;   make uninstall"
	@echo "options          CC=clang  SAN=asan|tsan  BUILD=dir  WERROR=1  V=1"

# ---- tests -----------------------------------------------------------------------------------
# make check        what CI runs: everything below, once
# make check-fast   layers, format, unit tests: after each edit
# make check-full   check, plus thread sanitizer and the long parts
.PHONY: check check-fast check-full check-build
SAN_UNIT = $(foreach t,$(UNIT_TESTS),$(patsubst $(OBJ)/%,$(BUILD)/obj/gcc-$(1)/%,$(t)))

check: deps
	+$(Q)$(MAKE) WERROR=1 CC=gcc check-build
	$(Q)tests/run tests/layers tests/format $(CHECK_DOCS) $(UNIT_TESTS) $(call SAN_UNIT,asan) \
		--jobs 3 $(CHECK_PROGRAM) --jobs 1 "tests/judges/run $(PROGRAM)" \
		"tests/rig/run $(PROGRAM) $(OBJ)/tests/rig" \
		"tests/rig/writes $(PROGRAM) $(OBJ)/tests/rig" "tests/rig/backends $(PROGRAM)"

include tests/rig/rig.mk
include tests/screens/screens.mk

check-build: all unit-build screens-build rig-build
	+$(Q)$(MAKE) WERROR=1 CC=clang all
	+$(Q)$(MAKE) WERROR=1 SAN=asan all unit-build screens-build

check-fast: unit-build
	$(Q)tests/run tests/layers tests/format $(UNIT_TESTS)

check-full: check
	+$(Q)$(MAKE) SAN=tsan unit-build
	$(Q)tests/run $(call SAN_UNIT,tsan) "tests/rig/writes $(PROGRAM) $(OBJ)/tests/rig --all"

.PHONY: bench
bench: all
	$(Q)tests/bench/run $(PROGRAM)

.PHONY: clean
clean:
	rm -rf $(BUILD)
