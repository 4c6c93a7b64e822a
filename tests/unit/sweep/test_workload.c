/* Workload files: the built-in ones against the table of METHODS 3, faults with file and line. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "conf/assets.h"
#include "io/target.h"
#include "sweep/load.h"
#include "sweep/workload.h"

/* METHODS 3, by hand. 0 in block: a mix. */
static const struct {
	const char *name;
	uint32_t block, outstanding;
	double read_pct, random_pct;
	const char *basis;
	bool mix_unknown;
} table[] = {
	{"rand-read-4k", 4096, 128, 100, 100, "L", false},
	{"rand-write-4k", 4096, 128, 0, 100, "L", false},
	{"seq-read-16k", 16384, 32, 100, 0, "L", false},
	{"seq-write-16k", 16384, 16, 0, 0, "L", false},
	{"seq-read-64k", 65536, 16, 100, 0, "L", false},
	{"seq-write-64k", 65536, 16, 0, 0, "L", false},
	{"mix-4k-70r", 4096, 64, 70, 100, "L", false},
	{"mix-8k-70r", 8192, 64, 70, 100, "L", false},
	{"mix-16k-70r", 16384, 64, 70, 100, "L", false},
	{"sql", 8192, 32, 97, 100, "P, L", false},
	{"sql-90-10", 8192, 32, 90, 100, "P, L", false},
	{"sql-80-20", 8192, 32, 80, 100, "P, L", false},
	{"oracle", 0, 36, 0.99 * 80 + 0.01 * 1, 99, "P, L", false},
	{"oracle-90-10", 8192, 22, 90, 100, "P, L", false},
	{"oracle-80-20", 8192, 22, 80, 100, "P, L", false},
	{"vdi-fc-boot", 0, 34, 85, 95, "R, L", false},
	{"vdi-fc-initial-login", 0, 30, 40, 80, "R, L", false},
	{"vdi-fc-monday-login", 0, 16, 60, 80, "R, L", false},
	{"vdi-lc-boot", 0, 16, 85, 95, "R, L", true},
	{"vdi-lc-initial-login", 0, 8, 40, 80, "R, L", true},
	{"vdi-lc-monday-login", 0, 16, 60, 80, "R, L", true},
	{"fleet-sql", 0, 16, 68, 80, "P", false},
	{"fleet-oracle", 0, 16, 83, 80, "P", false},
	{"fleet-vdi", 0, 16, 59, 80, "P", false},
};
#define TABLE (sizeof(table) / sizeof(table[0]))

/* Mixes of METHODS 3: size in KiB, share in percent. */
struct share {
	double kib, pct;
};
static const struct share boot_read[] = {{4, 40}, {8, 12}, {16, 20}, {32, 14}, {64, 14}, {0, 0}};
static const struct share boot_write[] = {{4, 65}, {8, 13}, {16, 10}, {32, 4}, {64, 8}, {0, 0}};
static const struct share login_read[] = {
	{4, 39}, {8, 9}, {16, 17}, {32, 10}, {64, 13}, {128, 6}, {256, 4}, {512, 2}, {0, 0}};
static const struct share login_write[] = {
	{4, 61}, {8, 13}, {16, 9}, {32, 3}, {64, 10}, {128, 1}, {256, 3}, {0, 0}};
static const struct share fleet_sql_read[] = {{4, 2.4}, {8, 53.6}, {16, 4.8}, {28, 2.6}, {64, 28.8},
	{120, 1.8}, {220, 1.4}, {492, 4.6}, {0, 0}};
static const struct share fleet_sql_write[] = {{4, 27.9}, {8, 35.2}, {16, 4.8}, {28, 2.6},
	{64, 26.4}, {116, .6}, {244, 1.3}, {488, 1.2}, {0, 0}};
static const struct share fleet_oracle_read[] = {{4, 4.5}, {8, 41}, {16, 29.8}, {32, 1.2},
	{56, 1.4}, {128, 15.2}, {252, 5.2}, {420, .2}, {1004, 1.5}, {0, 0}};
