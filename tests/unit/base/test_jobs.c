/* Hand-over between threads: the mailbox and the jobs. Run with SAN=tsan too. Nothing here waits for
 * wall time: a stuck job is one that waits for a descriptor. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/jobs.h"
#include "base/mailbox.h"

static atomic_int boxes_made, boxes_freed;

static void *new_number(uintptr_t n)
{
	uintptr_t *value = malloc(sizeof(*value));

	*value = n;
	atomic_fetch_add(&boxes_made, 1);
	return value;
}

static void free_number(void *value)
{
	atomic_fetch_add(&boxes_freed, 1);
	free(value);
}

static bool readable(int fd, int timeout_ms)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};

	return poll(&wait, 1, timeout_ms) == 1;
}

static void mailbox_keeps_the_last(void **state)
{
	struct mailbox box;
	uintptr_t *got;

	(void)state;
	atomic_store(&boxes_made, 0);
	atomic_store(&boxes_freed, 0);
	assert_int_equal(mailbox_init(&box, free_number, NULL), 0);
	assert_null(mailbox_take(&box));
	assert_false(readable(box.fd, 0));
	mailbox_post(&box, new_number(1));
	mailbox_post(&box, new_number(2));
	assert_int_equal(boxes_freed, 1);
	assert_true(readable(box.fd, 0));
	got = mailbox_take(&box);
	assert_int_equal(*got, 2);
	assert_false(readable(box.fd, 0));
	assert_null(mailbox_take(&box));
	free_number(got);
	mailbox_post(&box, new_number(3));
	mailbox_close(&box);
	assert_int_equal(boxes_freed, 3);
	assert_int_equal(box.fd, -1);
}

#define POSTS 20000

static void *post_many(void *data)
{
	for (uintptr_t i = 1; i <= POSTS; i++)
		mailbox_post(data, new_number(i));
	return NULL;
}

static void mailbox_between_threads(void **state)
{
	struct mailbox box;
	uintptr_t last = 0;
	pthread_t producer;

	(void)state;
	atomic_store(&boxes_made, 0);
	atomic_store(&boxes_freed, 0);
	assert_int_equal(mailbox_init(&box, free_number, NULL), 0);
	assert_int_equal(pthread_create(&producer, NULL, post_many, &box), 0);
	while (last < POSTS) {
		uintptr_t *got;

		/* no wake-up may be lost: the last value always arrives */
		assert_true(readable(box.fd, 60000));
		got = mailbox_take(&box);
		if (!got)
			continue;
		assert_true(*got > last);
		last = *got;
		free_number(got);
	}
	pthread_join(producer, NULL);
	mailbox_close(&box);
	assert_int_equal(boxes_made, POSTS);
	assert_int_equal(boxes_freed, POSTS);
}

struct test_job {
	struct job job; /* first: the callbacks get its address */
	int number;
	pthread_t thread;
	int gate[2]; /* a stuck job reads from it */
	atomic_int runs, discards;
};

static void run_quick(struct job *job)
{
	struct test_job *t = (struct test_job *)job;

	t->thread = pthread_self();
	atomic_fetch_add(&t->runs, 1);
}

static void run_stuck(struct job *job)
{
	struct test_job *t = (struct test_job *)job;
	char byte;

	atomic_fetch_add(&t->runs, 1);
	while (read(t->gate[0], &byte, 1) < 0 && errno == EINTR)
		;
}

static void count_discard(struct job *job)
{
	atomic_fetch_add(&((struct test_job *)job)->discards, 1);
}

static void job_init(struct test_job *t, void (*run)(struct job *), int number)
{
	memset(t, 0, sizeof(*t));
	t->job.run = run;
	t->job.discard = count_discard;
	t->number = number;
	if (run == run_stuck)
		assert_int_equal(pipe(t->gate), 0);
}

static void job_release(struct test_job *t)
{
	assert_int_equal(write(t->gate[1], "x", 1), 1);
}

/* The tests' only kind of waiting: until another thread says so. */
static void wait_for(const atomic_int *what, int value)
{
	while (atomic_load(what) < value)
		usleep(200);
}

static struct test_job *collect(struct jobs_client *client)
{
	assert_true(readable(jobs_client_fd(client), 60000));
	return (struct test_job *)jobs_collect(client);
}

