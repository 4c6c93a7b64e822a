/* One queue and one thread per key. One lock guards everything here and is held only for list work,
 * never while a job runs, so no silent drive can make it wait. */
#include "base/jobs.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

/* A thread without work for this long ends: keys come and go with hot plug. */
#define JOBS_IDLE_S 30

struct job_list {
	struct job *first, *last;
};

/* A key in use: exists exactly as long as its thread. */
struct jobs_queue {
	struct jobs *jobs;
	char *key;
	struct job_list waiting;
	struct job *running;
	uint64_t running_since_ns;
	pthread_cond_t wake;
	struct jobs_queue *next;
};

struct jobs {
	pthread_mutex_t lock;
	pthread_cond_t left; /* a thread has ended or become the last */
	struct jobs_queue *queues;
	unsigned threads, busy;
	bool ending;    /* jobs_destroy was called */
	bool abandoned; /* and has left: the last thread frees this */
	uint64_t last_id;
};

struct jobs_client {
	struct jobs *jobs;
	int fd;
	struct job_list done;
};

static void list_push(struct job_list *list, struct job *job)
{
	job->next = NULL;
	if (list->last)
		list->last->next = job;
	else
		list->first = job;
	list->last = job;
}

static struct job *list_pop(struct job_list *list)
{
	struct job *job = list->first;

	if (!job)
		return NULL;
	list->first = job->next;
	if (!list->first)
		list->last = NULL;
	job->next = NULL;
	return job;
}

/* Moves the client's jobs (NULL: all) from one list to another. */
static void list_take(struct job_list *from, const struct jobs_client *client, struct job_list *to)
{
	struct job_list kept = {0};
	struct job *job;

	while ((job = list_pop(from)) != NULL)
		list_push(!client || job->client == client ? to : &kept, job);
	*from = kept;
}

static void job_discard(struct job *job)
{
	if (job->discard)
		job->discard(job);
}

static void list_discard(struct job_list *list)
{
	struct job *job;

	while ((job = list_pop(list)) != NULL)
		job_discard(job);
}

int jobs_create(struct jobs **out, struct err *err)
{
	struct jobs *jobs = mem_alloc(sizeof(*jobs));

	(void)err;
	pthread_mutex_init(&jobs->lock, NULL);
	pthread_cond_init(&jobs->left, NULL);
	*out = jobs;
	return 0;
}

static void jobs_free(struct jobs *jobs)
{
	pthread_mutex_unlock(&jobs->lock);
	pthread_cond_destroy(&jobs->left);
	pthread_mutex_destroy(&jobs->lock);
	free(jobs);
}

static void queue_free(struct jobs_queue *queue)
{
	pthread_cond_destroy(&queue->wake);
	free(queue->key);
	free(queue);
}

static void queue_unlink(struct jobs_queue *queue)
{
	struct jobs_queue **at = &queue->jobs->queues;

	while (*at != queue)
		at = &(*at)->next;
	*at = queue->next;
}

/* Runs one job; the lock is held at entry and exit. Returns false when jobs_destroy came meanwhile:
 * then nobody waits for the job any more and its memory is left alone. */
static bool queue_run(struct jobs_queue *queue, struct job *job)
{
	static const uint64_t one = 1;
	struct jobs *jobs = queue->jobs;

	job->started_ns = clock_monotonic_ns();
	queue->running = job;
	queue->running_since_ns = job->started_ns;
	jobs->busy++;
	pthread_mutex_unlock(&jobs->lock);

	job->run(job);

	pthread_mutex_lock(&jobs->lock);
	jobs->busy--;
	queue->running = NULL;
	if (jobs->ending)
		return false;
	if (job->client) {
		list_push(&job->client->done, job);
		/* under the lock, so that the client cannot close the descriptor first */
		if (write(job->client->fd, &one, sizeof(one)) < 0)
			log_warn("jobs: wake-up of a client failed");
		return true;
	}
	pthread_mutex_unlock(&jobs->lock);
	job_discard(job);
	pthread_mutex_lock(&jobs->lock);
	return !jobs->ending;
}

/* Waits for work; NULL when the thread should end. The lock is held. */
static struct job *queue_wait(struct jobs_queue *queue)
{
	struct timespec until;
	int late = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += JOBS_IDLE_S;
	while (!queue->waiting.first && !queue->jobs->ending && late != ETIMEDOUT)
		late = pthread_cond_timedwait(&queue->wake, &queue->jobs->lock, &until);
	return queue->jobs->ending ? NULL : list_pop(&queue->waiting);
}

static void *queue_thread(void *data)
{
	struct jobs_queue *queue = data;
	struct jobs *jobs = queue->jobs;
	struct job *job;

	pthread_mutex_lock(&jobs->lock);
	while ((job = queue_wait(queue)) != NULL && queue_run(queue, job))
		;
	queue_unlink(queue);
	queue_free(queue);
	jobs->threads--;
	pthread_cond_broadcast(&jobs->left);
	if (jobs->threads == 0 && jobs->abandoned)
		jobs_free(jobs);
	else
		pthread_mutex_unlock(&jobs->lock);
	return NULL;
}

