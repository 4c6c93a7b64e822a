/* The folder of saved runs: list, find, load, save. */
#include "result/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "result/fields.h"
#include "result/journal.h"
#include "result/run_json.h"

#define RESULT_MAX ((size_t)512 << 20)
#define HEAD_BYTES 12288 /* the summary stands in here */

int store_folder_name(const char *configured, char *buf, size_t size, struct err *err)
{
	char state[512];
	int rc;

	if (configured && configured[0]) {
		if (str_copy(buf, size, configured) >= size)
			return err_set(err, -ENAMETOOLONG, "the runs folder's name is too long");
	} else {
		rc = file_state_dir(state, sizeof(state), err);
		if (rc)
			return rc;
		if (str_format(buf, size, "%s/runs", state) + 1 >= size)
			return err_set(err, -ENAMETOOLONG, "the runs folder's name is too long");
	}
	return 0;
}

int store_folder(const char *configured, char *buf, size_t size, struct err *err)
{
	const int rc = store_folder_name(configured, buf, size, err);

	return rc ? rc : file_make_dirs(buf, err);
}

static void entry_clear(struct store_entry *entry)
{
	*entry = (struct store_entry){
		.outcome = RUN_ABORTED, .peak_iops = NAN, .peak_mib_s = NAN, .peak_mean_ns = NAN};
}

static void entry_of_run(const struct run *run, struct store_entry *entry)
{
	const int peak = run->has_analysis ? run->analysis.peak : -1;

	str_copy(entry->id, sizeof(entry->id), run->id);
	entry->started = run->started;
	entry->ended = run->ended;
	str_copy(entry->workload, sizeof(entry->workload), run->workload);
	str_copy(entry->method, sizeof(entry->method), run->method);
	str_copy(entry->target, sizeof(entry->target),
		run->target_count ? run->targets[0].name : "-");
	str_copy(
		entry->model, sizeof(entry->model), run->target_count ? run->targets[0].model : "");
	entry->outcome = run->outcome;
	entry->simulated = run->simulated;
	entry->marks = run->marks;
	entry->point_count = (uint32_t)run->point_count;
	if (peak < 0 || (size_t)peak >= run->point_count)
		return;
	entry->peak_iops = run->points[peak].iops;
	entry->peak_mib_s = run->points[peak].mib_s;
	entry->peak_mean_ns = run->points[peak].service.mean;
}

/* The "summary" object that stands near the start of every result: found by its braces, so that
 * megabytes of histograms need not be parsed for a list. Returns NULL when it is not there. */
static struct json *parse_summary(const char *text, size_t length)
{
	static const char key[] = "\"summary\"";
	const char *at = memmem(text, length, key, sizeof(key) - 1), *end = text + length, *begin;
	bool in_string = false;
	struct json *json = NULL;
	int depth = 0;

	if (!at)
		return NULL;
	begin = memchr(at, '{', (size_t)(end - at));
	for (at = begin; at && at < end; at++) {
		if (in_string) {
			if (*at == '\\')
				at++;
			else if (*at == '"')
				in_string = false;
			continue;
		}
		if (*at == '"')
			in_string = true;
		else if (*at == '{')
			depth++;
		else if (*at == '}' && --depth == 0) {
			if (json_parse("summary", begin, (size_t)(at + 1 - begin), &json, NULL))
				return NULL;
			return json;
		}
	}
	return NULL;
}

static int entry_of_summary(const struct json *json, struct store_entry *entry)
{
	struct fields f = {0, NULL};
	char outcome[16] = "aborted";

	fields_string(&f, json, "run_id", entry->id, sizeof(entry->id));
	fields_time(&f, json, "started", &entry->started);
	fields_time(&f, json, "ended", &entry->ended);
	fields_string(&f, json, "workload", entry->workload, sizeof(entry->workload));
	fields_string(&f, json, "method", entry->method, sizeof(entry->method));
	fields_string(&f, json, "target", entry->target, sizeof(entry->target));
	fields_string(&f, json, "model", entry->model, sizeof(entry->model));
	fields_string(&f, json, "outcome", outcome, sizeof(outcome));
	entry->outcome = run_outcome_parse(outcome);
	fields_bool(&f, json, "simulated", &entry->simulated);
	fields_u32(&f, json, "points", &entry->point_count);
	fields_double(&f, json, "peak_iops", &entry->peak_iops);
	fields_double(&f, json, "peak_mib_s", &entry->peak_mib_s);
	fields_us(&f, json, "peak_mean_us", &entry->peak_mean_ns);
	marks_from_json(json, &entry->marks);
	return f.code;
}

