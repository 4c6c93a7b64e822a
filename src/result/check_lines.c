/* Lines of the quick check, and what kind of drive a target is. */
#include "result/check_lines.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

static const struct check_media media_pcie = {"flash on PCIe", 200e3, 500e3, 20000, 500e6};
static const struct check_media media_ssd = {"flash on SATA or SAS", 400e3, 2e6, 8000, 200e6};
static const struct check_media media_disk = {"a disk that turns", 20e6, 100e6, 50, 60e6};

/* ---- lines ---------------------------------------------------------------------------------- */

void check_say(struct check_line *line, enum check_state state, const char *word)
{
	line->state = state;
	str_copy(line->word, sizeof(line->word), word);
}

void check_value(struct check_line *line, const char *key, double number)
{
	if (line->value_count == CHECK_VALUES)
		return;
	line->values[line->value_count].key = key;
	line->values[line->value_count++].value = number;
}

void check_not_judged(struct check_line *line, const char *reason)
{
	check_say(line, CHECK_NOT_JUDGED, "not judged");
	str_copy(line->reason, sizeof(line->reason), reason);
}

/* ---- what the target is --------------------------------------------------------------------- */

bool check_is_file(const struct run_target *t)
{
	return !strcmp(t->kind, "file");
}

bool check_on_pcie(const struct run_target *t)
{
	return t->nsid && (!t->transport[0] || !strcmp(t->transport, "pcie"));
}

static bool on_sata(const struct run_target *t)
{
	return !strcmp(t->transport, "sata") || !strcmp(t->transport, "sas") ||
		!strcmp(t->transport, "ata");
}

/* Why figures of this target are not held against what is usual; "" and *out otherwise. */
void check_media_of(const struct run_target *t, const char *backend, const struct check_media **out,
	char *why, size_t size)
{
	*out = NULL;
	str_copy(why, size, "");
	if (!strcmp(backend, "null"))
		str_copy(why, size, "the null backend reads nothing");
	else if (t->beside_medium)
		str_copy(why, size, "reads may be answered without the medium, see below");
	else if (check_is_file(t))
		str_copy(why, size, "a file: its file system and whatever is below are in it");
	else if (check_on_pcie(t))
		*out = &media_pcie;
	else if (t->nsid)
		str_format(why, size, "reached over %s: the way there is in it", t->transport);
	else if (!strcmp(t->transport, "usb"))
		str_copy(why, size, "behind a USB bridge");
	else if (on_sata(t))
		*out = t->rotational ? &media_disk : &media_ssd;
	else
		str_format(why, size, "%s%sno drive whose kind is known",
			t->transport[0] ? t->transport : "", t->transport[0] ? ": " : "");
}

static void link_of(const struct run_target *t, struct environment *env)
{
	*env = (struct environment){.link_gts = t->link_gts,
		.link_width = t->link_width,
		.link_max_gts = t->link_max_gts,
		.link_max_width = t->link_max_width,
		.slot_max_gts = t->link_slot_gts,
		.slot_max_width = t->link_slot_width};
}

double check_link_bytes(const struct run_target *t)
{
	return check_is_file(t) ? 0 : environment_link_bytes(t->link_gts, t->link_width);
}

bool check_link_narrowed(const struct run_target *t)
{
	struct environment env;

	link_of(t, &env);
	return environment_link_narrowed(&env);
}
