/* Two lists of facts: side by side where there is room (LEFT and RIGHT change over), else the
 * second follows the first in one list. UI thread. */
#ifndef SCREENS_FACTS_PAIR_H
#define SCREENS_FACTS_PAIR_H

#include "screens/facts.h"

#define FACTS_PAIR_WIDE 110

struct facts_pair {
	struct facts first, second;
	bool wide;      /* two lists */
	bool on_second; /* the cursor is in the second */
};

/* Begins both; *second is the first when the width is not enough. Fill *first, then *second. */
void facts_pair_begin(
	struct facts_pair *pair, int width, struct facts **first, struct facts **second);
void facts_pair_end(struct facts_pair *pair);
bool facts_pair_action(struct facts_pair *pair, enum action action);
bool facts_pair_key(struct facts_pair *pair, const struct key *key);
void facts_pair_draw(struct facts_pair *pair, struct canvas *canvas, struct rect area, bool dimmed);
const char *facts_pair_cursor(const struct facts_pair *pair);
void facts_pair_free(struct facts_pair *pair);

#endif
