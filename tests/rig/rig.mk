# Small programs of the rig, built with the tests.
RIG_PROGRAMS := $(OBJ)/tests/rig/vtdump $(OBJ)/tests/rig/freeze $(OBJ)/tests/rig/hang.so \
	$(OBJ)/tests/rig/scene $(OBJ)/tests/rig/moment.so

$(OBJ)/tests/rig/vtdump: tests/rig/vtdump.c
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< -lvterm
$(OBJ)/tests/rig/freeze $(OBJ)/tests/rig/scene: $(OBJ)/tests/rig/%: tests/rig/%.c
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -static -o $@ $<
$(OBJ)/tests/rig/hang.so $(OBJ)/tests/rig/moment.so: $(OBJ)/tests/rig/%.so: tests/rig/%.c
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -shared -fPIC -o $@ $< -ldl

.PHONY: rig rig-build
rig-build: $(RIG_PROGRAMS)
rig: all rig-build
	$(Q)tests/run "tests/rig/run $(PROGRAM) $(OBJ)/tests/rig" \
		"tests/rig/writes $(PROGRAM) $(OBJ)/tests/rig" "tests/rig/backends $(PROGRAM)"
