/* What is watched beside the I/O: temperature, link and SMART of the targets' controllers, and the
 * process's kernel workers. Everything that may wait for a drive is a job (reading a temperature
 * from hwmon sends a command to the drive): no call here waits, except sampler_wait_smart, which
 * has a deadline. One owner thread (the runner). */
#ifndef SWEEP_SAMPLER_H
#define SWEEP_SAMPLER_H

#include <stdbool.h>

#include "base/jobs.h"
#include "nvme/environment.h"
#include "nvme/smart.h"
#include "nvme/transport.h"

struct sampler;

/* controllers: names, "" or double ones are skipped. jobs and transport may be NULL: then nothing
 * is known. Never fails: without jobs it answers "unknown". */
struct sampler *sampler_create(struct jobs *jobs, struct transport *transport,
	const char *const *controllers, size_t count);
void sampler_destroy(struct sampler *sampler);
/* Takes what came in, asks anew about once a second. */
void sampler_tick(struct sampler *sampler);
/* Asks at once, for simulated drives, which answer without waiting: the answer belongs to the moment
 * of the run's virtual time. Nothing for others. */
void sampler_read_simulated(struct sampler *sampler);
/* Highest composite temperature of the controllers, degrees Celsius; NaN unknown. */
double sampler_temperature(const struct sampler *sampler);
/* "nvme0 runs at 3.0 x2, it can 4.0 x4" once a link was seen below what drive and slot can; "". */
const char *sampler_link_fault(const struct sampler *sampler);

/* Asks for SMART of every controller. */
void sampler_ask_smart(struct sampler *sampler);
/* Waits until all answered, the time is over, or cancelled() says so. */
void sampler_wait_smart(
	struct sampler *sampler, unsigned timeout_ms, bool (*cancelled)(void *user), void *user);
/* The last answer since sampler_ask_smart. False: none. */
bool sampler_smart(const struct sampler *sampler, const char *controller, struct smart *out);

/* Kernel threads that io_uring made for this process ("iou-wrk"): requests were punted to them. */
unsigned sampler_kernel_workers(void);

#endif