static void jobs_of_a_key_run_in_order(void **state)
{
	struct jobs_client *client;
	struct test_job job[50];
	struct jobs *jobs;

	(void)state;
	assert_int_equal(jobs_create(&jobs, NULL), 0);
	assert_int_equal(jobs_client_open(jobs, &client, NULL), 0);
	assert_null(jobs_collect(client));
	for (int i = 0; i < 50; i++) {
		char key[8] = "nvme0";

		job_init(&job[i], run_quick, i);
		/* the key is copied */
		assert_int_equal(jobs_submit(client, key, &job[i].job, NULL), 0);
		memset(key, 'x', sizeof(key) - 1);
		assert_int_equal(job[i].job.id, i + 1);
	}
	for (int i = 0; i < 50; i++) {
		struct test_job *done = collect(client);

		assert_int_equal(done->number, i);
		assert_int_equal(done->runs, 1);
		assert_true(pthread_equal(done->thread, job[0].thread));
		assert_true(done->job.started_ns >= done->job.submitted_ns);
		assert_true(done->job.submitted_ns > 0);
	}
	assert_null(jobs_collect(client));
	assert_false(readable(jobs_client_fd(client), 0));
	assert_int_equal(jobs_busy_ns(jobs, "nvme0"), 0);
	assert_int_equal(jobs_busy_ns(jobs, "unknown"), 0);
	jobs_client_close(client);
	jobs_destroy(jobs);
	for (int i = 0; i < 50; i++)
		assert_int_equal(job[i].discards, 0);
	jobs_destroy(NULL);
	jobs_client_close(NULL);
}

static void a_stuck_key_stops_nobody_else(void **state)
{
	struct test_job stuck, behind, other, again;
	struct jobs_client *client, *second;
	struct jobs *jobs;

	(void)state;
	job_init(&stuck, run_stuck, 1);
	job_init(&behind, run_quick, 2);
	job_init(&other, run_quick, 3);
	job_init(&again, run_quick, 4);
	assert_int_equal(jobs_create(&jobs, NULL), 0);
	assert_int_equal(jobs_client_open(jobs, &client, NULL), 0);
	assert_int_equal(jobs_client_open(jobs, &second, NULL), 0);
	assert_int_equal(jobs_submit(client, "nvme0", &stuck.job, NULL), 0);
	assert_int_equal(jobs_submit(client, "nvme0", &behind.job, NULL), 0);
	wait_for(&stuck.runs, 1);
	assert_true(jobs_busy_ns(jobs, "nvme0") > 0);
	assert_int_equal(jobs_submit(client, "nvme1", &other.job, NULL), 0);
	assert_ptr_equal(collect(client), &other);
	assert_int_equal(jobs_submit(second, "nvme2", &again.job, NULL), 0);
	assert_ptr_equal(collect(second), &again);
	assert_int_equal(behind.runs, 0);
	assert_null(jobs_collect(client));
	job_release(&stuck);
	assert_ptr_equal(collect(client), &stuck);
	assert_ptr_equal(collect(client), &behind);
	jobs_client_close(client);
	jobs_client_close(second);
	jobs_destroy(jobs);
}

static void closing_a_client_while_its_job_runs(void **state)
{
	struct test_job stuck, queued, kept, done;
	struct jobs_client *client, *second;
	struct jobs *jobs;

	(void)state;
	job_init(&stuck, run_stuck, 1);
	job_init(&queued, run_quick, 2);
	job_init(&kept, run_quick, 3);
	job_init(&done, run_quick, 4);
	assert_int_equal(jobs_create(&jobs, NULL), 0);
	assert_int_equal(jobs_client_open(jobs, &client, NULL), 0);
	assert_int_equal(jobs_client_open(jobs, &second, NULL), 0);
	assert_int_equal(jobs_submit(client, "k", &stuck.job, NULL), 0);
	assert_int_equal(jobs_submit(client, "k", &queued.job, NULL), 0);
	assert_int_equal(jobs_submit(second, "k", &kept.job, NULL), 0);
	assert_int_equal(jobs_submit(client, "l", &done.job, NULL), 0);
	wait_for(&stuck.runs, 1);
	assert_true(readable(jobs_client_fd(client), 60000));
	jobs_client_close(client);
	/* queued and uncollected at once, the running one later */
	assert_int_equal(queued.discards, 1);
	assert_int_equal(done.discards, 1);
	assert_int_equal(stuck.discards, 0);
	job_release(&stuck);
	wait_for(&stuck.discards, 1);
	/* the key goes on for others */
	assert_ptr_equal(collect(second), &kept);
	assert_int_equal(queued.runs, 0);
	assert_int_equal(kept.discards, 0);
	jobs_client_close(second);
	jobs_destroy(jobs);
	assert_int_equal(stuck.discards, 1);
}

