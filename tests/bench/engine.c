/* The engine alone, without runner and screens: one phase on one file, figures on one line.
 *
 * usage: engine [-b BACKEND] [-d OUTSTANDING] [-s BLOCK] [-t SECONDS] [-w WARMUP] [-r RATE]
 *               [-a exp|uni|const] [-p auto|spin|sleep] [-W WORKERS] [-B BYTES] [-v] FILE...
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/pool.h"

static struct io_target targets[64];
static struct io_interval interval;
static struct io_phase_result result;

static void open_target(struct io_target *target, const char *path)
{
	struct stat st;

	snprintf(target->name, sizeof(target->name), "%s", path);
	target->fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (target->fd < 0)
		target->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (target->fd < 0 || fstat(target->fd, &st)) {
		fprintf(stderr, "engine: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	const off_t end = lseek(target->fd, 0, SEEK_END);

	target->lba_bytes = target->buffer_alignment = 4096;
	target->size_bytes = (uint64_t)end;
	target->length = target->size_bytes / 4096 * 4096;
	target->block_device = S_ISBLK(st.st_mode);
}

static void print(double user, double system)
{
	const struct io_tally *total = &result.total;
	const uint64_t count = total->reads + total->writes;
	const double seconds = (double)result.window_ns * 1e-9;
	struct latency service, response, lateness;

	hist_summary(&total->service, &service);
	hist_summary(&total->response, &response);
	hist_summary(&total->lateness, &lateness);
	printf("iops %.0f count %" PRIu64 " scheduled %" PRIu64 " errors %" PRIu64 " user_ns %.1f "
	       "sys_ns %.1f\n",
		(double)count / seconds, count, total->scheduled, total->errors,
		user * 1e9 / (double)count, system * 1e9 / (double)count);
	printf("service us: mean %.2f p50 %.2f p99 %.2f max %.2f; response p50 %.2f p99 %.2f; "
	       "lateness p50 %.2f p99 %.2f\n",
		service.mean / 1e3, service.p50 / 1e3, service.p99 / 1e3, service.max / 1e3,
		response.p50 / 1e3, response.p99 / 1e3, lateness.p50 / 1e3, lateness.p99 / 1e3);
	printf("outstanding %.3f iops x mean %.3f cpu %.1f %% saturated %d (%.3f s) host %d backlog "
	       "%" PRIu64 " bytes %" PRIu64 "\n",
		total->outstanding_ns / (double)result.window_ns,
		(double)count / seconds * service.mean * 1e-9, result.worker_cpu_pct,
		result.saturated, (double)result.saturated_age_ns * 1e-9, result.host_limited,
		total->backlog, total->read_bytes);
}

int main(int argc, char **argv)
{
	struct clock clock;
	struct io_phase phase = {.window_ns = 2000000000, .interval_ns = 1000000000};
	struct io_stream *stream = &phase.load.streams[0];
	struct io_pool_config config = {.backend = "auto", .clock = &clock, .seed = 1};
	struct io_pool *pool;
	struct err err = {0};
	char fallback[256];
	int option, verbose = 0;

	clock_init_real(&clock);
	phase.load.stream_count = 1;
	phase.load.outstanding = 128;
	stream->share = stream->read_share = stream->random_share = 1;
	stream->read_mix.count = 1;
	stream->read_mix.size[0].bytes = 4096;
	stream->read_mix.size[0].share = 1;
	while ((option = getopt(argc, argv, "b:d:s:t:w:r:a:p:W:B:v")) != -1) {
		switch (option) {
		case 'b':
			config.backend = optarg;
			break;
		case 'd':
			phase.load.outstanding = (uint32_t)atoi(optarg);
			break;
		case 's':
			stream->read_mix.size[0].bytes = (uint32_t)atoi(optarg);
			break;
		case 't':
			phase.window_ns = (uint64_t)(atof(optarg) * 1e9);
			break;
		case 'w':
			phase.warmup_ns = (uint64_t)(atof(optarg) * 1e9);
			break;
		case 'r':
			phase.load.rate_iops = atof(optarg);
			break;
		case 'a':
			phase.load.arrivals = *optarg == 'c' ? IO_ARRIVALS_CONSTANT
				: *optarg == 'u'             ? IO_ARRIVALS_UNIFORM
							     : IO_ARRIVALS_EXPONENTIAL;
			break;
		case 'p':
			phase.load.pace = !strcmp(optarg, "spin") ? IO_PACE_SPIN
				: !strcmp(optarg, "sleep")        ? IO_PACE_SLEEP
								  : IO_PACE_AUTO;
			break;
		case 'W':
			config.workers = (uint32_t)atoi(optarg);
			break;
		case 'B':
			phase.total_bytes = strtoull(optarg, NULL, 0);
			phase.window_ns = 0;
			break;
		case 'v':
			verbose = 1;
			break;
		default:
			return 2;
		}
	}
	for (; optind < argc && config.target_count < 64; optind++)
		open_target(&targets[config.target_count++], argv[optind]);
	config.targets = targets;
	config.outstanding = phase.load.outstanding;
	config.max_block_bytes = stream->read_mix.size[0].bytes;
	if (io_pool_create(&config, &pool, fallback, &err))
		goto failed;
	const struct io_backend_facts *facts = io_pool_facts(pool);

	printf("%s depth %u workers %u fixed %d files %d direct %d %s %s\n", facts->name,
		facts->depth, io_pool_workers(pool), facts->fixed_buffers, facts->registered_files,
		facts->direct, facts->notes, fallback);
	if (io_pool_begin(pool, &phase, &err))
		goto failed;
	int rc;
	while ((rc = io_pool_next_interval(pool, 1000, &interval, &err)) != 0) {
		if (rc < 0 && rc != -ETIMEDOUT)
			goto failed;
		if (rc == 1 && verbose)
			printf("  %u %.3f+%.3f %s reads %" PRIu64 " scheduled %" PRIu64
			       " backlog %" PRIu64 " wait %.3f ms\n",
				interval.index, (double)interval.start_ns * 1e-9,
				(double)interval.length_ns * 1e-9, interval.warmup ? "warm" : "",
				interval.total.reads, interval.total.scheduled,
				interval.total.backlog,
				(double)interval.total.oldest_wait_ns * 1e-6);
	}
	if (io_pool_end(pool, &result, &err))
		goto failed;
	io_pool_destroy(pool);
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	print((double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6,
		(double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6);
	io_phase_result_free(&result);
	return 0;
failed:
	fprintf(stderr, "engine: %s\n", err.text);
	return 1;
}
