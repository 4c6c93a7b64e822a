/* A run with every field set, for the tests of this folder. */
#ifndef TESTS_RESULT_EXAMPLE_H
#define TESTS_RESULT_EXAMPLE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "result/run.h"

/* Values that differ from field to field, so that none can be taken for another. */
static inline struct latency example_latency(double from)
{
	return (struct latency){.count = (uint64_t)from,
		.mean = from + 1,
		.stddev = from + 2,
		.min = from + 3,
		.p50 = from + 4,
		.p90 = from + 5,
		.p99 = from + 6,
		.p99_9 = from + 7,
		.p99_99 = NAN,
		.max = from + 9,
		.overflow = 2};
}

static inline struct run_point example_point(double percent, bool saturated)
{
	struct run_point p;

	run_point_clear(&p);
	p.percent = percent;
	str_format(p.label, sizeof(p.label), "%g %%", percent);
	p.asked_iops = 1000 * percent;
	p.outstanding_limit = 32;
	p.started_s = 12.25 + percent;
	p.window_s = 20.5;
	p.scheduled = 100001;
	p.reads = 70000;
	p.writes = 30000;
	p.count = 100000;
	p.read_bytes = 70000 * 4096ull;
	p.write_bytes = 30000 * 8192ull;
	p.errors = 3;
	p.short_reads = 1;
	p.retries = 2;
	p.iops = 999.75 * percent;
	p.mib_s = 3.5 * percent;
	p.outstanding_avg = 17.125;
	p.saturated = saturated;
	p.saturated_age_ns = saturated ? 2.5e9 : 0;
	p.backlog = saturated ? 4711 : 0;
	str_copy(p.limited_by, sizeof(p.limited_by), saturated ? "drive" : "");
	p.cpu_pct = 88.5;
	p.cpu_wait_pct = 6.5;
	p.temperature_c = NAN;
	p.lateness = example_latency(100);
	p.service = example_latency(100000 + percent * 10);
	if (!saturated)
		p.response = example_latency(300000);
	p.read_service = example_latency(400000);
	p.write_service = example_latency(500000);
	p.histogram_count = 2;
	p.histogram = calloc(2, sizeof(*p.histogram));
	p.histogram[0] = (struct hist_pair){100352, 60000};
	p.histogram[1] = (struct hist_pair){202752, 40000};
	return p;
}

static inline struct interval example_interval(double start, int32_t point, bool warmup)
{
	return (struct interval){.start_s = start,
		.length_s = 1,
		.point = point,
		.warmup = warmup,
		.scheduled = 5001,
		.reads = 3000,
		.writes = 2000,
		.read_bytes = 3000 * 4096,
		.write_bytes = 2000 * 4096,
		.errors = 1,
		.iops = 5000,
		.mib_s = 19.53125,
		.outstanding = 4.5,
		.backlog = 6,
		.oldest_wait_ns = 7000,
		.oldest_io_ns = 8000,
		.service = example_latency(90000),
		.response = example_latency(95000),
		.cpu_pct = 12.5f,
		.temperature_c = 41};
}

static inline struct smart example_smart(void)
{
	struct smart s = {.critical_warning = 4};

	s.temperature_c = (struct field_int){true, -10};
	s.available_spare = (struct field_int){true, 100};
	s.percentage_used = (struct field_int){true, 255};
	s.data_units_written = (struct field_u128){true, ((u128)1 << 100) + 7};
	s.power_cycles = (struct field_u128){true, 0};
	s.sensors_c[0] = (struct field_int){true, 38};
	s.sensors_c[2] = (struct field_int){true, 0};
	s.thermal1_count = (struct field_int){true, 4294967295};
	return s;
}

