/* A bench for simulated drives in tests: a drive from a few lines of parameters, and phases of load
 * through the real engine in virtual time. */
#ifndef SIM_LAB_H
#define SIM_LAB_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/assets.h"
#include "io/pool.h"
#include "sim/backend.h"
#include "sim/fleet.h"

/* Under a sanitizer everything takes ten times as long: the same tests with fewer I/Os there. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LAB_SANITIZED 1
#else
#define LAB_SANITIZED 0
#endif

#define LAB_US UINT64_C(1000)
#define LAB_MS UINT64_C(1000000)
#define LAB_S UINT64_C(1000000000)

struct lab_load {
	uint32_t block;
	double read_share, random_share;
	uint32_t outstanding;
	double rate; /* 0: closed loop */
	enum io_arrivals arrivals;
	uint64_t warmup_ns, window_ns, total_bytes, seed;
};

static inline struct sim_fleet *lab_fleet_text(const char *text)
{
	char path[] = "/tmp/nvsweep-fleet-XXXXXX";
	const int fd = mkstemp(path);
	struct sim_fleet *fleet = NULL;
	struct clock clock;
	struct err err = {0};

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	clock_init_free(&clock);
	if (sim_fleet_load(path, 7, &clock, &fleet, &err))
		fail_msg("%s", err.text);
	unlink(path);
	return fleet;
}

/* A drive of which everything that takes time is switched off, save what `more` says. */
static inline struct sim_fleet *lab_plain(const char *more)
{
	struct strbuf text = {0};
	struct sim_fleet *fleet;

	strbuf_add(&text,
		"[plain]\nmodel = PLAIN\nserial = 1\nsize = 1TB\nrated_bytes = 1000TB\n"
		"read_variation_pct = 0\nprogram_variation_pct = 0\nlatency_variation_pct = 0\n"
		"link_gts = 0\n");
	strbuf_add(&text, more);
	fleet = lab_fleet_text(text.text);
	strbuf_free(&text);
	return fleet;
}

static inline struct sim_fleet *lab_demo(void)
{
	struct sim_fleet *fleet = NULL;
	struct clock clock;
	struct err err = {0};

	clock_init_free(&clock);
	assets_set_folders("", ""); /* the built-in one */
	if (sim_fleet_load("demo", 1, &clock, &fleet, &err))
		fail_msg("%s", err.text);
	return fleet;
}

/* The right to write, as the gate would give it. */
static inline struct io_permit lab_permit(const struct io_target *target)
{
	return (struct io_permit){.fd = -1, .offset = 0, .length = target->size_bytes};
}

struct lab_bench {
	struct io_permit permits[16];
	struct io_target targets[16];
	struct io_pool *pool;
};

static inline void lab_open(struct lab_bench *bench, struct sim_namespace *const *namespaces,
	uint32_t count, uint32_t outstanding, uint32_t block, uint64_t seed)
{
	struct io_pool_config config = {
		.targets = bench->targets,
		.target_count = count,
		.ops = &sim_backend,
		.outstanding = outstanding,
		.max_block_bytes = block,
		.seed = seed,
	};
	struct clock clock;
	struct err err = {0};

	clock_init_free(&clock);
	config.clock = &clock;
	for (uint32_t i = 0; i < count; i++) {
		sim_backend_target(namespaces[i], &bench->targets[i]);
		bench->permits[i] = lab_permit(&bench->targets[i]);
		bench->targets[i].permit = &bench->permits[i];
	}
	if (io_pool_create(&config, &bench->pool, NULL, &err))
		fail_msg("%s", err.text);
}

static inline struct io_phase lab_phase(const struct lab_load *load)
{
	struct io_phase phase = {
		.warmup_ns = load->warmup_ns,
		.window_ns = load->window_ns,
		.total_bytes = load->total_bytes,
		.load =
			{
				.stream_count = 1,
				.outstanding = load->outstanding,
				.rate_iops = load->rate,
				.arrivals = load->arrivals,
				.seed = load->seed,
				.streams = {{
					.share = 1,
					.read_share = load->read_share,
					.random_share = load->random_share,
					.read_mix = {1, {{load->block, 1}}},
					.write_mix = {1, {{load->block, 1}}},
				}},
			},
	};

	return phase;
}

static inline struct io_phase_result lab_run(struct lab_bench *bench, const struct lab_load *load)
{
	const struct io_phase phase = lab_phase(load);
	struct io_phase_result result = {0};
	struct err err = {0};

	if (io_pool_begin(bench->pool, &phase, &err) || io_pool_end(bench->pool, &result, &err))
		fail_msg("%s", err.text);
	return result;
}

/* One phase on one namespace, opened and closed for it. */
static inline struct io_phase_result lab_once(struct sim_namespace *ns, const struct lab_load *load)
{
	struct lab_bench bench;

	lab_open(&bench, &ns, 1, load->outstanding, load->block, load->seed + 1);
	const struct io_phase_result result = lab_run(&bench, load);

	io_pool_destroy(bench.pool);
	return result;
}

static inline double lab_iops(const struct io_phase_result *result)
{
	return (double)(result->total.reads + result->total.writes) * 1e9 /
		(double)result->window_ns;
}

static inline double lab_mean_us(const struct io_phase_result *result)
{
	return (double)result->total.service.sum / (double)result->total.service.count * 1e-3;
}

#endif
