/* What the screen tests play: a program's arguments and environment, and steps. */
#ifndef TESTS_SCREENS_SCENARIOS_H
#define TESTS_SCREENS_SCENARIOS_H

#include <stdbool.h>

enum step_kind {
	STEP_END,
	STEP_WAIT,   /* until text is on the screen and painting has stopped */
	STEP_GONE,   /* until text is not */
	STEP_KEYS,   /* text: names, "Down Down Enter" */
	STEP_TYPE,   /* text: as it is */
	STEP_MOUSE,  /* click at column a, row b; text: button, "1" when NULL, "4", "5" wheel */
	STEP_RESIZE, /* to a columns, b rows */
	STEP_KEEP,   /* the screen is kept/TEXT.COLUMNSxROWS.txt */
	STEP_SIGNAL, /* a: signal for the process started (the guard) */
	STEP_SIGNAL_CHILD, /* a: signal for its child */
	STEP_STOPPED,      /* until job control has stopped it, the terminal as it was */
	STEP_CONTINUE,     /* the shell's fg */
	STEP_EXIT,         /* ends with code a, leaving the terminal as it was */
	STEP_STORM,        /* a random sizes with keys of text in between, seed b; it lives on */
	STEP_SILENT,       /* sends no byte for a milliseconds */
};

struct step {
	enum step_kind kind;
	const char *text;
	int a, b;
};

#define WAIT(text)                    \
	{                             \
		STEP_WAIT, text, 0, 0 \
	}
#define GONE(text)                    \
	{                             \
		STEP_GONE, text, 0, 0 \
	}
#define KEYS(names)                    \
	{                              \
		STEP_KEYS, names, 0, 0 \
	}
#define TYPE(text)                    \
	{                             \
		STEP_TYPE, text, 0, 0 \
	}
#define CLICK(x, y)                    \
	{                              \
		STEP_MOUSE, NULL, x, y \
	}
#define WHEEL(x, y, button)              \
	{                                \
		STEP_MOUSE, button, x, y \
	}
#define RESIZE(columns, rows)                    \
	{                                        \
		STEP_RESIZE, NULL, columns, rows \
	}
#define KEEP(name)                    \
	{                             \
		STEP_KEEP, name, 0, 0 \
	}
#define SIGNAL(number)                       \
	{                                    \
		STEP_SIGNAL, NULL, number, 0 \
	}
#define SIGNAL_CHILD(number)                       \
	{                                          \
		STEP_SIGNAL_CHILD, NULL, number, 0 \
	}
#define STOPPED()                        \
	{                                \
		STEP_STOPPED, NULL, 0, 0 \
	}
#define CONTINUE()                        \
	{                                 \
		STEP_CONTINUE, NULL, 0, 0 \
	}
#define EXIT(code)                       \
	{                                \
		STEP_EXIT, NULL, code, 0 \
	}
#define STORM(keys, count, seed)              \
	{                                     \
		STEP_STORM, keys, count, seed \
	}
#define SILENT(ms)                       \
	{                                \
		STEP_SILENT, NULL, ms, 0 \
	}

#define SCENARIO_ARGUMENTS 12
#define SCENARIO_ENVIRONMENT 6
#define SCENARIO_STEPS 40

struct scenario {
	const char *name;
	/* "%HOME%" in them is the scenario's own home folder */
	const char *arguments[SCENARIO_ARGUMENTS];
	const char *environment[SCENARIO_ENVIRONMENT]; /* besides the usual */
	const char *term, *locale;                     /* NULL: xterm-256color, C.UTF-8 */
	int columns, rows;                             /* 0: once at 80x24 and once at 120x40 */
	bool piped;                                    /* standard output is no terminal */
	/* Makes what the scenario needs in its home folder; 0 or -1. */
	int (*prepare)(const char *home);
	/* Reason to skip it, or NULL. */
	const char *(*skip)(void);
	struct step steps[SCENARIO_STEPS];
};

extern const struct scenario scenarios[]; /* ends with a NULL name */

#endif
