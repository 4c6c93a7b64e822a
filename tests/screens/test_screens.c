/* The real program on a pty: scripted keys, then the text of the screen is compared with a kept one
 * (tests/screens/kept/NAME.COLUMNSxROWS.txt). Prints TAP.
 *
 *   test_screens [--update] PROGRAM [NAME...]
 *
 * --update rewrites the kept screens; NAME runs only the scenarios whose names begin so. A scenario
 * is data: tests/screens/scenarios.c. Each runs in a home folder of its own, with the clock of the
 * screens frozen.
 */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "scenarios.h"
#include "vt.h"

#define CLOCK "2026-11-30T14:03:00Z"

struct play {
	const struct scenario *scenario;
	struct vt *vt;
	int columns, rows;
	bool update;
	size_t mark; /* bytes sent when BYTES_MARK was played */
	char home[64];
	char fault[512];
};

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static bool fail(struct play *play, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct play *play, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(play->fault, sizeof(play->fault), format, args);
	va_end(args);
	return false;
}

static void show_screen(struct play *play)
{
	char *dump = vt_dump(play->vt);

	for (char *line = dump, *next; *line; line = next) {
		next = strchr(line, '\n') + 1;
		printf("# |%.*s\n", (int)(next - line - 1), line);
	}
	free(dump);
}

/* Both texts line by line where they differ. */
static void show_difference(const char *wanted, const char *got)
{
	for (int line = 1; *wanted || *got; line++) {
		size_t w = strcspn(wanted, "\n"), g = strcspn(got, "\n");

		if (w != g || memcmp(wanted, got, w) != 0) {
			printf("# %2d kept |%.*s\n", line, (int)w, wanted);
			printf("#    now  |%.*s\n", (int)g, got);
		}
		wanted += w + (wanted[w] == '\n');
		got += g + (got[g] == '\n');
	}
}

static bool play_keep(struct play *play, const char *name)
{
	char path[PATH_MAX], *kept = NULL, *dump;
	struct err err = {0};
	size_t length;
	bool same;

	str_format(path, sizeof(path), "tests/screens/kept/%s.%dx%d.txt", name, play->columns,
		play->rows);
	if (play->update) {
		vt_settle(play->vt, 300);
		dump = vt_dump(play->vt);
		same = file_write_atomic(path, dump, strlen(dump), &err) == 0;
		free(dump);
		return same ? true : fail(play, "%s", err.text);
	}
	if (file_read(path, 1 << 20, &kept, &length, &err) < 0)
		return fail(play, "%s; make screens-update makes it", err.text);
	same = vt_wait_screen(play->vt, kept);
	if (!same) {
		dump = vt_dump(play->vt);
		show_difference(kept, dump);
		free(dump);
		fail(play, "the screen differs from %s", path);
	}
	free(kept);
	return same;
}

static bool play_exit(struct play *play, int wanted)
{
	char why[256];
	int code = -1;

	if (!vt_wait_exit(play->vt, &code))
		return fail(play, "does not end");
	if (code != wanted)
		return fail(play, "ends with %d, not %d", code, wanted);
	if (!vt_is_clean(play->vt, why, sizeof(why)))
		return fail(play, "leaves the terminal dirty: %s", why);
	return true;
}

/* "%HOME%/x" is the scenario's own home folder. */
static char *expand(const char *text, const char *home)
{
	const char *at = strstr(text, "%HOME%");
	struct strbuf out = {0};

	if (!at)
		return mem_strdup(text);
	strbuf_add_bytes(&out, text, (size_t)(at - text));
	strbuf_add(&out, home);
	strbuf_add(&out, at + strlen("%HOME%"));
	return out.text;
}