static const struct share fleet_oracle_write[] = {{4, 22.1}, {8, 37.3}, {16, 19.1}, {32, 5.4},
	{56, 4.7}, {120, 7.7}, {236, 3.4}, {408, .3}, {0, 0}};
static const struct share fleet_vdi_read[] = {{4, 39.4}, {8, 9.4}, {16, 16.5}, {32, 10.4},
	{64, 12.9}, {116, 5.4}, {220, 3.3}, {472, 2}, {984, .7}, {0, 0}};
static const struct share fleet_vdi_write[] = {{4, 61.1}, {8, 13}, {16, 8.4}, {28, 3.5}, {60, 9.3},
	{104, 1}, {240, 2.9}, {372, .8}, {0, 0}};

static struct workload *load(const char *name)
{
	struct workload *w;
	struct err err;

	err_clear(&err);
	if (workload_load(name, &w, &err))
		fail_msg("%s: %s", name, err.text);
	return w;
}

static void same_mix(const char *name, const struct io_mix *mix, const struct share *want)
{
	uint32_t i = 0;

	for (; want[i].pct > 0; i++) {
		if (i >= mix->count || mix->size[i].bytes != want[i].kib * 1024 ||
			fabs(mix->size[i].share * 100 - want[i].pct) > 1e-6)
			fail_msg("%s: entry %u is not %gk/%g", name, i, want[i].kib, want[i].pct);
	}
	assert_int_equal(mix->count, i);
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < TABLE; i++) {
		struct workload *w = load(table[i].name);
		const struct io_stream *s = &w->streams[0];

		if (w->outstanding != table[i].outstanding ||
			fabs(w->read_share * 100 - table[i].read_pct) > 1e-9 ||
			fabs(w->random_share * 100 - table[i].random_pct) > 1e-9 ||
			strcmp(w->basis, table[i].basis) || w->mix_unknown != table[i].mix_unknown)
			fail_msg("%s is not as METHODS 3 has it", table[i].name);
		assert_int_equal(w->writes, table[i].read_pct < 100);
		if (table[i].block) {
			const struct io_mix *mix =
				table[i].read_pct > 0 ? &s->read_mix : &s->write_mix;

			assert_int_equal(w->stream_count, 1);
			assert_int_equal(mix->count, 1);
			assert_int_equal(mix->size[0].bytes, table[i].block);
			assert_int_equal(w->mean_block_bytes, table[i].block);
		}
		assert_true(w->title[0] && w->help[0] && w->basis_text[0] && w->text[0]);
		assert_string_equal(w->name, table[i].name);
		workload_free(w);
	}
}

