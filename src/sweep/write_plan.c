/* What a test is going to write, and what that means for the drive. */
#include "sweep/write_plan.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "sweep/load.h"
#include "sweep/method.h"

#define PLAN_MAX_BYTES 9.2e18 /* beyond it a drive's counters end as well */

/* Bytes read and written per I/O of a load. */
struct per_io {
	double read, written;
};

static double mix_mean(const struct io_mix *mix)
{
	double mean = 0;

	for (uint32_t i = 0; i < mix->count && i < IO_MIX_MAX; i++)
		mean += mix->size[i].share * mix->size[i].bytes;
	return mean;
}

static struct per_io bytes_per_io(const struct write_question *question)
{
	struct per_io bytes = {0};
	struct io_load load;

	sweep_load_build(question->workload, question->options, &load);
	for (uint32_t i = 0; i < load.stream_count && i < IO_STREAM_MAX; i++) {
		const struct io_stream *s = &load.streams[i];

		bytes.read += s->share * s->read_share * mix_mean(&s->read_mix);
		bytes.written += s->share * (1 - s->read_share) * mix_mean(&s->write_mix);
	}
	return bytes;
}

/* Seconds that the method would take at the maximum rate to do what it plans. */
static double seconds_at_maximum(const struct write_question *question)
{
	const struct method_ops *method = method_find(question->method, NULL);

	if (!method)
		return NAN;
	if (method->full_rate_s)
		return method->full_rate_s(question->options, question->workload);
	return runner_estimate_s(question->method, question->options, question->workload);
}

static struct write_amount amount(enum write_bound bound, double bytes)
{
	return (struct write_amount){
		bound, (uint64_t)llround(fmin(fmax(bytes, 0), PLAN_MAX_BYTES))};
}

static struct write_amount test_amount(
	const struct write_question *question, const struct run_target *target)
{
	const struct options *options = question->options;
	const struct per_io io = bytes_per_io(question);
	const double seconds = seconds_at_maximum(question);
	const double link = write_plan_link_bytes_s(target);
	const bool fixed = !strcmp(question->method, "fixed");

	if (!(io.written > 0))
		return (struct write_amount){WRITE_NOTHING, 0};
	if (fixed && options->bytes)
		return amount(io.read > 0 ? WRITE_ABOUT : WRITE_EXACTLY,
			(double)options->bytes * io.written / (io.read + io.written));
	if (fixed && options->rate_iops > 0) {
		const double lanes = question->target_count ? (double)question->target_count : 1;

		return amount(WRITE_AT_MOST, options->rate_iops / lanes * seconds * io.written);
	}
	if (!(link > 0) || !isfinite(seconds))
		return (struct write_amount){WRITE_UNBOUNDED, 0};
	/* Each way has the whole link, so the busier direction is what it holds up. */
	return amount(WRITE_AT_MOST, seconds * link * io.written / fmax(io.written, io.read));
}

/* As the target is opened: whole blocks of the area, or of all of it. */
static uint64_t filled_length(const struct options *options, const struct run_target *target)
{
	const uint64_t size = target->size_bytes, lba = target->lba_bytes ? target->lba_bytes : 1;
	uint64_t length = size;

	if (strcmp(options->prepare, "device") != 0) {
		const uint64_t room =
			size > options->offset_bytes ? size - options->offset_bytes : 0;

		if (options->area_pct < 100)
			length = (uint64_t)((long double)size * options->area_pct / 100);
		if (length > room)
			length = room;
	}
	return length - length % lba;
}

static struct write_amount fill_amount(
	const struct options *options, const struct run_target *target)
{
	if (!options->prepare[0] || !strcmp(options->prepare, "none"))
		return (struct write_amount){WRITE_NOTHING, 0};
	if (!target->size_bytes)
		return (struct write_amount){WRITE_UNBOUNDED, 0};
	return amount(WRITE_EXACTLY,
		(double)filled_length(options, target) * (double)options->prepare_passes);
}

double write_plan_link_bytes_s(const struct run_target *target)
{
	if (!(target->link_gts > 0) || target->link_width <= 0)
		return 0;
	/* 8b/10b up to 5 GT/s, 128b/130b above; what packets cost on top is the drive's loss */
	return target->link_gts * 1e9 * target->link_width / 8 *
		(target->link_gts < 6 ? 0.8 : 128.0 / 130);
}