static bool play_signal(struct play *play, const struct step *step)
{
	char path[64], children[64];
	int pid = vt_pid(play->vt);

	/* the program proper is the child of the guard */
	if (step->kind == STEP_SIGNAL_CHILD) {
		str_format(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
		if (file_read_text(path, children, sizeof(children)) < 0 || atoi(children) <= 1)
			return fail(play, "the program has no child");
		pid = atoi(children);
	}
	kill(pid, step->a);
	return true;
}

/* Resizes and keys faster than the program can paint (CASES G1). */
static bool play_storm(struct play *play, const struct step *step)
{
	struct rng rng;
	char word[32];
	size_t count = 0;

	for (const char *at = step->text; sscanf(at, "%31s", word) == 1; count++)
		at = strstr(at, word) + strlen(word);
	rng_seed(&rng, (uint64_t)step->b, 0);
	for (int i = 0; i < step->a; i++) {
		const char *at = step->text;
		uint64_t chosen = rng_below(&rng, count ? count : 1);
		bool tiny = rng_below(&rng, 3) == 0;
		int code;

		play->columns = 1 + (int)rng_below(&rng, tiny ? 12 : 250);
		play->rows = 1 + (int)rng_below(&rng, tiny ? 6 : 80);
		vt_resize(play->vt, play->columns, play->rows);
		for (uint64_t k = 0; k <= chosen && sscanf(at, "%31s", word) == 1; k++)
			at = strstr(at, word) + strlen(word);
		if (count && !vt_keys(play->vt, word))
			return fail(play, "no such key: %s", word);
		vt_settle(play->vt, (int)rng_below(&rng, 15));
		if (vt_ended(play->vt, &code))
			return fail(play, "ended with %d at %dx%d after %s", code, play->columns,
				play->rows, word);
	}
	return true;
}

static bool play_step(struct play *play, const struct step *step)
{
	struct vt *vt = play->vt;
	char why[256], *text;

	switch (step->kind) {
	case STEP_END:
		return true;
	case STEP_WAIT:
		return vt_wait_text(vt, step->text) ? true
						    : fail(play, "never shows \"%s\"", step->text);
	case STEP_GONE:
		return vt_wait_gone(vt, step->text) ? true
						    : fail(play, "still shows \"%s\"", step->text);
	case STEP_KEYS:
		return vt_keys(vt, step->text) ? true
					       : fail(play, "no such key in \"%s\"", step->text);
	case STEP_TYPE:
		text = expand(step->text, play->home);
		vt_send(vt, text, strlen(text));
		free(text);
		return true;
	case STEP_MOUSE:
		vt_mouse(vt, step->a, step->b, step->text ? atoi(step->text) : 1);
		return true;
	case STEP_RESIZE:
		play->columns = step->a;
		play->rows = step->b;
		vt_resize(vt, step->a, step->b);
		return true;
	case STEP_KEEP:
		return play_keep(play, step->text);
	case STEP_SIGNAL:
	case STEP_SIGNAL_CHILD:
		return play_signal(play, step);
	case STEP_STOPPED:
		if (!vt_wait_stopped(vt))
			return fail(play, "does not stop");
		return vt_is_clean(vt, why, sizeof(why))
			? true
			: fail(play, "stopped with a dirty terminal: %s", why);
	case STEP_CONTINUE:
		vt_continue(vt);
		return true;
	case STEP_EXIT:
		return play_exit(play, step->a);
	case STEP_STORM:
		return play_storm(play, step);
	case STEP_SILENT: {
		size_t before;

		vt_settle(vt, 300);
		before = vt_bytes(vt);
		vt_settle(vt, step->a);
		return vt_bytes(vt) == before ? true
					      : fail(play, "sends %zu bytes while nothing changes",
							vt_bytes(vt) - before);
	}
	}
	return fail(play, "no such step");
}

static void start(struct play *play, const char *program)
{
	const struct scenario *scenario = play->scenario;
	char home[128], path[4200], term[80], locale[80];
	char *argv[SCENARIO_ARGUMENTS + 2] = {(char *)program};
	const char *environment[SCENARIO_ENVIRONMENT + 8];
	struct vt_config config = {.columns = play->columns,
		.rows = play->rows,
		.no_output_terminal = scenario->piped};
	size_t n = 0;

	for (int i = 0; i < SCENARIO_ARGUMENTS && scenario->arguments[i]; i++)
		argv[i + 1] = expand(scenario->arguments[i], play->home);
	str_format(home, sizeof(home), "HOME=%s", play->home);
	str_format(
		path, sizeof(path), "PATH=%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	str_format(
		term, sizeof(term), "TERM=%s", scenario->term ? scenario->term : "xterm-256color");
	str_format(locale, sizeof(locale), "LC_ALL=%s",
		scenario->locale ? scenario->locale : "C.UTF-8");
	environment[n++] = home;
	environment[n++] = path;
	environment[n++] = term;
	environment[n++] = locale;
	environment[n++] = "NVSWEEP_TEST_CLOCK=" CLOCK;
	environment[n++] = "ASAN_OPTIONS=abort_on_error=0";
	for (int i = 0; i < SCENARIO_ENVIRONMENT && scenario->environment[i]; i++)
		environment[n++] = scenario->environment[i];
	environment[n] = NULL;
	config.argv = (const char *const *)argv;
	config.environment = environment;
	play->vt = vt_start(&config);
	for (int i = 1; argv[i]; i++)
		free(argv[i]);
}

static bool play_scenario(
	const struct scenario *scenario, const char *program, int columns, int rows, bool update)
{
	struct play play = {
		.scenario = scenario, .columns = columns, .rows = rows, .update = update};
	bool good = true;

	str_copy(play.home, sizeof(play.home), "/tmp/nvsweep-screens-XXXXXX");
	if (!mkdtemp(play.home)) {
		printf("# %s: %s\n", play.home, strerror(errno));
		return false;
	}
	if (scenario->prepare && scenario->prepare(play.home) < 0)
		good = fail(&play, "cannot be prepared");
	if (good) {
		start(&play, program);
		for (const struct step *step = scenario->steps; good && step->kind; step++)
			good = play_step(&play, step);
		if (!good) {
			printf("# %s\n", play.fault);
			show_screen(&play);
		}
		vt_free(play.vt);
	} else {
		printf("# %s\n", play.fault);
	}
	nftw(play.home, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return good;
}

static bool wanted(const char *name, char **names)
{
	for (char **at = names; *at; at++)
		if (str_starts_with(name, *at))
			return true;
	return !*names;
}

int main(int argc, char **argv)
{
	static const int sizes[][2] = {{80, 24}, {120, 40}};
	bool update = argc > 1 && strcmp(argv[1], "--update") == 0;
	char **rest = argv + 1 + update, program[PATH_MAX];
	int number = 0, failed = 0;

	if (!*rest || !realpath(*rest, program)) {
		fprintf(stderr, "usage: test_screens [--update] PROGRAM [NAME...]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (const struct scenario *scenario = scenarios; scenario->name; scenario++) {
		int runs = scenario->columns ? 1 : 2;

		for (int i = 0; i < runs && wanted(scenario->name, rest + 1); i++) {
			int columns = scenario->columns ? scenario->columns : sizes[i][0];
			int rows = scenario->columns ? scenario->rows : sizes[i][1];
			const char *skip = scenario->skip ? scenario->skip() : NULL;
			bool good = skip || play_scenario(scenario, program, columns, rows, update);

			printf("%s %d - %s %dx%d%s%s\n", good ? "ok" : "not ok", ++number,
				scenario->name, columns, rows, skip ? " # SKIP " : "",
				skip ? skip : "");
			failed += !good;
		}
	}
	printf("1..%d\n", number);
	return failed ? 1 : 0;
}