static inline struct run *example_run(void)
{
	struct run *run = run_create();
	struct run_target *t = &run->targets[0];
	struct run_point p;

	str_copy(run->workload, sizeof(run->workload), "mix-4k-70r");
	run->workload_text = mem_strdup("[workload]\ntitle = \"x\" \xc2\xb5\n");
	str_copy(run->method, sizeof(run->method), "curve");
	str_copy(run->suite_id, sizeof(run->suite_id), "suite-1");
	run->parameter_count = 2;
	run->parameters = mem_alloc(2 * sizeof(*run->parameters));
	str_copy(run->parameters[0].key, sizeof(run->parameters[0].key), "point_s");
	str_copy(run->parameters[0].value, sizeof(run->parameters[0].value), "20");
	str_copy(run->parameters[1].key, sizeof(run->parameters[1].key), "points");
	str_copy(run->parameters[1].value, sizeof(run->parameters[1].value), "10,20");
	run->target_count = 2;
	*t = (struct run_target){.nsid = 3,
		.size_bytes = 7681501126656,
		.area_offset = 4096,
		.area_length = 1 << 30,
		.lba_bytes = 4096,
		.metadata_bytes = 8,
		.link_gts = 8,
		.link_max_gts = 16,
		.link_width = 2,
		.link_max_width = 4,
		.numa_node = 1,
		.direct = true,
		.smart_before_known = true,
		.smart_before = example_smart()};
	str_copy(t->name, sizeof(t->name), "nvme0n1");
	str_copy(t->path, sizeof(t->path), "/dev/nvme0n1");
	str_copy(t->kind, sizeof(t->kind), "namespace");
	str_copy(t->model, sizeof(t->model), "FAKE DC 7680");
	str_copy(t->serial, sizeof(t->serial), "FAKE0001");
	str_copy(t->firmware, sizeof(t->firmware), "1.2.3");
	str_copy(t->unique_id, sizeof(t->unique_id), "0011223344556677");
	str_copy(t->scheduler, sizeof(t->scheduler), "none");
	run->targets[1] = (struct run_target){.numa_node = -1, .simulated = true};
	str_copy(run->targets[1].name, sizeof(run->targets[1].name), "data file");
	str_copy(run->targets[1].file_system, sizeof(run->targets[1].file_system), "ext4");
	str_copy(run->engine.backend, sizeof(run->engine.backend), "sync");
	str_copy(run->engine.fallback_from, sizeof(run->engine.fallback_from), "uring");
	str_copy(run->engine.fallback_reason, sizeof(run->engine.fallback_reason), "refused");
	str_copy(run->engine.notes, sizeof(run->engine.notes), "a note");
	str_copy(run->engine.pace, sizeof(run->engine.pace), "auto");
	run->engine.workers = 3;
	str_copy(run->host.hostname, sizeof(run->host.hostname), "storage07");
	str_copy(run->host.kernel, sizeof(run->host.kernel), "Linux 6.1");
	str_copy(run->host.machine, sizeof(run->host.machine), "x86_64");
	str_copy(run->host.cpu_model, sizeof(run->host.cpu_model), "Fake CPU");
	run->host.cpus = 16;
	run->host.memory_bytes = 1ull << 40;
	run->seed = 9007199254740991;
	run->started = 1796047742; /* 2026-11-30T14:09:02Z */
	run->ended = 1796048142;
	run->outcome = RUN_STOPPED;
	str_copy(run->reason, sizeof(run->reason), "by the user");
	run->simulated = true;
	run->p99_limit_ns = 500000;
	for (int i = 1; i <= 2; i++) {
		p = example_point(0, false);
		p.asked_iops = 0;
		p.iops = 100000 * i;
		run_add_search(run, &p);
	}
	run->maximum = run->searches[1];
	run->maximum.histogram = NULL;
	run->maximum.histogram_count = 0;
	run->has_maximum = true;
	for (int i = 0; i < 3; i++) {
		p = example_point(10 * (i + 1), i == 2);
		run_add_point(run, &p);
	}
	struct interval iv[] = {example_interval(0, -1, true), example_interval(1, -1, false),
		example_interval(2, 0, true), example_interval(3, 0, false),
		example_interval(4, 1, false), example_interval(5, 2, false),
		example_interval(6, 3, false)}; /* of a point that never ended */

	for (size_t i = 0; i < sizeof(iv) / sizeof(iv[0]); i++)
		series_append(run->series, &iv[i]);
	run_spoil(run, "buffered I/O");
	run_spoil(run, "%d errors", 3);
	run_analyse(run);
	run_make_id(run);
	return run;
}

/* A folder for one test; removed by the caller with example_remove. */
static inline void example_folder(char *buf, size_t size)
{
	str_copy(buf, size, "/tmp/nvsweep-result-XXXXXX");
	if (!mkdtemp(buf))
		abort();
}

static inline void example_remove(const char *folder)
{
	char command[600];

	str_format(command, sizeof(command), "rm -rf '%s'", folder);
	if (system(command))
		abort();
}

#endif
