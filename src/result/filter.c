/* Words and key:value conditions over the entries of a list of runs. */
#include "result/filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/str.h"

enum key {
	KEY_ANY,
	KEY_ID,
	KEY_TARGET,
	KEY_MODEL,
	KEY_WORKLOAD,
	KEY_METHOD,
	KEY_TAG,
	KEY_NOTE,
	KEY_OUTCOME,
	KEY_IS,
	KEY_SINCE,
	KEY_UNTIL,
	KEY_COUNT
};

static const char *const key_names[KEY_COUNT + 1] = {[KEY_ANY] = "",
	[KEY_ID] = "id",
	[KEY_TARGET] = "target",
	[KEY_MODEL] = "model",
	[KEY_WORKLOAD] = "workload",
	[KEY_METHOD] = "method",
	[KEY_TAG] = "tag",
	[KEY_NOTE] = "note",
	[KEY_OUTCOME] = "outcome",
	[KEY_IS] = "is",
	[KEY_SINCE] = "since",
	[KEY_UNTIL] = "until"};

static const char *const outcomes[] = {
	"complete", "stopped", "aborted", "running", "partial", "unreadable", NULL};
static const char *const kinds[] = {
	"simulated", "real", "partial", "running", "tagged", "noted", NULL};

struct term {
	enum key key;
	bool negated;
	int64_t time; /* of KEY_SINCE; of KEY_UNTIL the first second that does not count any more */
	char *values; /* one or more texts, each terminated */
	size_t value_count;
};

struct run_filter {
	struct term *terms;
	size_t count;
};

void filter_free(struct run_filter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->count; i++)
		free(filter->terms[i].values);
	free(filter->terms);
	free(filter);
}

bool filter_is_empty(const struct run_filter *filter)
{
	return !filter || !filter->count;
}

/* ---- dates ---------------------------------------------------------------------------------- */

static int64_t day_begin(int64_t at)
{
	return at - ((at % 86400) + 86400) % 86400;
}

/* "24h", "7d", "2w": so long ago. */
static bool parse_age(const char *text, int64_t now, int64_t *from)
{
	const size_t digits = strspn(text, "0123456789");
	int64_t unit;

	if (!digits || digits > 5 || !text[digits] || text[digits + 1])
		return false;
	switch (tolower((unsigned char)text[digits])) {
	case 'h':
		unit = 3600;
		break;
	case 'd':
		unit = 86400;
		break;
	case 'w':
		unit = 7 * 86400;
		break;
	default:
		return false;
	}
	*from = now - strtol(text, NULL, 10) * unit;
	return true;
}

static bool digits_at(const char **text, size_t count, int least, int most, int *out)
{
	int value = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isdigit((unsigned char)(*text)[i]))
			return false;
		value = 10 * value + ((*text)[i] - '0');
	}
	*text += count;
	*out = value;
	return value >= least && value <= most;
}

static bool separator_at(const char **text, const char *any)
{
	if (!**text || !strchr(any, **text))
		return false;
	(*text)++;
	return true;
}

/* A date that may be cut short behind any of its parts, in UTC: *from is its first second and *past
 * the one behind its last. Hours and minutes may be parted by - as in the names of runs. */
static bool parse_date(const char *text, int64_t *from, int64_t *past)
{
	struct tm tm = {.tm_mday = 1}, next;
	int part = 0;

	if (!digits_at(&text, 4, 1970, 9999, &tm.tm_year))
		return false;
	tm.tm_year -= 1900;
	if (separator_at(&text, "-")) {
		part = 1;
		if (!digits_at(&text, 2, 1, 12, &tm.tm_mon))
			return false;
		tm.tm_mon--;
	}
	if (part == 1 && separator_at(&text, "-")) {
		part = 2;
		if (!digits_at(&text, 2, 1, 31, &tm.tm_mday))
			return false;
	}
	if (part == 2 && separator_at(&text, "Tt")) {
		part = 3;
		if (!digits_at(&text, 2, 0, 23, &tm.tm_hour))
			return false;
	}
	if (part == 3 && separator_at(&text, ":-")) {
		part = 4;
		if (!digits_at(&text, 2, 0, 59, &tm.tm_min))
			return false;
	}
	if (part == 4 && separator_at(&text, ":-")) {
		part = 5;
		if (!digits_at(&text, 2, 0, 59, &tm.tm_sec))
			return false;
	}
	if (part >= 3)
		separator_at(&text, "Zz");
	if (*text)
		return false;
	next = tm;
	*from = timegm(&tm);
	if (tm.tm_mday != next.tm_mday) /* the 31st of a month that has none */
		return false;
	next.tm_year += part == 0;
	next.tm_mon += part == 1;
	next.tm_mday += part == 2;
	next.tm_hour += part == 3;
	next.tm_min += part == 4;
	next.tm_sec += part == 5;
	*past = timegm(&next);
	return true;
}

