/* Judges a drive's health and says why, in words with figures. What must not be called a failure
 * is in the comments below; the cases come from public reports about monitoring tools. */
#include "nvme/health.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define USED_WARNING 90 /* percent of the rated endurance */
#define USED_UP 100

static void health_add(struct health *health, enum health_verdict severity, const char *advice,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

static void health_add(struct health *health, enum health_verdict severity, const char *advice,
	const char *format, ...)
{
	va_list args;

	if (health->reason_count == HEALTH_MAX_REASONS)
		return;
	struct health_reason *reason = &health->reasons[health->reason_count++];
	reason->severity = severity;
	va_start(args, format);
	vsnprintf(reason->text, sizeof(reason->text), format, args);
	va_end(args);
	str_copy(reason->advice, sizeof(reason->advice), advice);
}

static bool health_has(const struct smart *smart, unsigned bit)
{
	return (smart->critical_warning & bit) != 0;
}

static long long health_value(const struct field_int *field)
{
	return field->reported ? (long long)field->value : 0;
}

/* A threshold of 0 is no threshold: virtual controllers report spare 0 % with it. */
static void health_judge_spare(const struct smart *smart, struct health *health)
{
	const long long spare = health_value(&smart->available_spare);
	const long long threshold = health_value(&smart->spare_threshold);
	const bool known = smart->available_spare.reported && threshold > 0;
	const bool warned = health_has(smart, SMART_WARN_SPARE);

	if (known && spare < threshold)
		health_add(health, HEALTH_CRITICAL, "back up its data and replace the drive",
			"spare below threshold: %lld %% of the spare blocks are left, the threshold is "
			"%lld %%",
			spare, threshold);
	else if (known && spare == threshold)
		health_add(health, warned ? HEALTH_CRITICAL : HEALTH_WARNING,
			"back up its data and plan its replacement",
			"the spare blocks have come down to their threshold of %lld %%", threshold);
	else if (warned && known)
		health_add(health, HEALTH_WARNING,
			"watch the available spare; look for a firmware update",
			"the drive warns \"spare below threshold\", though %lld %% of the spare blocks "
			"are left and the threshold is %lld %%",
			spare, threshold);
	else if (warned)
		health_add(health, HEALTH_CRITICAL, "back up its data and replace the drive",
			"the drive warns \"spare below threshold\": %lld %% of the spare blocks are left",
			spare);
}

/* Limits at or below 0 C are not limits that a drive means: unset fields of some firmware. */
static bool health_limit(const struct field_int *limit)
{
	return limit->reported && limit->value > 0;
}

static void health_judge_temperature(
	const struct smart *smart, const struct identify_controller *id, struct health *health)
{
	static const char cool[] = "improve its cooling: airflow, heatsink, neighbours";
	const struct field_int *now = &smart->temperature_c;
	const bool warned = health_has(smart, SMART_WARN_TEMPERATURE);
	char limits[64] = "";

	if (id != NULL && health_limit(&id->warning_temperature_c))
		str_append(limits, sizeof(limits), "; it warns from %lld C",
			health_value(&id->warning_temperature_c));
	if (id != NULL && health_limit(&id->critical_temperature_c))
		str_append(limits, sizeof(limits), "%s %lld C",
			limits[0] ? ", critical from" : "; critical from",
			health_value(&id->critical_temperature_c));
	if (now->reported && id != NULL && health_limit(&id->critical_temperature_c) &&
		now->value >= id->critical_temperature_c.value)
		health_add(health, HEALTH_CRITICAL, cool,
			"temperature %lld C: the critical limit is %lld C", health_value(now),
			health_value(&id->critical_temperature_c));
	else if (warned && now->reported)
		health_add(health, HEALTH_WARNING, cool,
			"the drive warns of its temperature: %lld C now%s", health_value(now),
			limits);
	else if (warned)
		health_add(health, HEALTH_WARNING, cool,
			"the drive warns of its temperature, but does not report it%s", limits);
	else if (now->reported && id != NULL && health_limit(&id->warning_temperature_c) &&
		now->value >= id->warning_temperature_c.value)
		health_add(health, HEALTH_WARNING, cool,
			"temperature %lld C: the warning limit is %lld C", health_value(now),
			health_value(&id->warning_temperature_c));
}

/* percentage_used above 100 is no failure: the drive has done what it was rated for and works on.
 * Many firmwares then raise the reliability bit for that reason alone. */
static void health_judge_wear(const struct smart *smart, struct health *health)
{
	const long long used = health_value(&smart->percentage_used);
	const bool degraded = health_has(smart, SMART_WARN_RELIABILITY);
	const bool errors = smart->media_errors.reported && smart->media_errors.value > 0;
	const bool by_wear = used >= USED_UP && !errors;
	char text[24];

	smart_used_text(&smart->percentage_used, text, sizeof(text));
	if (degraded && by_wear)
		health_add(health, HEALTH_WARNING, "",
			"the drive reports \"reliability degraded\", with its rated endurance used up and "
			"no media errors");
	else if (degraded)
		health_add(health, HEALTH_CRITICAL, "back up its data and replace the drive",
			"the drive reports \"reliability degraded\": media errors or an internal fault");
	if (used >= USED_UP)
		health_add(health, HEALTH_WARNING,
			"it works on past its rating, without a promise: plan its replacement",
			"%s of the rated endurance is used", text);
	else if (used >= USED_WARNING)
		health_add(health, HEALTH_WARNING, "plan its replacement",
			"%s of the rated endurance is used", text);
}

/* Byte 6 sums up the endurance groups, with bits of the same meaning as those of the drive. */
static void health_judge_groups(const struct smart *smart, struct health *health)
{
	const unsigned bits = smart->endurance_group_warning;
	char texts[8][48], all[256] = "";
	const size_t count = smart_warning_texts((uint8_t)bits, texts, 8);

	for (size_t i = 0; i < count; i++)
		str_append(all, sizeof(all), "%s%s", i ? ", " : "", texts[i]);
	if (bits)
		health_add(health, bits & SMART_WARN_READ_ONLY ? HEALTH_CRITICAL : HEALTH_WARNING,
			"see the endurance group log of the drive", "an endurance group warns: %s",
			all);
}

static void health_judge_rest(const struct smart *smart, struct health *health)
{
	char number[64];

	if (health_has(smart, SMART_WARN_READ_ONLY))
		health_add(health, HEALTH_CRITICAL, "copy its data elsewhere and replace the drive",
			"the drive has become read only and refuses writes");
	if (health_has(smart, SMART_WARN_BACKUP))
		health_add(health, HEALTH_CRITICAL,
			"a power loss may lose acknowledged writes: have it replaced",
			"volatile memory backup failed (its power-loss protection)");
	if (health_has(smart, SMART_WARN_PMR))
		health_add(health, HEALTH_WARNING,
			"what keeps data in that region must not rely on it",
			"the persistent memory region is read-only or unreliable");
	if (health_has(smart, SMART_WARN_UNKNOWN))
		health_add(health, HEALTH_WARNING, "ask its vendor what they mean",
			"the drive sets unknown warning bits: 0x%02x",
			smart->critical_warning & SMART_WARN_UNKNOWN);
	if (smart->media_errors.reported && smart->media_errors.value > 0)
		health_add(health, HEALTH_WARNING,
			"check file systems and backups; replace the drive if the number grows",
			"%s media error%s: data that could not be read or written correctly",
			units_grouped(number, sizeof(number), smart->media_errors.value),
			smart->media_errors.value == 1 ? "" : "s");
}

static void health_judge_link(const struct environment *env, struct health *health)
{
	const bool slot = env->slot_max_width > 0 && env->slot_max_gts > 0;
	double gts = env->link_max_gts;
	int width = env->link_max_width;
	char now[32], most[32];

	if (!environment_link_narrowed(env))
		return;
	if (slot && env->slot_max_gts < gts)
		gts = env->slot_max_gts;
	if (slot && env->slot_max_width < width)
		width = env->slot_max_width;
	environment_link_text(env->link_gts, env->link_width, now, sizeof(now));
	environment_link_text(gts, width, most, sizeof(most));
	health_add(health, HEALTH_WARNING, "reseat it; check slot, riser and cable",
		"the PCIe link runs at %s, %s can %s", now, slot ? "drive and slot" : "the drive",
		most);
}

/* What the kernel thinks of the controller. Being reset or reconnected is no fault of the drive's
 * media, but its figures are old then. */
static void health_judge_state(const char *state, struct health *health)
{
	if (strcmp(state, "dead") == 0)
		health_add(health, HEALTH_CRITICAL,
			"look into the kernel log; power-cycle it, replace it if that comes again",
			"the controller is dead: the kernel has given it up");
	else if (strcmp(state, "resetting") == 0)
		health_add(health, HEALTH_WARNING, "look into the kernel log if it stays so",
			"the controller is resetting and does not answer now");
	else if (strcmp(state, "connecting") == 0)
		health_add(health, HEALTH_WARNING, "check the network and the target",
			"the connection to the controller is lost, the kernel is reconnecting");
	else if (str_starts_with(state, "deleting"))
		health_add(health, HEALTH_WARNING, "", "the controller is being removed");
}

/* Worst first; equal ones keep their order. Lists are short. */
static void health_sort(struct health *health)
{
	for (size_t i = 1; i < health->reason_count; i++) {
		const struct health_reason moved = health->reasons[i];
		size_t at = i;

		while (at > 0 && health->reasons[at - 1].severity != moved.severity &&
			health_worst(health->reasons[at - 1].severity, moved.severity) ==
				moved.severity) {
			health->reasons[at] = health->reasons[at - 1];
			at--;
		}
		health->reasons[at] = moved;
	}
}

enum health_verdict health_worst(enum health_verdict a, enum health_verdict b)
{
	static const int rank[] = {[HEALTH_GOOD] = 0,
		[HEALTH_UNKNOWN] = 1,
		[HEALTH_WARNING] = 2,
		[HEALTH_CRITICAL] = 3};

	return rank[a] >= rank[b] ? a : b;
}

void health_judge(const struct smart *smart, const struct identify_controller *id,
	const struct environment *env, const char *state, const char *why, struct health *out)
{
	memset(out, 0, sizeof(*out));
	health_judge_state(state != NULL ? state : "", out);
	if (smart != NULL) {
		health_judge_spare(smart, out);
		health_judge_wear(smart, out);
		health_judge_rest(smart, out);
		health_judge_groups(smart, out);
		health_judge_temperature(smart, id, out);
	}
	if (env != NULL)
		health_judge_link(env, out);
	if (id != NULL && id->implausible)
		health_add(out, HEALTH_WARNING,
			"read it again in a minute; see the kernel log for resets",
			"serial and model look like an uninitialised buffer, as after a reset");
	health_sort(out);
	for (size_t i = 0; i < out->reason_count; i++)
		out->verdict = health_worst(out->verdict, out->reasons[i].severity);
	if (smart != NULL)
		return;
	/* Without SMART nothing good can be said, and nothing bad that the drive is not known for. */
	if (out->verdict != HEALTH_CRITICAL)
		out->verdict = HEALTH_UNKNOWN;
	health_add(out, HEALTH_UNKNOWN, "", "SMART could not be read: %s",
		why != NULL && why[0] != '\0' ? why : "it has not been asked for");
}

const char *health_word(enum health_verdict verdict)
{
	switch (verdict) {
	case HEALTH_GOOD:
		return "good";
	case HEALTH_WARNING:
		return "WARN";
	case HEALTH_CRITICAL:
		return "CRIT";
	case HEALTH_UNKNOWN:
		break;
	}
	return "-";
}

const char *health_name(enum health_verdict verdict)
{
	switch (verdict) {
	case HEALTH_GOOD:
		return "good";
	case HEALTH_WARNING:
		return "warning";
	case HEALTH_CRITICAL:
		return "critical";
	case HEALTH_UNKNOWN:
		break;
	}
	return "unknown";
}
