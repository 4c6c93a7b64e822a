/* The scenarios of the screen tests. A kept screen changes only in a commit that says why. */
#include "scenarios.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

/* A machine of three controllers, one of them ailing, as a capture made from the specification. */
static int make_fleet(const char *home)
{
	char command[256];

	str_format(command, sizeof(command), "python3 tests/cli/fleet.py '%s/fleet.capture'", home);
	return system(command) == 0 ? 0 : -1;
}
#define REPLAY                                     \
	{                                          \
		"--replay", "%HOME%/fleet.capture" \
	}

/* A file with data in it, to read from. */
static int make_target(const char *home)
{
	char command[256];

	str_format(command, sizeof(command),
		"head -c 8388608 /dev/urandom >'%s/target.bin' && sync '%s/target.bin'", home,
		home);
	return make_fleet(home) || system(command) != 0 ? -1 : 0;
}

/* Three saved runs of hand-made figures beside the fleet. */
static int make_runs(const char *home)
{
	char command[256];

	str_format(command, sizeof(command), "python3 tests/screens/runs.py '%s'", home);
	return make_fleet(home) || system(command) != 0 ? -1 : 0;
}

/* A saved quick check of hand-made figures. */
static int make_check(const char *home)
{
	char command[256];

	str_format(command, sizeof(command), "python3 tests/screens/check_run.py '%s'", home);
	return make_fleet(home) || system(command) != 0 ? -1 : 0;
}