static int term_time(struct term *term, const char *value, int64_t now, struct err *err)
{
	int64_t from, past;

	if (!strcasecmp(value, "today") || !strcasecmp(value, "yesterday")) {
		from = day_begin(now) - (strcasecmp(value, "today") ? 86400 : 0);
		past = from + 86400;
	} else if (parse_age(value, now, &from)) {
		past = from + 1;
	} else if (!parse_date(value, &from, &past)) {
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"filter: \"%s\" is no date: give one such as 2026-11-01, today, yesterday, 24h or 7d",
			value);
	}
	term->time = term->key == KEY_SINCE ? from : past;
	return 0;
}

/* ---- parsing -------------------------------------------------------------------------------- */

/* The next word of the filter without its quotes; quoted: from where on it was within quotes (or its
 * length). Returns false at the end. */
static bool next_word(const char **text, struct strbuf *word, size_t *quoted)
{
	bool inside = false;
	const char *at = *text + strspn(*text, " \t\r\n");

	word->length = 0;
	strbuf_add(word, "");
	*quoted = SIZE_MAX;
	if (!*at)
		return false;
	for (; *at && (inside || !strchr(" \t\r\n", *at)); at++) {
		if (*at == '"') {
			if (*quoted == SIZE_MAX)
				*quoted = word->length;
			inside = !inside;
		} else {
			strbuf_add_bytes(word, at, 1);
		}
	}
	*text = at;
	return true;
}

/* Which of the lists a value must be from; NULL: any text. */
static const char *const *allowed_values(enum key key)
{
	return key == KEY_OUTCOME ? outcomes : key == KEY_IS ? kinds : NULL;
}

static int check_value(enum key key, const char *value, struct err *err)
{
	const char *const *allowed = allowed_values(key);
	char list[160] = "";

	if (!*value)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"filter: %s: needs something behind the colon", key_names[key]);
	for (size_t i = 0; allowed && allowed[i]; i++) {
		if (!strcasecmp(allowed[i], value))
			return 0;
		str_append(list, sizeof(list), "%s%s", i ? ", " : "", allowed[i]);
	}
	return allowed ? err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "filter: %s:%s is none of %s",
				 key_names[key], value, list)
		       : 0;
}

static int term_values(struct term *term, const char *text, struct err *err)
{
	const bool split = term->key != KEY_ANY && term->key != KEY_NOTE;
	int rc = 0;

	term->values = mem_strdup(text);
	term->value_count = 1;
	for (char *at = term->values; split && *at; at++) {
		if (*at == ',') {
			*at = '\0';
			term->value_count++;
		}
	}
	const char *value = term->values;

	for (size_t i = 0; i < term->value_count && !rc; i++, value += strlen(value) + 1)
		rc = check_value(term->key, value, err);
	return rc;
}

static enum key find_key(const char *word, size_t length)
{
	int key = KEY_ID;

	while (key < KEY_COUNT &&
		(strlen(key_names[key]) != length || strncasecmp(key_names[key], word, length)))
		key++;
	return (enum key)key;
}

/* "worklaod:sql" is a slip, "demo:p4510" is a word with a colon in it. */
static int slip(const char *word, size_t length, struct err *err)
{
	char name[32];
	const char *nearest;

	if (length >= sizeof(name) || length < 2)
		return 0;
	str_format(name, sizeof(name), "%.*s", (int)length, word);
	nearest = str_nearest(name, key_names + 1, KEY_COUNT - 1);
	return nearest
		? err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			  "filter: there is no %s: to look for; did you mean %s:?", name, nearest)
		: 0;
}

static int parse_term(
	struct term *term, const char *word, size_t quoted, int64_t now, struct err *err)
{
	const char *colon;
	int rc = 0;

