# Screen tests: programs on a pty behind libvterm.
SCREEN_TESTS := $(OBJ)/tests/screens/test_term $(OBJ)/tests/screens/test_screens
CHECK_PROGRAM += $(foreach o,$(OBJ) $(BUILD)/obj/gcc-asan,$(o)/tests/screens/test_term) \
	"$(OBJ)/tests/screens/test_screens $(PROGRAM)" \
	"$(BUILD)/obj/gcc-asan/tests/screens/test_screens $(BUILD)/obj/gcc-asan/nvsweep"

$(OBJ)/tests/screens/test_screens: $(OBJ)/tests/screens/scenarios.o
$(SCREEN_TESTS): %: %.o $(OBJ)/tests/screens/vt.o $(call libs_of,tui)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group \
		$(call libs_of,tui) -Wl,--end-group $(PKG_LIBS) -lvterm

.PHONY: screens screens-build screens-update
screens-build: $(SCREEN_TESTS)
screens: all screens-build
	$(Q)tests/run $(OBJ)/tests/screens/test_term "$(OBJ)/tests/screens/test_screens $(PROGRAM)"
# Rewrites the kept screens; the commit says why they changed.
screens-update: all screens-build
	$(OBJ)/tests/screens/test_screens --update $(PROGRAM)