static struct jobs_queue *queue_find(const struct jobs *jobs, const char *key)
{
	struct jobs_queue *queue = jobs->queues;

	while (queue && strcmp(queue->key, key) != 0)
		queue = queue->next;
	return queue;
}

static int queue_start_thread(struct jobs_queue *queue)
{
	sigset_t all, old;
	pthread_attr_t attributes;
	pthread_t thread;
	char name[16];
	int code;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* signals belong to the main thread */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	code = pthread_create(&thread, &attributes, queue_thread, queue);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attributes);
	if (code != 0)
		return -code;
	/* the lock is held, so the thread cannot have ended yet */
	str_format(name, sizeof(name), "job:%s", queue->key);
	pthread_setname_np(thread, name);
	return 0;
}

/* A new key with its thread. The lock is held. */
static int queue_make(struct jobs *jobs, const char *key, struct jobs_queue **out)
{
	struct jobs_queue *queue = mem_alloc(sizeof(*queue));
	pthread_condattr_t attributes;
	int code;

	queue->jobs = jobs;
	queue->key = mem_strdup(key);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	code = queue_start_thread(queue);
	if (code < 0) {
		queue_free(queue);
		return code;
	}
	jobs->threads++;
	queue->next = jobs->queues;
	jobs->queues = queue;
	*out = queue;
	return 0;
}

void jobs_destroy(struct jobs *jobs)
{
	struct job_list queued = {0};

	if (!jobs)
		return;
	pthread_mutex_lock(&jobs->lock);
	jobs->ending = true;
	for (struct jobs_queue *queue = jobs->queues; queue; queue = queue->next) {
		list_take(&queue->waiting, NULL, &queued);
		pthread_cond_signal(&queue->wake);
	}
	while (jobs->threads > jobs->busy)
		pthread_cond_wait(&jobs->left, &jobs->lock);
	if (jobs->threads == 0) {
		jobs_free(jobs);
	} else {
		jobs->abandoned = true;
		pthread_mutex_unlock(&jobs->lock);
	}
	list_discard(&queued);
}

int jobs_client_open(struct jobs *jobs, struct jobs_client **out, struct err *err)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), code = -errno;
	struct jobs_client *client;

	if (fd < 0)
		return err_set(err, code, "cannot make an eventfd: %s", err_errno_text(code));
	client = mem_alloc(sizeof(*client));
	client->jobs = jobs;
	client->fd = fd;
	*out = client;
	return 0;
}

void jobs_client_close(struct jobs_client *client)
{
	struct job_list dropped = {0};
	struct jobs *jobs;

	if (!client)
		return;
	jobs = client->jobs;
	pthread_mutex_lock(&jobs->lock);
	for (struct jobs_queue *queue = jobs->queues; queue; queue = queue->next) {
		list_take(&queue->waiting, client, &dropped);
		/* tells queue_run to discard it when it ends */
		if (queue->running && queue->running->client == client)
			queue->running->client = NULL;
	}
	list_take(&client->done, NULL, &dropped);
	pthread_mutex_unlock(&jobs->lock);
	list_discard(&dropped);
	close(client->fd);
	free(client);
}

int jobs_client_fd(const struct jobs_client *client)
{
	return client->fd;
}

int jobs_submit(struct jobs_client *client, const char *key, struct job *job, struct err *err)
{
	struct jobs *jobs = client->jobs;
	struct jobs_queue *queue;
	int code = 0;

	pthread_mutex_lock(&jobs->lock);
	queue = queue_find(jobs, key);
	if (!queue)
		code = queue_make(jobs, key, &queue);
	if (code == 0) {
		job->id = ++jobs->last_id;
		job->submitted_ns = clock_monotonic_ns();
		job->started_ns = 0;
		job->client = client;
		list_push(&queue->waiting, job);
		pthread_cond_signal(&queue->wake);
	}
	pthread_mutex_unlock(&jobs->lock);
	if (code < 0)
		return err_set(
			err, code, "cannot start a thread for %s: %s", key, err_errno_text(code));
	return 0;
}

struct job *jobs_collect(struct jobs_client *client)
{
	struct job *job;
	uint64_t count;

	pthread_mutex_lock(&client->jobs->lock);
	job = list_pop(&client->done);
	/* stays readable exactly while something is left */
	if (!client->done.first && read(client->fd, &count, sizeof(count)) < 0)
		count = 0;
	pthread_mutex_unlock(&client->jobs->lock);
	return job;
}

uint64_t jobs_busy_ns(struct jobs *jobs, const char *key)
{
	const struct jobs_queue *queue;
	uint64_t busy = 0;

	pthread_mutex_lock(&jobs->lock);
	queue = queue_find(jobs, key);
	if (queue && queue->running) {
		busy = clock_monotonic_ns() - queue->running_since_ns;
		/* 0 means idle */
		busy += busy == 0;
	}
	pthread_mutex_unlock(&jobs->lock);
	return busy;
}