static void test_mixes(void **state)
{
	static const struct {
		const char *name;
		const struct share *reads, *writes;
		double replica; /* percent of reads in a 10 % region; 0: no region */
	} mixes[] = {{"vdi-fc-boot", boot_read, boot_write, 0},
		{"vdi-fc-initial-login", login_read, login_write, 0},
		{"vdi-fc-monday-login", login_read, login_write, 0},
		{"vdi-lc-boot", boot_read, boot_write, 90},
		{"vdi-lc-initial-login", login_read, login_write, 70},
		{"vdi-lc-monday-login", login_read, login_write, 70},
		{"fleet-sql", fleet_sql_read, fleet_sql_write, 0},
		{"fleet-oracle", fleet_oracle_read, fleet_oracle_write, 0},
		{"fleet-vdi", fleet_vdi_read, fleet_vdi_write, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
		struct workload *w = load(mixes[i].name);
		const struct io_stream *s = &w->streams[0];

		assert_int_equal(w->stream_count, 1);
		same_mix(mixes[i].name, &s->read_mix, mixes[i].reads);
		same_mix(mixes[i].name, &s->write_mix, mixes[i].writes);
		assert_int_equal(s->region_count, mixes[i].replica > 0);
		if (s->region_count) {
			assert_true(fabs(s->regions[0].length - 0.1) < 1e-12);
			assert_true(fabs(s->regions[0].read_share * 100 - mixes[i].replica) < 1e-9);
			assert_true(s->regions[0].write_share == 0);
		}
		workload_free(w);
	}
}

static void test_oracle_streams(void **state)
{
	struct workload *w = load("oracle");

	(void)state;
	assert_int_equal(w->stream_count, 2);
	assert_true(fabs(w->streams[0].share - 0.99) < 1e-12);
	assert_true(fabs(w->streams[1].share - 0.01) < 1e-12);
	assert_int_equal(w->streams[0].read_mix.size[0].bytes, 8192);
	assert_true(w->streams[0].random_share == 1 && w->streams[1].random_share == 0);
	assert_int_equal(w->streams[1].write_mix.size[0].bytes, 65536);
	assert_true(fabs(w->streams[1].read_share - 0.01) < 1e-12);
	/* 99 x 8 KiB and 1 x 64 KiB */
	assert_int_equal(w->mean_block_bytes, (uint64_t)((0.99 * 8 + 0.01 * 64) * 1024 + 0.5));
	workload_free(w);
}

/* The engine accepts every one of them: shares sum to 1, sizes are whole blocks. */
static void test_engine_accepts(void **state)
{
	const struct io_target target = {
		.name = "t", .lba_bytes = 4096, .size_bytes = 1ull << 40, .length = 1ull << 40};
	struct workload **list;
	struct err err;
	size_t count;
	char *faults;

	(void)state;
	err_clear(&err);
	assert_int_equal(workload_list(&list, &count, &faults, &err), 0);
	assert_null(faults);
	assert_true(count >= TABLE);
	for (size_t i = 0; i < TABLE; i++) /* in the order of METHODS 3 */
		assert_string_equal(list[i]->name, table[i].name);
	for (size_t i = 0; i < count; i++) {
		struct io_load l = {
			.stream_count = list[i]->stream_count, .outstanding = list[i]->outstanding};

		memcpy(l.streams, list[i]->streams, sizeof(l.streams));
		/* Nothing permits writing: the write side is checked in the place of the reads. */
		for (int side = 0; side < 2; side++) {
			for (uint32_t s = 0; s < l.stream_count; s++) {
				if (side ? !l.streams[s].write_mix.count
					 : !l.streams[s].read_mix.count)
					continue;
				if (side)
					l.streams[s].read_mix = l.streams[s].write_mix;
				l.streams[s].read_share = 1;
			}
			if (!side && !l.streams[0].read_mix.count)
				continue;
			if (io_load_check(&l, &target, &err))
				fail_msg("%s: %s", list[i]->name, err.text);
		}
	}
	workload_list_free(list, count);
}

static void test_summary(void **state)
{
	char text[120];
	struct workload *w = load("mix-8k-70r");

	(void)state;
	workload_summary(w, text, sizeof(text));
	assert_string_equal(text, "8 KiB, 70 % read, random, 64 outstanding");
	workload_free(w);
	w = load("seq-write-64k");
	workload_summary(w, text, sizeof(text));
	assert_string_equal(text, "64 KiB, write, sequential, 16 outstanding");
	workload_free(w);
	w = load("vdi-fc-boot");
	workload_summary(w, text, sizeof(text));
	assert_non_null(strstr(text, "mixed blocks"));
	assert_non_null(strstr(text, "85 % read, 95 % random"));
	workload_free(w);
}

static void test_unknown(void **state)
{
	struct workload *w;
	struct err err;

	(void)state;
	err_clear(&err);
	assert_int_equal(workload_load("rand-raed-4k", &w, &err), -ENOENT);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_non_null(strstr(err.text, "rand-read-4k"));
	assert_int_equal(workload_load("zzzzzzzz", &w, &err), -ENOENT);
	assert_int_equal(workload_load("", &w, &err), -ENOENT);
	assert_int_equal(workload_load("/nonexistent/x.ini", &w, &err), -ENOENT);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_non_null(strstr(err.text, "/nonexistent/x.ini"));
	assert_int_equal(workload_load("/tmp/", &w, &err) < 0, 1);
	assert_null(w);
}

#define HEAD "[workload]\noutstanding = 8\n"
#define STREAM "[stream]\nread_pct = 100\nrandom_pct = 100\n"

/* Each fault: the line it is on and a word of the sentence. */
static const struct {
	const char *text, *line, *word;
} faults[] = {
	{HEAD "titel = x\n" STREAM "read_sizes = 4k/100\n", ":3:", "title"},
	{HEAD STREAM "read_size = 4k/100\n", ":6:", "read_sizes"},
	{"[workload]\noutstanding = many\n" STREAM, ":2:", "outstanding"},
	{"[workload]\noutstanding = 0\n" STREAM, ":2:", "65535"},
	{"[workload]\ntitle = x\n" STREAM, ":1:", "outstanding"},
	{HEAD STREAM, ":3:", "read_sizes"},
	{HEAD STREAM "read_sizes = 4k/60 8k/30\n", ":6:", "90"},
	{HEAD STREAM "read_sizes = 4k/100 8k/0\n", ":6:", "share"},
	{HEAD STREAM "read_sizes = 4k\n", ":6:", "SIZE/PERCENT"},
	{HEAD STREAM "read_sizes = 4q/100\n", ":6:", "4q"},
	{HEAD STREAM "read_sizes = 0/100\n", ":6:", "block size"},
	{HEAD STREAM "read_sizes = 1G/100\n", ":6:", "64M"},
	{HEAD "[stream]\nread_pct = 101\nrandom_pct = 0\nread_sizes = 4k/100\n", ":4:", "101"},
	{HEAD "[stream]\nread_pct = nan\nrandom_pct = 0\nread_sizes = 4k/100\n", ":4:", "nan"},
	{HEAD "[stream]\nread_pct = 100\nread_sizes = 4k/100\n", ":3:", "random_pct"},
	{HEAD "[stream]\nread_pct = 50\nrandom_pct = 0\nread_sizes = 4k/100\n",
		":3:", "write_sizes"},
	{HEAD, ":1:", "[stream]"},
	{STREAM "read_sizes = 4k/100\n", ":1:", "[workload]"},
	{HEAD "[steam]\nread_pct = 1\n", ":3:", "stream"},
	{HEAD STREAM "read_sizes = 4k/100\n[stream.2]\nshare_pct = 5\n", ":7:", "stands alone"},
	{HEAD "[stream.1]\nshare_pct = 50\nread_pct = 100\nrandom_pct = 0\nread_sizes = 4k/100\n"
	      "[stream.2]\nshare_pct = 40\nread_pct = 100\nrandom_pct = 0\nread_sizes = 4k/100\n",
		":9:", "90"},
	{HEAD "[stream.1]\nread_pct = 100\nrandom_pct = 0\nread_sizes = 4k/100\n"
	      "[stream.2]\nshare_pct = 40\nread_pct = 100\nrandom_pct = 0\nread_sizes = 4k/100\n",
		":3:", "share_pct"},
	{HEAD STREAM "read_sizes = 4k/100\nregion1 = start=95 length=10 reads=50\n",
		":7:", "inside"},
	{HEAD STREAM "read_sizes = 4k/100\nregion1 = begin=5\n", ":7:", "begin"},
	{HEAD STREAM "read_sizes = 4k/100\nregion1 = length=10 reads=60\n"
		     "region2 = start=50 length=10 reads=60\n",
		":8:", "100"},
	{HEAD STREAM "read_sizes = 1k/1 2k/1 3k/1 4k/1 5k/1 6k/1 7k/1 8k/1 9k/1 10k/1 11k/1 12k/1 "
		     "13k/1 14k/1 15k/1 16k/1 17k/84\n",
		":6:", "16"},
	{"x = 1\n" HEAD STREAM, ":1:", "[section]"},
	{HEAD "mix_unknown = perhaps\n" STREAM, ":3:", "yes or no"},
	{"[workload\n", ":1:", ""},
};

static void test_faults(void **state)
{
	char folder[] = "/tmp/nvsweep-workload-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	str_format(path, sizeof(path), "%s/bad.ini", folder);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct workload *w = NULL;
		char place[80];
		struct err err;

		err_clear(&err);
		assert_int_equal(
			file_write_atomic(path, faults[i].text, strlen(faults[i].text), NULL), 0);
		if (!workload_load(path, &w, &err))
			fail_msg("case %zu was accepted:\n%s", i, faults[i].text);
		str_format(place, sizeof(place), "%s%s", path, faults[i].line);
		if (!strstr(err.text, place) || !strstr(err.text, faults[i].word))
			fail_msg("case %zu: \"%s\" has no %s or \"%s\"", i, err.text, place,
				faults[i].word);
		assert_int_equal(err.exit, ERR_EXIT_USAGE);
		assert_null(w);
	}
	unlink(path);
	rmdir(folder);
}

