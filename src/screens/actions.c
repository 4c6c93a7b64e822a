/* The action table from actions.def, and the documents made of it. */
#include "screens/actions.h"

#include <string.h>

const struct action_row actions_table[ACTION_COUNT] = {
#define ACTION(id, scope, name, help) [ACTION_##id] = {scope, name, help},
#include "screens/actions.def"
#undef ACTION
};

const struct keys_action actions_keys[ACTION_COUNT] = {
#define ACTION(action, where, word, help) \
	[ACTION_##action] = {.name = word, .scope = where, .id = ACTION_##action},
#include "screens/actions.def"
#undef ACTION
};

const char *const actions_scopes[] = {
	"global", "drives", "drive", "check", "form", "live", "results", "run", "compare"};
const size_t actions_scope_count = sizeof(actions_scopes) / sizeof(actions_scopes[0]);

const char *actions_scope_title(const char *scope)
{
	static const char *const titles[][2] = {
		{"global", "Everywhere"},
		{"drives", "Drives"},
		{"drive", "One drive"},
		{"check", "Quick check"},
		{"form", "New sweep"},
		{"live", "Running test"},
		{"results", "Saved runs"},
		{"run", "One saved run"},
		{"compare", "Comparison"},
		{"help", "Help"},
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (!strcmp(titles[i][0], scope))
			return titles[i][1];
	return scope;
}

void actions_document_man(const struct keys *keys, struct strbuf *out)
{
	for (size_t s = 0; s < actions_scope_count; s++) {
		strbuf_addf(out, ".SS %s\n", actions_scope_title(actions_scopes[s]));
		for (int i = 0; i < ACTION_COUNT; i++) {
			const struct action_row *row = &actions_table[i];
			char names[128];

			if (strcmp(row->scope, actions_scopes[s]))
				continue;
			keys_names_of(keys, i, names, sizeof(names));
			strbuf_add(out, ".TP\n.B ");
			strbuf_add_roff(out, names[0] ? names : "(no key)");
			strbuf_add(out, "\n");
			strbuf_add_roff(out, row->help);
			strbuf_add(out, " (");
			strbuf_add_roff(out, row->scope);
			strbuf_add(out, ".");
			strbuf_add_roff(out, row->name);
			strbuf_add(out, ").\n");
		}
	}
}

void actions_document_keys(const struct keys *keys, struct strbuf *out)
{
	strbuf_add(out,
		"# Keys of the terminal program. A file of this name in the configuration folder\n"
		"# (~/.config/nvsweep/keys.ini) or in /etc/nvsweep overrides single lines.\n"
		"#\n"
		"# ACTION = KEY [KEY...]; nothing behind the = takes the keys away. Keys: a character,\n"
		"# Enter Esc Tab Shift-Tab Space Backspace Ins Del Up Down Left Right PgUp PgDn Home\n"
		"# End F1 to F12 Ctrl-A to Ctrl-Z. A screen's own keys go before those of [global].\n");
	for (size_t s = 0; s < actions_scope_count; s++) {
		strbuf_addf(out, "\n[%s]\n", actions_scopes[s]);
		for (int i = 0; i < ACTION_COUNT; i++) {
			const struct action_row *row = &actions_table[i];
			char names[128];

			if (strcmp(row->scope, actions_scopes[s]))
				continue;
			keys_names_of(keys, i, names, sizeof(names));
			strbuf_addf(out, "# %s\n%s = %s\n", row->help, row->name, names);
		}
	}
}
