/* What the runs of a comparison do not have in common, and what makes their figures doubtful, in
 * sentences. Parts of compare_runs(). Pure; any thread. */
#ifndef RESULT_COMPARE_WORDS_H
#define RESULT_COMPARE_WORDS_H

#include "result/compare.h"

void compare_find_unlike(struct comparison *comparison);
void compare_find_doubts(struct comparison *comparison);

#endif
