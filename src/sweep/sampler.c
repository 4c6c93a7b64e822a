/* Temperature, link and SMART beside the I/O. */
#include "sweep/sampler.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"

#define PERIOD_NS UINT64_C(1000000000)
#define NSID_ALL 0xffffffffu

struct watched {
	char name[32];
	bool environment_out; /* a job is under way */
	uint64_t asked_ns;
	double temperature_c; /* NaN unknown */
	bool smart_out, smart_known;
	uint64_t smart_round; /* answers of earlier rounds come too late */
	struct smart smart;
};

struct sampler {
	struct jobs_client *client; /* NULL: nothing can be asked */
	struct transport *transport;
	struct watched *watched;
	size_t count;
	uint64_t smart_round;
	char link_fault[128];
};

/* A question on its way; owns everything it needs, as it may outlive the sampler. */
struct question {
	struct job job; /* first */
	struct transport *transport;
	char controller[32];
	bool wants_smart, answered;
	uint64_t smart_round;
	struct environment environment;
	struct smart smart;
};

static void read_smart(struct question *q)
{
	uint8_t bytes[NVME_SMART_BYTES];
	struct page page = {bytes, 0};

	/* Some firmware answers with an empty page when events are to be retained: once more
	 * without. */
	for (int retain = 1; retain >= 0; retain--) {
		const struct log_request request = {.log_id = NVME_LOG_SMART,
			.nsid = NSID_ALL,
			.retain_event = retain,
			.length = sizeof(bytes)};
		struct nvme_status status;
		struct err err;

		err_clear(&err);
		memset(bytes, 0, sizeof(bytes));
		page.length = 0;
		if (q->transport->ops->get_log(q->transport, q->controller, &request, bytes,
			    &page.length, &status, &err))
			return;
		if (!smart_page_empty(&page)) {
			q->answered = !smart_decode(&page, &q->smart);
			return;
		}
	}
}

static void question_run(struct job *job)
{
	struct question *q = (void *)job; /* its first member */

	if (q->wants_smart) {
		read_smart(q);
		return;
	}
	if (q->transport)
		q->transport->ops->environment(q->transport, q->controller, &q->environment);
	else
		environment_read("", q->controller, &q->environment);
	q->answered = true;
}

static void question_discard(struct job *job)
{
	free(job);
}

struct sampler *sampler_create(struct jobs *jobs, struct transport *transport,
	const char *const *controllers, size_t count)
{
	struct sampler *sampler = mem_alloc(sizeof(*sampler));

	sampler->transport = transport;
	sampler->watched = mem_alloc((count + 1) * sizeof(*sampler->watched));
	for (size_t i = 0; i < count; i++) {
		bool known = !controllers[i][0];

		for (size_t k = 0; k < sampler->count; k++)
			known = known || !strcmp(sampler->watched[k].name, controllers[i]);
		if (known)
			continue;
		struct watched *w = &sampler->watched[sampler->count++];

		str_copy(w->name, sizeof(w->name), controllers[i]);
		w->temperature_c = NAN;
	}
	if (jobs && sampler->count && jobs_client_open(jobs, &sampler->client, NULL))
		sampler->client = NULL;
	return sampler;
}

void sampler_destroy(struct sampler *sampler)
{
	if (!sampler)
		return;
	if (sampler->client)
		jobs_client_close(sampler->client);
	free(sampler->watched);
	free(sampler);
}

static bool ask(struct sampler *sampler, struct watched *w, bool wants_smart)
{
	struct question *q = mem_alloc(sizeof(*q));

	q->job.run = question_run;
	q->job.discard = question_discard;
	q->transport = sampler->transport;
	q->wants_smart = wants_smart;
	q->smart_round = sampler->smart_round;
	str_copy(q->controller, sizeof(q->controller), w->name);
	if (!jobs_submit(sampler->client, w->name, &q->job, NULL))
		return true;
	free(q);
	return false;
}

static void note_link(struct sampler *sampler, const char *name, const struct environment *env)
{
	char now[32], most[32];

	if (sampler->link_fault[0] || !environment_link_narrowed(env))
		return;
	environment_link_text(env->link_gts, env->link_width, now, sizeof(now));
	environment_link_text(env->link_max_gts, env->link_max_width, most, sizeof(most));
	str_format(sampler->link_fault, sizeof(sampler->link_fault),
		"the link of %s runs at %s, the drive can %s", name, now, most);
}