static int read_json(const char *path, struct json **out, struct err *err)
{
	size_t length;
	char *text;
	int rc = file_read(path, RESULT_MAX, &text, &length, err);

	if (rc)
		return rc;
	rc = json_parse(path, text, length, out, err);
	free(text);
	return rc;
}

static int load_json(const char *path, struct run **out, struct err *err)
{
	struct json *json = NULL;
	int rc = read_json(path, &json, err);

	if (rc)
		return rc;
	rc = run_from_json(path, json, out, err);
	json_free(json);
	return rc;
}

/* Lists have the file's place already: what is wrong with it must not be what is cut. */
static void note_fault(struct store_entry *entry, const struct err *err)
{
	const char *slash = strrchr(entry->path, '/'), *text = err->text;

	if (slash && str_starts_with(text, entry->path))
		text += slash + 1 - entry->path;
	str_sanitize_utf8(entry->fault, sizeof(entry->fault), text);
}

static void read_result(struct store_entry *entry)
{
	char head[HEAD_BYTES];
	struct json *summary = NULL;
	struct run *run = NULL;
	struct err err;
	const int fd = open(entry->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0) {
		const ssize_t n = read(fd, head, sizeof(head));

		/* Only of a document that this version understands. */
		if (n > 0 && memmem(head, (size_t)n, "\"" RUN_SCHEMA "\"", strlen(RUN_SCHEMA) + 2))
			summary = parse_summary(head, (size_t)n);
		close(fd);
	}
	if (summary) {
		const int rc = entry_of_summary(summary, entry);

		json_free(summary);
		if (!rc)
			return;
	}
	err_clear(&err);
	if (load_json(entry->path, &run, &err)) {
		note_fault(entry, &err);
		return;
	}
	entry_of_run(run, entry);
	run_free(run);
}

static void read_journal(struct store_entry *entry)
{
	struct run *run = NULL;
	struct err err;

	err_clear(&err);
	const int rc = journal_recover(entry->path, &run, &err);

	entry->running = rc == -EBUSY;
	entry->partial = !entry->running;
	if (!run) {
		note_fault(entry, &err);
		return;
	}
	entry_of_run(run, entry);
	run_free(run);
}

static int newest_first(const void *a, const void *b)
{
	const struct store_entry *x = a, *y = b;

	if (x->started != y->started)
		return x->started < y->started ? 1 : -1;
	if (x->written_ns != y->written_ns)
		return x->written_ns < y->written_ns ? 1 : -1;
	return strcmp(y->id, x->id);
}

/* A name without its ending; false when it is another kind of file. */
static bool split_name(const char *name, const char *ending, char *stem, size_t size)
{
	const size_t length = strlen(name), tail = strlen(ending);

	if (name[0] == '.' || length <= tail || strcmp(name + length - tail, ending))
		return false;
	str_copy(stem, size, name);
	if (length - tail < size)
		stem[length - tail] = '\0';
	return true;
}

static bool describe_file(const char *folder, const char *name, struct store_entry *entry)
{
	char stem[256], result[1024];
	struct stat st;

	entry_clear(entry);
	if (str_format(entry->path, sizeof(entry->path), "%s/%s", folder, name) + 1 >=
		sizeof(entry->path))
		return false;
	const bool journal = split_name(name, ".journal", stem, sizeof(stem));

	if (!journal && !split_name(name, ".json", stem, sizeof(stem)))
		return false;
	if (journal) {
		/* Saved, but the program ended before the journal was removed. */
		str_format(result, sizeof(result), "%s/%s.json", folder, stem);
		if (!access(result, F_OK))
			return false;
		read_journal(entry);
	} else {
		read_result(entry);
	}
	if (!entry->id[0])
		str_sanitize_utf8(entry->id, sizeof(entry->id), stem);
	if (!stat(entry->path, &st)) {
		entry->written_ns = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
		if (!entry->started)
			entry->started = st.st_mtime;
	}
	return true;
}

