/* The ASCII character that stands for a graphic one where the terminal shows no UTF-8 (CASES G3).
 * Pure; any thread. */
#ifndef TUI_ASCII_H
#define TUI_ASCII_H

#include <stdint.h>

/* Always printable ASCII, one column; '?' when there is nothing like it. */
char ascii_of(uint32_t code_point);

#endif