static void plan_life(const struct smart *smart, struct write_plan *plan)
{
	u128 written;

	if (!smart || plan->total.bound == WRITE_UNBOUNDED || plan->total.bound == WRITE_NOTHING)
		return;
	if (!smart->data_units_written.reported || !smart->percentage_used.reported ||
		!smart_units_bytes(smart->data_units_written.value, &written) || !written)
		return;
	const int64_t used = smart->percentage_used.value;

	/* At the ceiling the counter has stopped, and the life with it. */
	if (used < 0 || used >= SMART_USED_CEILING)
		return;
	plan->life =
		used && plan->total.bound != WRITE_AT_MOST ? WRITE_LIFE_ABOUT : WRITE_LIFE_AT_MOST;
	plan->life_share =
		(double)plan->total.bytes / ((double)written * 100 / (double)(used ? used : 1));
}

bool write_plan_writes(const struct write_question *question)
{
	const struct run_target any = {.size_bytes = 1, .area_length = 1};

	return bytes_per_io(question).written > 0 ||
		fill_amount(question->options, &any).bound != WRITE_NOTHING;
}

const struct smart *write_plan_smart(
	const struct run_target *target, const struct inventory *inventory)
{
	const struct inventory_namespace *ns = NULL;

	if (inventory && strcmp(target->kind, "file") != 0)
		ns = inventory_find_namespace(inventory, target->name);
	if (!ns || ns->controller_index >= inventory->controller_count)
		return NULL;
	const struct inventory_controller *controller =
		&inventory->controllers[ns->controller_index];

	return controller->smart_info.read_at ? &controller->smart : NULL;
}

void write_plan_make(const struct write_question *question, const struct run_target *target,
	const struct smart *smart, struct write_plan *out)
{
	*out = (struct write_plan){.seconds = runner_estimate_s(question->method, question->options,
					   question->workload)};
	out->test = test_amount(question, target);
	out->fill = fill_amount(question->options, target);
	out->total = (struct write_amount){
		out->test.bound > out->fill.bound ? out->test.bound : out->fill.bound,
		out->test.bytes + out->fill.bytes};
	plan_life(smart, out);
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *bound_word(enum write_bound bound)
{
	switch (bound) {
	case WRITE_ABOUT:
		return "about ";
	case WRITE_AT_MOST:
		return "at most ";
	case WRITE_UNBOUNDED:
		return "at least ";
	case WRITE_NOTHING:
	case WRITE_EXACTLY:
		break;
	}
	return "";
}

void write_plan_amount_text(const struct write_plan *plan, char *buf, size_t size)
{
	char bytes[32], time[32];

	if (plan->total.bound == WRITE_NOTHING) {
		str_copy(buf, size, "nothing");
		return;
	}
	if (plan->total.bound != WRITE_UNBOUNDED) {
		str_format(buf, size, "%s%s", bound_word(plan->total.bound),
			units_bytes_si(bytes, sizeof(bytes), plan->total.bytes));
		return;
	}
	str_copy(buf, size, "");
	if (plan->fill.bound == WRITE_UNBOUNDED) {
		str_copy(buf, size, "all of what is filled, whose size is not known");
		return;
	}
	if (plan->fill.bytes)
		str_format(buf, size, "%s, then ",
			units_bytes_si(bytes, sizeof(bytes), plan->fill.bytes));
	if (isfinite(plan->seconds) && plan->seconds < 60)
		str_append(buf, size, "as much as it takes in %.3g s", plan->seconds);
	else if (isfinite(plan->seconds))
		str_append(buf, size, "as much as it takes in %s",
			units_clock(time, sizeof(time), plan->seconds));
	else
		str_append(buf, size, "as much as the test asks for");
}

static void percent_text(double share, char *buf, size_t size)
{
	const double percent = share * 100;

	if (percent < 0.01)
		str_copy(buf, size, "less than 0.01 %");
	else
		str_format(buf, size, percent < 10 ? "%.2g %%" : "%.0f %%", percent);
}

void write_plan_life_text(const struct write_plan *plan, char *buf, size_t size)
{
	char percent[32];

	if (plan->life == WRITE_LIFE_UNKNOWN) {
		str_copy(buf, size, "what share of its rated life that is, is not known");
		return;
	}
	percent_text(plan->life_share, percent, sizeof(percent));
	str_format(buf, size, "%s%s of its rated life",
		plan->life == WRITE_LIFE_AT_MOST && percent[0] != 'l' ? "at most " : "", percent);
}

void write_plan_text(
	const struct write_plan *plan, const struct run_target *target, char *buf, size_t size)
{
	char bytes[128], life[96];

	write_plan_amount_text(plan, bytes, sizeof(bytes));
	str_format(buf, size, "writes %s to %s", bytes, target->name);
	/* what cannot be bounded has no share, and a file no life of its own */
	if (plan->total.bound == WRITE_UNBOUNDED || !strcmp(target->kind, "file"))
		return;
	write_plan_life_text(plan, life, sizeof(life));
	str_append(buf, size, ", %s", life);
}
