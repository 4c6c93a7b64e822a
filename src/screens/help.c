/* Help: the keys, from the action table; those of the screen one came from first. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "screens/facts.h"
#include "screens/screen.h"

struct help {
	struct screen screen;
	char scope[16];
	struct facts facts;
};

static struct help *of(struct screen *screen)
{
	return (struct help *)screen;
}

static void add_scope(struct help *help, const char *scope)
{
	bool heading = false;

	for (int i = 0; i < ACTION_COUNT; i++) {
		char names[64];

		if (strcmp(actions_table[i].scope, scope))
			continue;
		keys_names_of(help->screen.desk->keys, i, names, sizeof(names));
		if (!names[0])
			continue;
		if (!heading)
			facts_heading(&help->facts, actions_scope_title(scope));
		heading = true;
		char key[40];
		str_format(key, sizeof(key), "%d", i);
		facts_add(&help->facts, key, names, ROLE_TEXT, "%s", actions_table[i].help);
	}
}

static void fill(struct help *help)
{
	static const char *const legend[][2] = {
		{"-", "not known, or not reported by the drive"},
		{"good WARN CRIT", "the health verdict; its reasons stand with it"},
		{"! behind a link", "it runs below what drive and slot both can"},
		{"S L U H E", "marks of a point: saturated, suspect, unstable, host, errors"},
		{">=", "the true value is at least this"},
		{"PARTIAL", "a run put together from its journal"},
	};

	facts_begin(&help->facts);
	add_scope(help, help->scope);
	if (strcmp(help->scope, "global"))
		add_scope(help, "global");
	facts_heading(&help->facts, "Signs");
	for (size_t i = 0; i < sizeof(legend) / sizeof(legend[0]); i++)
		facts_add(&help->facts, legend[i][0], legend[i][0], ROLE_TEXT, "%s", legend[i][1]);
	for (size_t i = 0; i < actions_scope_count; i++)
		if (strcmp(actions_scopes[i], help->scope) && strcmp(actions_scopes[i], "global"))
			add_scope(help, actions_scopes[i]);
	facts_end(&help->facts);
}

static void title(
	struct screen *screen, char *left, size_t left_size, char *right, size_t right_size)
{
	str_format(left, left_size, "Help · %s", actions_scope_title(of(screen)->scope));
	str_format(right, right_size, "nvsweep %s", NVSWEEP_VERSION);
}

static void draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	facts_draw(&of(screen)->facts, canvas, area, true, false);
}

static bool action(struct screen *screen, enum action action)
{
	return facts_action(&of(screen)->facts, action);
}

static bool key(struct screen *screen, const struct key *key)
{
	return facts_key(&of(screen)->facts, key);
}

static void explain(struct screen *screen, char *buf, size_t size)
{
	const char *key = of(screen)->facts.cursor;
	char *end;
	const long index = strtol(key, &end, 10);

	if (*key && !*end && index >= 0 && index < ACTION_COUNT)
		str_format(buf, size,
			"%s. In keys.ini it is called %s, in the section [%s]; there its keys can be "
			"changed.",
			actions_table[index].help, actions_table[index].name,
			actions_table[index].scope);
	else
		str_copy(buf, size,
			"A sign that the screens use. Colour only repeats what a word or sign says.");
}

static const struct screen_hint *hints(struct screen *screen)
{
	static const struct screen_hint list[] = {
		{ACTION_UP, ""},
		{ACTION_DOWN, "move"},
		{ACTION_PAGE_UP, ""},
		{ACTION_PAGE_DOWN, "page"},
		{ACTION_EXPLAIN, "explain"},
		{ACTION_BACK, "back"},
		{ACTION_COUNT, NULL},
	};

	(void)screen;
	return list;
}

static void destroy(struct screen *screen)
{
	facts_free(&of(screen)->facts);
	free(screen);
}

static const struct screen_ops help_ops = {
	.name = "help",
	.draw = draw,
	.title = title,
	.action = action,
	.key = key,
	.explain = explain,
	.hints = hints,
	.destroy = destroy,
};

struct screen *screen_help(struct desk *desk, const char *scope)
{
	struct help *help = mem_alloc(sizeof(*help));

	help->screen = (struct screen){&help_ops, desk};
	str_copy(help->scope, sizeof(help->scope), scope && scope[0] ? scope : "global");
	fill(help);
	return &help->screen;
}