static void test_good_file(void **state)
{
	static const char text[] =
		HEAD "title = mine\n" STREAM "read_sizes = 4k/33.3, 8k/33.3 16k/33.4\n"
		     "region1 = start=0 length=10 reads=50 writes=5\n"
		     "region2 = start=10 length=90 reads=50\n";
	char folder[] = "/tmp/nvsweep-workload-XXXXXX", path[64];
	struct workload *w;

	(void)state;
	assert_non_null(mkdtemp(folder));
	str_format(path, sizeof(path), "%s/mine.ini", folder);
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
	w = load(path);
	assert_string_equal(w->name, "mine");
	assert_string_equal(w->title, "mine");
	assert_string_equal(w->origin, path);
	assert_string_equal(w->text, text);
	assert_int_equal(w->streams[0].read_mix.count, 3);
	assert_int_equal(w->streams[0].region_count, 2);
	assert_true(fabs(w->streams[0].regions[1].start - 0.1) < 1e-12);
	workload_free(w);
	unlink(path);
	rmdir(folder);
}

/* Parameters that override the workload. */
static void test_overrides(void **state)
{
	struct workload *w = load("rand-write-4k");
	struct options options;
	struct io_load l;

	(void)state;
	options_defaults(&options);
	sweep_load_build(w, &options, &l);
	assert_true(io_load_writes(&l) && !io_load_reads(&l));
	options.read_pct = 100;
	options.random_pct = 25;
	options.block_bytes = 131072;
	options.outstanding = 3;
	strcpy(options.arrivals, "uniform");
	options.reducible_pct = 40;
	sweep_load_build(w, &options, &l);
	assert_true(!io_load_writes(&l) && io_load_reads(&l));
	assert_int_equal(l.outstanding, 3);
	assert_true(l.reducible_share == 0.4);
	assert_true(l.streams[0].read_share == 1 && l.streams[0].random_share == 0.25);
	assert_int_equal(l.streams[0].read_mix.count, 1);
	assert_int_equal(l.streams[0].read_mix.size[0].bytes, 131072);
	assert_int_equal(l.arrivals, IO_ARRIVALS_UNIFORM);
	workload_free(w);
	/* A read workload has no sizes for writes: they are those of its reads. */
	w = load("rand-read-4k");
	options_defaults(&options);
	options.read_pct = 99;
	sweep_load_build(w, &options, &l);
	assert_true(io_load_writes(&l));
	assert_int_equal(l.streams[0].write_mix.count, 1);
	assert_int_equal(l.streams[0].write_mix.size[0].bytes, 4096);
	workload_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_mixes),
		cmocka_unit_test(test_oracle_streams),
		cmocka_unit_test(test_engine_accepts),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_good_file),
		cmocka_unit_test(test_overrides),
	};

	assets_set_folders("", "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
