/* The running test's inner parts: figures and charts (live_charts.c), the end (live_end.c).
 * UI thread. */
#ifndef SCREENS_LIVE_H
#define SCREENS_LIVE_H

#include "screens/facts.h"
#include "screens/screen.h"
#include "tui/table.h"

#define LIVE_WIDE 110
#define LIVE_VALUES 1000

enum live_view { LIVE_CHARTS, LIVE_CURVE, LIVE_OUTCOME };

/* What the cursor can stand on, from top to bottom. */
enum live_metric {
	LIVE_PROGRESS,
	LIVE_ASKED,
	LIVE_OUTSTANDING,
	LIVE_BACKLOG,
	LIVE_DIRECTIONS,
	LIVE_SERVICE,
	LIVE_RESPONSE,
	LIVE_READ_SERVICE,
	LIVE_WRITE_SERVICE,
	LIVE_IOPS,
	LIVE_P50,
	LIVE_P99,
	LIVE_P999,
	LIVE_TEMPERATURE,
	LIVE_CURVE_POINTS,
	LIVE_METRICS
};

struct live {
	struct screen screen;
	enum live_view view;
	enum live_metric metric;
	bool shown[LIVE_METRICS]; /* by the last draw */
	bool linear;              /* latency axis */
	bool ended;               /* the end has been noticed */
	uint64_t fingerprint;     /* of what the last update saw */
	struct table *points;
	struct facts outcome;
	double values[LIVE_VALUES]; /* scratch of the charts */
};

/* Progress, asked and achieved, percentiles: returns the lines used of area. */
int live_figures_draw(struct live *live, struct canvas *canvas, struct rect area);
/* Time charts of IOPS, p50, p99, p99.9 and the temperature. */
void live_charts_draw(struct live *live, struct canvas *canvas, struct rect area);
void live_curve_draw(struct live *live, struct canvas *canvas, struct rect area);

void live_outcome_fill(struct live *live);
/* A label that the cursor can stand on. Returns the x behind it. */
int live_label(struct live *live, struct canvas *canvas, int x, int y, int width,
	enum live_metric metric, const char *text);

#endif
