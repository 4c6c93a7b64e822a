/* One write per frame: what ncurses sends piece by piece during a refresh is gathered in memory and
 * given to the terminal at once, so that no half-painted frame is seen on a slow line. UI thread. */
#ifndef TUI_FRAME_H
#define TUI_FRAME_H

#include <stddef.h>

struct frame {
	int fd;        /* what ncurses writes to */
	int terminal;  /* the terminal itself while fd is diverted; -1 before frame_open */
	int gathering; /* memory file; -1: frames go straight to the terminal */
};

/* fd: a descriptor of the terminal that nobody else writes to. Never fails: without a memory file
 * frames are sent as ncurses writes them. */
void frame_open(struct frame *frame, int fd);
void frame_close(struct frame *frame);
/* Between these two calls everything written to fd is held back; frame_end sends it and returns the
 * bytes sent (0 also when frames are not gathered). */
void frame_begin(struct frame *frame);
size_t frame_end(struct frame *frame);

#endif