static void take_environment(
	struct sampler *sampler, struct watched *w, const struct environment *env)
{
	w->temperature_c = NAN;
	/* The first sensor is the composite one. */
	if (env->sensor_count && env->sensors[0].value_mc.reported)
		w->temperature_c = (double)env->sensors[0].value_mc.value / 1000;
	note_link(sampler, w->name, env);
}

static void take_answer(struct sampler *sampler, struct question *q)
{
	struct watched *w = NULL;

	for (size_t i = 0; i < sampler->count; i++)
		if (!strcmp(sampler->watched[i].name, q->controller))
			w = &sampler->watched[i];
	if (!w)
		return;
	if (q->wants_smart) {
		if (q->smart_round != w->smart_round)
			return;
		w->smart_out = false;
		w->smart_known = q->answered;
		w->smart = q->smart;
		return;
	}
	w->environment_out = false;
	take_environment(sampler, w, &q->environment);
}

static void collect(struct sampler *sampler)
{
	struct job *job;

	while ((job = jobs_collect(sampler->client))) {
		take_answer(sampler, (void *)job);
		free(job);
	}
}

void sampler_tick(struct sampler *sampler)
{
	const uint64_t now = clock_monotonic_ns();

	if (!sampler->client)
		return;
	collect(sampler);
	for (size_t i = 0; i < sampler->count; i++) {
		struct watched *w = &sampler->watched[i];

		if (w->environment_out || (w->asked_ns && now - w->asked_ns < PERIOD_NS))
			continue;
		w->asked_ns = now;
		w->environment_out = ask(sampler, w, false);
	}
}

void sampler_read_simulated(struct sampler *sampler)
{
	struct environment env;

	if (!sampler->transport || !sampler->transport->ops->simulated)
		return;
	for (size_t i = 0; i < sampler->count; i++) {
		struct watched *w = &sampler->watched[i];

		sampler->transport->ops->environment(sampler->transport, w->name, &env);
		take_environment(sampler, w, &env);
	}
}

double sampler_temperature(const struct sampler *sampler)
{
	double highest = NAN;

	for (size_t i = 0; i < sampler->count; i++)
		highest = fmax(highest, sampler->watched[i].temperature_c);
	return highest;
}

const char *sampler_link_fault(const struct sampler *sampler)
{
	return sampler->link_fault;
}

void sampler_ask_smart(struct sampler *sampler)
{
	sampler->smart_round++;
	for (size_t i = 0; i < sampler->count; i++) {
		struct watched *w = &sampler->watched[i];
		const bool was_out = w->smart_out;

		w->smart_known = false;
		if (!sampler->client || !sampler->transport || !sampler->transport->ops->live)
			continue;
		/* A command that did not come back is not sent again. */
		if (was_out)
			continue;
		w->smart_round = sampler->smart_round;
		w->smart_out = ask(sampler, w, true);
	}
}

static bool all_answered(const struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->count; i++)
		if (sampler->watched[i].smart_out)
			return false;
	return true;
}

void sampler_wait_smart(
	struct sampler *sampler, unsigned timeout_ms, bool (*cancelled)(void *user), void *user)
{
	const uint64_t until = clock_monotonic_ns() + (uint64_t)timeout_ms * 1000000;

	if (!sampler->client)
		return;
	for (;;) {
		const uint64_t now = clock_monotonic_ns();
		struct pollfd wake = {.fd = jobs_client_fd(sampler->client), .events = POLLIN};

		collect(sampler);
		if (all_answered(sampler) || now >= until || (cancelled && cancelled(user)))
			return;
		const uint64_t left_ms = (until - now + 999999) / 1000000;

		poll(&wake, 1, left_ms < 100 ? (int)left_ms : 100);
	}
}

bool sampler_smart(const struct sampler *sampler, const char *controller, struct smart *out)
{
	for (size_t i = 0; i < sampler->count; i++) {
		const struct watched *w = &sampler->watched[i];

		if (strcmp(w->name, controller) || !w->smart_known)
			continue;
		*out = w->smart;
		return true;
	}
	return false;
}

unsigned sampler_kernel_workers(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	unsigned count = 0;

	while (tasks && (task = readdir(tasks))) {
		char path[300], name[32];

		if (task->d_name[0] == '.')
			continue;
		str_format(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
		if (!file_read_text(path, name, sizeof(name)) && str_starts_with(name, "iou-wrk"))
			count++;
	}
	if (tasks)
		closedir(tasks);
	return count;
}
