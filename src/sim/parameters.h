/* What a simulated drive is made of: one set of physical parameters and a past, read from one
 * section of a fleet file. The table in parameters.c is the list of keys with their ranges; every
 * behaviour of the drive follows from these numbers. Immutable after reading; any thread. */
#ifndef SIM_PARAMETERS_H
#define SIM_PARAMETERS_H

#include "base/err.h"
#include "base/ini.h"

#define SIM_NAMESPACES_MAX 16
#define SIM_UNITS_MAX 1024

enum sim_placement {
	SIM_PLACEMENT_ADDRESS, /* data lies on one unit, and only that one can read it */
	SIM_PLACEMENT_ANY,     /* every unit can serve every request: one queue for all */
};

/* Times in microseconds, sizes and rates in bytes and bytes/s, as in the file. */
struct sim_parameters {
	char model[41], serial[21], firmware[9];
	double size, block, namespaces, numa_node, vendor;
	double used_pct; /* of the namespaces that holds data, from their beginning */

	/* the flash: units (dies or planes) that do one thing at a time */
	char placement[16];
	enum sim_placement placement_kind;
	double units;
	double map_bytes, page_bytes; /* what random and what sequential data is read in */
	double read_us, page_read_us; /* one mapping unit, one page, by one unit */
	double read_variation_pct;    /* exponential; the rest constant */
	double retry_pct, retry_us;   /* reads that need a second look, and what that costs */
	double program_bytes, program_us, program_variation_pct;
	double suspend_us; /* longest that a read waits for a program in progress */

	/* the controller and the ways in and out */
	double read_command_us, write_command_us; /* one at a time */
	double write_map_us;                      /* and per mapping unit of random writes */
	double read_latency_us, write_latency_us; /* side by side */
	double latency_variation_pct;
	double stall_every_s, stall_s; /* once in so long it completes nothing for so long */
	double media_read_bytes_s;     /* all channels together; 0: no limit */
	double link_gts, link_width, link_max_gts, link_max_width;

	/* writing: buffer, collection (garbage), cache */
	double buffer_bytes;
	double pressure_pct; /* programs take so much longer while writes wait for the buffer */
	double spare_pct;    /* flash beyond the size, in % of it */
	double cache_bytes, cache_program_us, cache_fold_bytes_s;

	/* heat */
	double ambient_c, idle_w, read_j_gb, write_j_gb, heat_k_w, heat_s;
	double warning_c, critical_c, throttle_c, throttle_pct;

	/* wear and the past */
	double rated_bytes, written_bytes, read_bytes, write_amplification;
	double power_on_hours, power_cycles, unsafe_shutdowns, media_errors, error_entries;
	double available_spare_pct, spare_threshold_pct;
	double media_errors_tb; /* new ones per TB read */

	/* what hosts do with it while no test runs */
	double background_read_iops, background_write_iops, background_block;
};

/* Reads section `name`; faults are "FILE:LINE: what is wrong", ERR_EXIT_USAGE. */
int sim_parameters_read(
	const struct ini *ini, const char *name, struct sim_parameters *out, struct err *err);

/* One key of the table, for documents and tests. */
struct sim_key {
	const char *key, *help;
	size_t offset;
	enum { SIM_KEY_NUMBER, SIM_KEY_SIZE, SIM_KEY_TEXT } kind;
	double least, most;   /* text: most is the room */
	const char *standard; /* NULL: must be given */
};
extern const struct sim_key sim_keys[];
extern const size_t sim_key_count;

#endif