	if (quoted > 0 && (*word == '-' || *word == '!') && word[1]) {
		term->negated = true;
		word++;
		quoted -= quoted != SIZE_MAX;
	}
	colon = strchr(word, ':');
	if (colon && colon > word && (size_t)(colon - word) < quoted) {
		term->key = find_key(word, (size_t)(colon - word));
		if (term->key == KEY_COUNT) {
			term->key = KEY_ANY;
			rc = slip(word, (size_t)(colon - word), err);
		} else {
			word = colon + 1;
		}
	}
	if (!rc)
		rc = term_values(term, word, err);
	if (!rc && (term->key == KEY_SINCE || term->key == KEY_UNTIL))
		rc = term_time(term, word, now, err);
	return rc;
}

int filter_parse(const char *text, int64_t now, struct run_filter **out, struct err *err)
{
	struct run_filter *filter = mem_alloc(sizeof(*filter));
	struct strbuf word = {0};
	size_t quoted;
	int rc = 0;

	*out = NULL;
	while (!rc && next_word(&text, &word, &quoted)) {
		struct term term = {.key = KEY_ANY};

		if (!word.length)
			continue;
		rc = parse_term(&term, word.text, quoted, now, err);
		filter->terms =
			mem_realloc(filter->terms, (filter->count + 1) * sizeof(*filter->terms));
		filter->terms[filter->count++] = term;
	}
	strbuf_free(&word);
	if (rc)
		filter_free(filter);
	else
		*out = filter;
	return rc;
}

/* ---- matching ------------------------------------------------------------------------------- */

static bool has(const char *text, const char *part)
{
	return str_find_nocase(text, part) != NULL;
}

static const char *outcome_of(const struct store_entry *entry)
{
	if (*entry->fault)
		return "unreadable";
	if (entry->running)
		return "running";
	return run_outcome_name(entry->outcome);
}

static bool fits_outcome(const struct store_entry *entry, const char *value)
{
	return !strcasecmp(value, "partial") ? entry->partial
					     : !strcasecmp(value, outcome_of(entry));
}

static bool fits_kind(const struct store_entry *entry, const char *value)
{
	if (!strcasecmp(value, "simulated"))
		return entry->simulated;
	if (!strcasecmp(value, "real"))
		return !entry->simulated && !*entry->fault;
	if (!strcasecmp(value, "partial"))
		return entry->partial;
	if (!strcasecmp(value, "running"))
		return entry->running;
	if (!strcasecmp(value, "tagged"))
		return entry->marks.tag_count > 0;
	return entry->marks.note[0] != '\0';
}

static bool any_tag_has(const struct store_entry *entry, const char *part)
{
	for (size_t i = 0; i < entry->marks.tag_count; i++)
		if (has(entry->marks.tags[i], part))
			return true;
	return false;
}

static bool fits_anywhere(const struct store_entry *entry, const char *word)
{
	return has(entry->id, word) || has(entry->workload, word) || has(entry->method, word) ||
		has(entry->target, word) || has(entry->model, word) ||
		has(outcome_of(entry), word) || (entry->partial && has("partial", word)) ||
		(entry->simulated && has("simulated", word)) || any_tag_has(entry, word) ||
		has(entry->marks.note, word);
}

static bool fits_value(const struct term *term, const struct store_entry *entry, const char *value)
{
	switch (term->key) {
	case KEY_ID:
		return has(entry->id, value);
	case KEY_TARGET:
		return has(entry->target, value);
	case KEY_MODEL:
		return has(entry->model, value);
	case KEY_WORKLOAD:
		return has(entry->workload, value);
	case KEY_METHOD:
		return has(entry->method, value);
	case KEY_TAG:
		return marks_have_tag(&entry->marks, value);
	case KEY_NOTE:
		return has(entry->marks.note, value);
	case KEY_OUTCOME:
		return fits_outcome(entry, value);
	case KEY_IS:
		return fits_kind(entry, value);
	case KEY_SINCE:
		return entry->started >= term->time;
	case KEY_UNTIL:
		return entry->started < term->time;
	case KEY_ANY:
	case KEY_COUNT:
		break;
	}
	return fits_anywhere(entry, value);
}

bool filter_fits(const struct run_filter *filter, const struct store_entry *entry)
{
	for (size_t i = 0; filter && i < filter->count; i++) {
		const struct term *term = &filter->terms[i];
		const char *value = term->values;
		bool fits = false;

		for (size_t v = 0; v < term->value_count && !fits; v++, value += strlen(value) + 1)
			fits = fits_value(term, entry, value);
		if (fits == term->negated)
			return false;
	}
	return true;
}

size_t filter_apply(const struct run_filter *filter, struct store_entry *entries, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!filter_fits(filter, &entries[i]))
			continue;
		if (kept != i)
			entries[kept] = entries[i];
		kept++;
	}
	return kept;
}
