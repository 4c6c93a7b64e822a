/* Short texts of a run's figures. */
#include "report/run_cells.h"

#include <math.h>

#include "base/str.h"
#include "base/units.h"
#include "stats/hist.h"

/* What the histogram could not hold is "at least". */
char *run_cell_latency(char *dst, size_t size, double ns, bool ascii)
{
	char text[32];

	units_latency(text, sizeof(text), ns, ascii);
	str_format(dst, size, "%s%s", ns >= (double)HIST_MAX_NS ? ">=" : "", text);
	return dst;
}

/* "235,190"; below 100 with a decimal: slow loads are told apart. */
char *run_cell_rate(char *dst, size_t size, double rate)
{
	if (!(rate >= 0) || isinf(rate))
		str_copy(dst, size, "-");
	else if (rate < 99.95)
		str_format(dst, size, "%.1f", rate);
	else
		units_grouped(dst, size, (u128)(rate + 0.5));
	return dst;
}

char *run_cell_decimal(char *dst, size_t size, double value)
{
	if (isnan(value))
		str_copy(dst, size, "-");
	else
		str_format(dst, size, "%.1f", value);
	return dst;
}

char *run_cell_percent(char *dst, size_t size, double percent)
{
	if (!isfinite(percent))
		str_copy(dst, size, "");
	else if (fabs(percent) < 0.05)
		str_copy(dst, size, "0 %");
	else
		str_format(dst, size, fabs(percent) < 99.95 ? "%+.1f %%" : "%+.0f %%", percent);
	return dst;
}