int store_list(const char *folder, struct store_entry **out, size_t *count, struct err *err)
{
	struct store_entry *entries = NULL;
	size_t room = 0;
	DIR *dir = opendir(folder);
	const struct dirent *item;

	*out = NULL;
	*count = 0;
	if (!dir) {
		if (errno == ENOENT)
			return 0;
		return err_set(err, -errno, "cannot read the runs folder %s: %s", folder,
			err_errno_text(errno));
	}
	while ((item = readdir(dir))) {
		if (*count == room) {
			room = room ? 2 * room : 32;
			entries = mem_realloc(entries, room * sizeof(*entries));
		}
		if (describe_file(folder, item->d_name, &entries[*count]))
			(*count)++;
	}
	closedir(dir);
	if (*count)
		qsort(entries, *count, sizeof(*entries), newest_first);
	*out = entries;
	return 0;
}

static int not_found(
	const struct store_entry *entries, size_t count, const char *id, struct err *err)
{
	const char **names = mem_alloc((count + 1) * sizeof(*names));
	const char *nearest;
	int rc;

	for (size_t i = 0; i < count; i++)
		names[i] = entries[i].id;
	nearest = str_nearest(id, names, count);
	rc = err_set_exit(err, ERR_EXIT_USAGE, -ENOENT, "no run \"%s\"%s%s%s", id,
		nearest ? "; the nearest is " : ": see nvsweep results", nearest ? nearest : "",
		"");
	free(names);
	return rc;
}

int store_pick(const struct store_entry *entries, size_t count, const char *id, size_t *index,
	struct err *err)
{
	size_t matches = 0;

	if (!strcmp(id, "last") && count) {
		*index = 0;
		return 0;
	}
	for (size_t i = 0; i < count && id[0]; i++) {
		if (!str_starts_with(entries[i].id, id))
			continue;
		*index = i;
		matches++;
		if (!strcmp(entries[i].id, id)) {
			matches = 1;
			break;
		}
	}
	if (matches > 1)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"\"%s\" fits %zu runs: give more of the name", id, matches);
	return matches ? 0 : not_found(entries, count, id, err);
}

int store_find(const char *folder, const char *id, struct store_entry *out, struct err *err)
{
	struct store_entry *entries;
	size_t count, index;
	int rc = store_list(folder, &entries, &count, err);

	if (rc)
		return rc;
	if (!count)
		rc = err_set_exit(err, ERR_EXIT_USAGE, -ENOENT, "no runs are saved in %s", folder);
	else
		rc = store_pick(entries, count, id, &index, err);
	if (!rc)
		*out = entries[index];
	free(entries);
	return rc;
}

int store_load(const struct store_entry *entry, struct run **out, struct err *err)
{
	if (str_ends_with(entry->path, ".journal")) {
		const int rc = journal_recover(entry->path, out, err);

		return rc == -EBUSY && *out ? 0 : rc;
	}
	return load_json(entry->path, out, err);
}

int store_document(const struct store_entry *entry, struct json **out, struct err *err)
{
	struct run *run = NULL;
	int rc = store_load(entry, &run, err);

	*out = NULL;
	if (rc)
		return rc;
	if (str_ends_with(entry->path, ".journal"))
		*out = run_to_json(run);
	else
		rc = read_json(entry->path, out, err);
	run_free(run);
	return rc;
}

int store_save(const char *folder, const struct run *run, char *path, size_t size, struct err *err)
{
	char name[1024];
	struct json *json;
	char *text;
	int rc;

	if (path && size)
		path[0] = '\0';
	rc = file_make_dirs(folder, err);
	if (rc)
		return rc;
	str_format(name, sizeof(name), "%s/%s.json", folder, run->id);
	json = run_to_json(run);
	text = json_text(json, false);
	json_free(json);
	rc = file_write_atomic(name, text, strlen(text), err);
	free(text);
	if (!rc && path)
		str_copy(path, size, name);
	return rc;
}

/* Standard output may be a pipe that takes a part at a time. */
static int write_out(const char *text, size_t length, struct err *err)
{
	size_t done = 0;

	while (done < length) {
		const ssize_t n = write(STDOUT_FILENO, text + done, length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, -errno, "cannot write to standard output: %s",
				err_errno_text(errno));
		done += (size_t)n;
	}
	return 0;
}

int store_export(const struct run *run, const char *path, struct err *err)
{
	struct json *json = run_to_json(run);
	char *text = json_text(json, true);
	struct strbuf buf = {0};
	int rc;

	json_free(json);
	strbuf_add(&buf, text);
	if (!str_ends_with(buf.text, "\n"))
		strbuf_add(&buf, "\n");
	free(text);
	if (!strcmp(path, "-"))
		rc = write_out(buf.text, buf.length, err);
	else
		rc = file_write_atomic(path, buf.text, buf.length, err);
	strbuf_free(&buf);
	return rc;
}
