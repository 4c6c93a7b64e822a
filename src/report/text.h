/* Drives as plain text for people: `list` and `health` without --json
 * (`show` is text_show.h). Pure; any thread. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "base/str.h"
#include "nvme/inventory.h"
#include "report/text_show.h"
#include "report/text_table.h"

/* A table of controllers with their namespaces, then other block devices, then what is wrong. */
void text_list(
	const struct inventory *inventory, const struct text_style *style, struct strbuf *out);

/* One line per drive and one per reason; names, count, worst as drive_json_health. */
int text_health(const struct inventory *inventory, const char *const *names, size_t count,
	const struct text_style *style, struct strbuf *out, enum health_verdict *worst,
	struct err *err);

#endif
