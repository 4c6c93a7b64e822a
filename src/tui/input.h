/* Bytes of a terminal to keys. A state machine without a terminal, so that it can be tested and
 * fuzzed; tui/term.c feeds it. Mouse reports of every protocol (X10, 1000, 1005, 1006, 1015,
 * highlight, DEC locator) and escape sequences it does not know are taken out whole: their bytes
 * never come out as keys (CASES G5). Pasted text comes out marked, without control characters.
 * UI thread. */
#ifndef TUI_INPUT_H
#define TUI_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/keys.h"

#define INPUT_SEQUENCES 48

struct input {
	unsigned char bytes[4096];
	size_t length;
	bool utf8;
	bool pasting;
	bool escaped;    /* Esc came out because nothing followed in time */
	bool swallowing; /* inside a control sequence that is too long to be one of ours */
	struct input_sequence {
		char bytes[16];
		size_t length;
		uint32_t code;
	} sequences[INPUT_SEQUENCES]; /* of terminfo */
	size_t sequence_count;
	struct key last_click;
	uint64_t last_click_ns;
};

/* The key strings of terminfo that matter. */
struct input_capability {
	const char *name;
	uint32_t code;
};
extern const struct input_capability input_capabilities[];
extern const size_t input_capability_count;

void input_init(struct input *input, bool utf8);
/* A key string of terminfo; those that are too short or too long are left out. */
void input_add_sequence(struct input *input, const char *bytes, uint32_t code);
/* Room for that many more bytes. */
size_t input_room(const struct input *input);
void input_feed(struct input *input, const void *bytes, size_t length);
/* The next whole key; false: more bytes are needed. */
bool input_next(struct input *input, struct key *out);
/* True: an Esc waits for what may follow it. input_expire, called when nothing does within 25 ms,
 * gives the key. */
bool input_waits(const struct input *input);
bool input_expire(struct input *input, struct key *out);
/* Makes the second of two quick presses at one place a MOUSE_DOUBLE. */
void input_note_click(struct input *input, struct key *key, uint64_t now_ns);
/* The end of a paste was lost. */
void input_end_paste(struct input *input);

#endif