const struct scenario scenarios[] = {
	/* ---- terminals it cannot use: one sentence, exit code 2, nothing sent (CASES G2) */
	{
		.name = "dumb",
		.term = "dumb",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("TERM=dumb cannot show a screen"), EXIT(2)},
	},
	{
		.name = "unknown-term",
		.term = "no-such-terminal",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("TERM=no-such-terminal is not known"), EXIT(2)},
	},
	{
		.name = "unset-term",
		.term = "",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("TERM is not set"), EXIT(2)},
	},
	{
		.name = "output-is-a-pipe",
		.piped = true,
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("standard output is not a terminal"), EXIT(2)},
	},
	/* ---- any size (CASES G1) */
	{
		.name = "sizes",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("nvsweep"), RESIZE(1, 1), RESIZE(250, 80), WAIT("nvsweep"),
			RESIZE(3, 50), RESIZE(200, 2), RESIZE(80, 24), WAIT("nvsweep"), KEYS("q"),
			EXIT(0)},
	},
	/* ---- every way out leaves a usable terminal (CASES G5) */
	{
		.name = "sigterm",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("nvsweep"), SIGNAL_CHILD(SIGTERM), EXIT(0)},
	},
	{
		.name = "segv-of-the-program",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("nvsweep"), SIGNAL_CHILD(SIGSEGV), EXIT(1)},
	},
	{
		.name = "suspend",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("nvsweep"), KEYS("Ctrl-Z"), STOPPED(), CONTINUE(), WAIT("nvsweep"),
			KEYS("q"), EXIT(0)},
	},
	{
		.name = "sigterm-to-the-guard",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("nvsweep"), SIGNAL(SIGTERM), EXIT(0)},
	},
	{
		.name = "sighup-to-the-guard",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("nvsweep"), SIGNAL(SIGHUP), EXIT(0)},
	},
	{
		.name = "sighup-to-the-program",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("nvsweep"), SIGNAL_CHILD(SIGHUP), EXIT(0)},
	},
	/* ---- what a user sees, on a replayed capture */
	{
		.name = "drives",
		.arguments = REPLAY,
		.prepare = make_fleet,
		.steps = {WAIT("quit"), WAIT("98%"), KEEP("drives"), KEYS("Down Down Down"),
			WAIT("reseat it"), KEEP("drives-warn"), KEYS("Space"), GONE("nvme1n1"),
			KEEP("drives-folded"), KEYS("x"), WAIT("[ Close ]"), KEEP("drives-explain"),
			KEYS("Esc"), KEYS("?"), WAIT("Everywhere"), KEEP("help"), KEYS("Esc"),
			KEYS("/"), TYPE("3840"), KEYS("Enter"), GONE("7680"), KEEP("drives-filter"),
			KEYS("q"), EXIT(0)},
	},
	{
		.name = "drive",
		.arguments = REPLAY,
		.prepare = make_fleet,
		.steps = {WAIT("98%"), KEYS("Down Down Down Enter"), WAIT("[Overview]"),
			KEEP("drive-overview"), KEYS("Tab"), WAIT("[SMART]"), KEEP("drive-smart"),
			KEYS("x"), WAIT("[ Close ]"), KEEP("drive-smart-explain"), KEYS("Esc Tab"),
			WAIT("[Namespaces]"), KEEP("drive-namespaces"), KEYS("s"),
			WAIT("part of a replay"), KEYS("Esc"), WAIT("3 drives"), KEYS("q"),
			EXIT(0)},
	},
	{
		.name = "mouse",
		.arguments = REPLAY,
		.prepare = make_fleet,
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("98%"), CLICK(4, 6), WAIT("nvme1 WARN"), WHEEL(4, 6, "5"),
			WAIT("nvme1n1"), KEYS("q"), EXIT(0)},
	},
	{
		.name = "wrong-keys",
		.arguments = REPLAY,
		.prepare = make_fleet,
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("98%"), TYPE("\x1b[<64;999;999M\x1b[M   \x1b[200~q\x1b[201~~}|%"),
			TYPE("\x1b[1;9Z"), WAIT("nvme1"), RESIZE(60, 20), WAIT("nvme1"),
			KEYS("Esc Esc"), RESIZE(80, 24), WAIT("nvme1"), KEYS("q"), EXIT(0)},
	},
	{
		.name = "no-utf-8",
		.arguments = REPLAY,
		.prepare = make_fleet,
		.locale = "C",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("98%"), KEYS("Down Down Down"), WAIT("reseat it"),
			KEEP("drives-ascii"), KEYS("Enter"), WAIT("Verdict"), KEYS("Tab"),
			WAIT("[SMART]"), KEEP("drive-smart-ascii"), KEYS("q"), EXIT(0)},
	},
	{
		.name = "no-colour",
		.arguments = REPLAY,
		.environment = {"NO_COLOR=1"},
		.prepare = make_fleet,
		.term = "vt100",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("98%"), WAIT("WARN"), KEYS("q"), EXIT(0)},
	},
	/* Nothing changes: not one byte. */
	{
		.name = "idle",
		.arguments = REPLAY,
		.prepare = make_fleet,
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("98%"), SILENT(3000), KEYS("q"), EXIT(0)},
	},
	{
		.name = "storm",
		.arguments = REPLAY,
		.prepare = make_fleet,
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("98%"),
			STORM("Up Down Left Right Enter Esc Tab x ? s r / Space < > PgDn End", 300,
				7),
			RESIZE(80, 24), SIGNAL_CHILD(SIGTERM), EXIT(0)},
	},
	/* A test from the form to the saved result; its figures differ each time, its course does not.
	 * The form opens with a target of the machine, which is overwritten. */
	{
		.name = "sweep",
		.prepare = make_target,
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("quit"), KEYS("s"), WAIT("New sweep"), KEYS("Up Ctrl-U"),
			TYPE("%HOME%/target.bin"), KEYS("Down"), WAIT("8.39 MB"), KEYS("Left"),
			KEYS("Down Down Down Down Down Down Down"), KEYS("Ctrl-U"), TYPE("1"),
			KEYS("Down Ctrl-U"), TYPE("0.5"), KEYS("Enter"), WAIT("pause"),
			WAIT("complete"), KEYS("Esc r"), WAIT("rand-read-4k"), KEYS("Enter"),
			WAIT("target.bin"), KEYS("Tab Tab Esc Esc"), WAIT("quit"), KEYS("q"),
			EXIT(0)},
	},
	/* A file that nvsweep did not make: it is written once its name has been typed, not before. */
	{
		.name = "write",
		.prepare = make_target,
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("quit"), KEYS("s"), WAIT("New sweep"), KEYS("Up Ctrl-U"),
			TYPE("%HOME%/target.bin"), KEYS("Down"), WAIT("8.39 MB"), KEYS("Left"),
			KEYS("Down Right"), WAIT("This test WRITES to target.bin"),
			WAIT("was not made by nvsweep"), KEYS("Enter"),
			WAIT("Not started: type the name of target.bin first"), TYPE("target"),
			KEYS("Enter"), WAIT("what was typed is not the name of target.bin"),
			TYPE(".bin"), KEYS("Down Down Down Down Down Down Ctrl-U"), TYPE("1"),
			KEYS("Down Ctrl-U"), TYPE("0.5"), KEYS("Enter"), WAIT("WRITES target.bin"),
			WAIT("complete"), KEYS("Esc q"), EXIT(0)},
	},
	/* Simulated drives say so everywhere; their figures move, so no screen is kept. A curve runs in
	 * their own time from the form to the saved result. */
	{
		.name = "demo",
		.arguments = {"--demo"},
		.steps = {WAIT("these drives are SIMULATED"), WAIT("SIMULATED fleet demo"),
			WAIT("ailing"), WAIT("98%"), KEYS("Down Up Enter"), WAIT("[Overview]"),
			WAIT("pm9a3 · SIMULATED"), KEYS("Esc"), WAIT("7 drives"), KEYS("s"),
			WAIT("New sweep · SIMULATED"), WAIT("Time factor"),
			KEYS("Down Down Down Down Down Ctrl-U"), TYPE("0.5"), KEYS("Down Ctrl-U"),
			TYPE("0.1"), KEYS("Down Down Down Ctrl-U"), TYPE("1000"), KEYS("Enter"),
			WAIT("SIMULATED pm9a3n1"), WAIT("c compare"), KEYS("c"),
			WAIT("against published"), WAIT("a Intel P5510"), WAIT("rank "),
			KEYS("Esc Esc r"), WAIT("SIM pm9a3n1"), KEYS("Enter"),
			WAIT("SIMULATED pm9a3n1"), KEYS("o"), WAIT("this run, mean"),
			KEYS("Esc Esc"), WAIT("7 drives"), KEYS("q"), EXIT(0)},
	},
	/* Saved runs are found, tagged, set side by side, exported and deleted, all by the keys that the
	 * screens name. */
	{
		.name = "results",
		.arguments = REPLAY,
		.prepare = make_runs,
		.steps = {WAIT("98%"), KEYS("r"), WAIT("3 runs"), KEYS("/"), TYPE("workload:sql"),
			KEYS("Enter"), WAIT("2 of 3 runs"), KEEP("results"), KEYS("Space Space t"),
			TYPE("fresh"), KEYS("Enter"), WAIT("Tags of 2 runs set."), KEYS("c"),
			WAIT("2 runs compared"), KEEP("compare"), KEYS("Tab"), KEEP("compare-next"),
			KEYS("e Ctrl-U"), TYPE("%HOME%/both.txt"), KEYS("Enter"), WAIT("Written:"),
			KEYS("Esc d"), WAIT("Delete 2 runs"), KEYS("y"), WAIT("No run fits"),
			KEYS("Esc"), WAIT("rand-read-4k"), WAIT("1 run "), KEYS("Enter"),
			WAIT("rank "), KEYS("o"), WAIT("this run, mean"), KEEP("run-published"),
			KEYS("q"), EXIT(0)},
	},
	/* c reads a drive and judges it; here it is stopped early. Leaving it does not stop it. */
	{
		.name = "check-demo",
		.arguments = {"--demo"},
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("SIMULATED fleet demo"), WAIT("98%"), KEYS("c"),
			WAIT("SIMULATED pm9a3n1 · quick check"), WAIT("of 0:37"),
			WAIT("4K reads, one at a time"), WAIT("reading"), WAIT("now "),
			WAIT("wrote nothing"), KEYS("Esc"), WAIT("m running"), KEYS("c"),
			WAIT("A test is running"), KEYS("m"), WAIT("quick check"), KEYS("Tab"),
			WAIT("asked"), KEYS("Esc S"), WAIT("Stop the check?"), KEYS("y"),
			WAIT("unknown: the check did not come to its end"),
			WAIT("the check was stopped before"), WAIT("Saved: "), KEYS("Esc r"),
			WAIT("SIM pm9a3n1"), KEYS("Enter"), WAIT("did not come to its end"),
			KEYS("q"), EXIT(0)},
	},
	/* Of a replay there is no drive to read. */
	{
		.name = "check-saved",
		.arguments = REPLAY,
		.prepare = make_check,
		.steps = {WAIT("98%"), KEYS("c"), WAIT("part of a replay"), KEYS("r"),
			WAIT("nvme1n1"), KEYS("Enter"), WAIT("link-bound"), KEEP("check-saved"),
			KEYS("Down Down x"), WAIT("slow tail"), KEYS("Esc Tab"), WAIT("mean"),
			KEEP("check-curve"), KEYS("Tab Tab"), WAIT("link-bound"), KEYS("q"),
			EXIT(0)},
	},
	{
		.name = "check-saved-ascii",
		.arguments = REPLAY,
		.prepare = make_check,
		.locale = "C",
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("98%"), KEYS("r"), WAIT("nvme1n1"), KEYS("Enter"),
			WAIT("link-bound"), KEEP("check-saved-ascii"), KEYS("q"), EXIT(0)},
	},
	{
		.name = "demo-of-no-fleet",
		.arguments = {"--demo=dmeo"},
		.columns = 80,
		.rows = 24,
		.steps = {WAIT("the nearest is demo"), EXIT(2)},
	},
	{
		.name = "results-empty",
		.arguments = REPLAY,
		.prepare = make_fleet,
		.steps = {WAIT("98%"), KEYS("r"), WAIT("No run has been saved yet"), KEYS("Esc q"),
			EXIT(0)},
	},
	{0},
};
