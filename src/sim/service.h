/* A simulated drive at work: give it requests at a time, move its time on, take what is done.
 * Nothing allocates after opening. One thread. */
#ifndef SIM_SERVICE_H
#define SIM_SERVICE_H

#include <stdint.h>

#include "base/err.h"
#include "sim/drive.h"

struct sim_engine;

struct sim_work {
	struct sim_namespace *ns;
	uint32_t slot; /* below depth */
	uint32_t length;
	bool write;
	uint64_t offset;
};

/* Opens the drive for itself (-EBUSY). now: time 0 of its time line. */
int sim_engine_create(struct sim_drive *drive, uint32_t depth, uint64_t seed, uint64_t now,
	struct sim_engine **out, struct err *err);
void sim_engine_destroy(struct sim_engine *engine);
/* Times never go back. */
void sim_engine_submit(struct sim_engine *engine, const struct sim_work *work, uint64_t now);
/* When something happens next; UINT64_MAX never. */
uint64_t sim_engine_next(const struct sim_engine *engine);
/* Does the next thing. */
void sim_engine_step(struct sim_engine *engine);
/* What has been done, in the order of time. False: nothing. */
bool sim_engine_take(struct sim_engine *engine, uint32_t *slot, int32_t *result, uint64_t *at);

#endif