/* Static, because a thread that never ends keeps using them. */
static struct test_job forever, late;

static void a_stuck_job_does_not_hold_the_end(void **state)
{
	struct test_job waiting;
	struct jobs_client *client;
	struct jobs *jobs;

	(void)state;
	job_init(&forever, run_stuck, 1);
	job_init(&late, run_stuck, 2);
	job_init(&waiting, run_quick, 3);
	assert_int_equal(jobs_create(&jobs, NULL), 0);
	assert_int_equal(jobs_client_open(jobs, &client, NULL), 0);
	assert_int_equal(jobs_submit(client, "a", &forever.job, NULL), 0);
	assert_int_equal(jobs_submit(client, "b", &late.job, NULL), 0);
	assert_int_equal(jobs_submit(client, "a", &waiting.job, NULL), 0);
	wait_for(&forever.runs, 1);
	wait_for(&late.runs, 1);
	jobs_client_close(client);
	assert_int_equal(waiting.discards, 1);
	jobs_destroy(jobs);
	/* one comes back after all: it must end quietly and touch nothing of the program */
	job_release(&late);
	usleep(20000);
	assert_int_equal(late.discards, 0);
	assert_int_equal(forever.discards, 0);
	assert_int_equal(waiting.runs, 0);
}

/* Without closing the client first, what is queued is still discarded once. */
static void destroy_discards_what_is_queued(void **state)
{
	struct test_job stuck, waiting;
	struct jobs_client *client;
	struct jobs *jobs;

	(void)state;
	job_init(&stuck, run_stuck, 1);
	job_init(&waiting, run_quick, 2);
	assert_int_equal(jobs_create(&jobs, NULL), 0);
	assert_int_equal(jobs_client_open(jobs, &client, NULL), 0);
	assert_int_equal(jobs_submit(client, "a", &stuck.job, NULL), 0);
	assert_int_equal(jobs_submit(client, "a", &waiting.job, NULL), 0);
	wait_for(&stuck.runs, 1);
	job_release(&stuck);
	assert_ptr_equal(collect(client), &stuck);
	/* now waiting may or may not have run: close settles it */
	jobs_client_close(client);
	jobs_destroy(jobs);
	assert_true(waiting.discards <= 1);
	assert_true(waiting.runs == 1 || waiting.discards == 1);
}

struct submitter {
	struct jobs *jobs;
	int failures;
};

static void *submit_and_collect(void *data)
{
	struct submitter *self = data;
	struct jobs_client *client;
	struct test_job job[200];
	int collected = 0;

	if (jobs_client_open(self->jobs, &client, NULL) < 0)
		return NULL;
	for (int i = 0; i < 200; i++) {
		const char *key = (const char *const[]){"nvme0", "nvme1", "nvme2"}[i % 3];

		memset(&job[i], 0, sizeof(job[i]));
		job[i].job.run = run_quick;
		job[i].job.discard = count_discard;
		self->failures += jobs_submit(client, key, &job[i].job, NULL) < 0;
	}
	while (collected < 150 && readable(jobs_client_fd(client), 60000)) {
		while (collected < 150 && jobs_collect(client))
			collected++;
	}
	self->failures += collected != 150;
	/* a job of this client may be running at this moment: it lives on our stack, so wait */
	for (int i = 0; i < 200; i++)
		wait_for(&job[i].runs, 1);
	while (collected < 200 && readable(jobs_client_fd(client), 60000)) {
		if (jobs_collect(client))
			collected++;
	}
	self->failures += collected != 200;
	jobs_client_close(client);
	return NULL;
}

static void many_clients_at_once(void **state)
{
	struct submitter self[4];
	pthread_t threads[4];
	struct jobs *jobs;

	(void)state;
	assert_int_equal(jobs_create(&jobs, NULL), 0);
	for (int i = 0; i < 4; i++) {
		self[i] = (struct submitter){.jobs = jobs};
		assert_int_equal(
			pthread_create(&threads[i], NULL, submit_and_collect, &self[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(self[i].failures, 0);
	}
	jobs_destroy(jobs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mailbox_keeps_the_last),
		cmocka_unit_test(mailbox_between_threads),
		cmocka_unit_test(jobs_of_a_key_run_in_order),
		cmocka_unit_test(a_stuck_key_stops_nobody_else),
		cmocka_unit_test(closing_a_client_while_its_job_runs),
		cmocka_unit_test(destroy_discards_what_is_queued),
		cmocka_unit_test(many_clients_at_once),
		/* last: it leaves a stuck thread behind */
		cmocka_unit_test(a_stuck_job_does_not_hold_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
