/* What the settings table says to people: the commented nvsweep.ini and the manual. Second body of
 * settings.h. */
#include "conf/settings.h"

#include <string.h>

/* "yes or no", "200 to 60000", "auto, utf-8 or ascii"; "" for texts. */
static void document_range(const struct setting_row *row, char *buf, size_t size)
{
	const char *at = row->choices;

	buf[0] = '\0';
	switch (row->type) {
	case SETTING_BOOL:
		str_copy(buf, size, "yes or no");
		break;
	case SETTING_INT:
	case SETTING_DOUBLE:
		str_format(buf, size, "%.15g to %.15g", row->min, row->max);
		break;
	case SETTING_CHOICE:
		while (at && *at) {
			size_t n = strcspn(at, "|");
			bool more = at[n] == '|', last = more && !strchr(at + n + 1, '|');

			str_append(buf, size, "%.*s%s", (int)n, at,
				!more          ? ""
					: last ? " or "
					       : ", ");
			at += n + more;
		}
		break;
	case SETTING_TEXT:
	case SETTING_PATH:
		break;
	}
}

/* Help as comment lines of at most 98 columns. */
static void document_comment(struct strbuf *out, const char *text)
{
	const size_t width = 96;

	while (*text) {
		size_t n = strlen(text);

		if (n > width) {
			n = width;
			while (n > 0 && text[n] != ' ')
				n--;
			if (n == 0)
				n = width;
		}
		strbuf_add(out, "# ");
		strbuf_add_bytes(out, text, n);
		strbuf_add(out, "\n");
		text += n;
		text += strspn(text, " ");
	}
}

void settings_document_ini(struct strbuf *out)
{
	char range[256], help[768];

	strbuf_add(out,
		"# nvsweep.ini - the settings of nvsweep; see nvsweep.ini(5).\n"
		"#\n"
		"# Every setting is shown here as a comment with its default. Copy the lines you want to\n"
		"# change, with their [section], to ~/.config/nvsweep/nvsweep.ini (one user) or\n"
		"# /etc/nvsweep/nvsweep.ini (everybody) and remove the #. A value with # or ; in it needs\n"
		"# quotes.\n");
	for (size_t i = 0; i < settings_count; i++) {
		const struct setting_row *row = &settings_table[i];

		if (i == 0 || strcmp(row->section, settings_table[i - 1].section) != 0)
			strbuf_addf(out, "\n[%s]\n", row->section);
		document_range(row, range, sizeof(range));
		str_format(help, sizeof(help), "%s%s%s%s", row->help, range[0] ? " Values: " : "",
			range, range[0] ? "." : "");
		document_comment(out, help);
		strbuf_addf(out, "#%s =%s%s\n", row->key, row->default_text[0] ? " " : "",
			row->default_text);
	}
}

void settings_document_man(struct strbuf *out)
{
	char range[256];

	for (size_t i = 0; i < settings_count; i++) {
		const struct setting_row *row = &settings_table[i];

		if (i == 0 || strcmp(row->section, settings_table[i - 1].section) != 0)
			strbuf_addf(out, ".SS [%s]\n", row->section);
		strbuf_add(out, ".TP\n.B ");
		strbuf_add_roff(out, row->key);
		strbuf_add(out, "\n");
		strbuf_add_roff(out, row->help);
		strbuf_add(out, "\n");
		document_range(row, range, sizeof(range));
		if (range[0]) {
			strbuf_add(out, "Values: ");
			strbuf_add_roff(out, range);
			strbuf_add(out, ".\n");
		}
		strbuf_add(out, "Default: ");
		strbuf_add_roff(out, row->default_text[0] ? row->default_text : "empty");
		strbuf_add(out, ".\n");
	}
}
