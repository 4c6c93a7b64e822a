/* The scenarios of the screen tests. A kept screen changes only in a commit that says why. */
#include "scenarios.h"

#include <signal.h>
#include <stddef.h>

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
		.steps = {WAIT("nvsweep"), KEYS("Ctrl-Z"), STOPPED(), SIGNAL(SIGCONT),
			WAIT("nvsweep"), KEYS("q"), EXIT(0)},
	},
	{0},
};
