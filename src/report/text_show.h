/* One drive as plain text in sections: `show` without --json. Pure; any thread. */
#ifndef REPORT_TEXT_SHOW_H
#define REPORT_TEXT_SHOW_H

#include "base/str.h"
#include "nvme/inventory.h"
#include "report/text_table.h"

/* name and page as drive_json_show. */
int text_show(const struct inventory *inventory, const char *name, const char *page,
	const struct text_style *style, struct strbuf *out, struct err *err);

#endif
