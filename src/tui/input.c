/* Decoder of terminal input (ECMA-48 sequences, xterm's mouse protocols, bracketed paste). */
#include "tui/input.h"

#include <string.h>

#include "base/str.h"

#define ESC 0x1b
#define INPUT_PARAMS 8
#define INPUT_CSI_MAX 64

#define INPUT_DOUBLE_CLICK_NS 400000000ull

/* clang-format off */
const struct input_capability input_capabilities[] = {
	{"kcuu1", KEYC_UP}, {"kcud1", KEYC_DOWN}, {"kcub1", KEYC_LEFT}, {"kcuf1", KEYC_RIGHT},
	{"kpp", KEYC_PGUP}, {"knp", KEYC_PGDN}, {"khome", KEYC_HOME}, {"kend", KEYC_END},
	{"kich1", KEYC_INS}, {"kdch1", KEYC_DEL}, {"kcbt", KEYC_BACKTAB}, {"kent", KEYC_ENTER},
	{"kbs", KEYC_BACKSPACE},
	{"kf1", KEYC_F1}, {"kf2", KEYC_F1 + 1}, {"kf3", KEYC_F1 + 2}, {"kf4", KEYC_F1 + 3},
	{"kf5", KEYC_F1 + 4}, {"kf6", KEYC_F1 + 5}, {"kf7", KEYC_F1 + 6}, {"kf8", KEYC_F1 + 7},
	{"kf9", KEYC_F1 + 8}, {"kf10", KEYC_F1 + 9}, {"kf11", KEYC_F1 + 10},
	{"kf12", KEYC_F1 + 11},
};
/* clang-format on */
const size_t input_capability_count = sizeof(input_capabilities) / sizeof(input_capabilities[0]);

void input_init(struct input *input, bool utf8)
{
	*input = (struct input){.utf8 = utf8};
}

void input_add_sequence(struct input *input, const char *bytes, uint32_t code)
{
	size_t length = strlen(bytes);
	struct input_sequence *sequence;

	/* one byte is a character or control character, which have their own meaning */
	if (length < 2 || length > sizeof(sequence->bytes) || bytes[0] != ESC ||
		input->sequence_count == INPUT_SEQUENCES)
		return;
	sequence = &input->sequences[input->sequence_count++];
	memcpy(sequence->bytes, bytes, length);
	sequence->length = length;
	sequence->code = code;
}

size_t input_room(const struct input *input)
{
	return sizeof(input->bytes) - input->length;
}

void input_feed(struct input *input, const void *bytes, size_t length)
{
	if (length > input_room(input))
		length = input_room(input);
	memcpy(input->bytes + input->length, bytes, length);
	input->length += length;
}

static void input_drop(struct input *input, size_t count)
{
	input->length -= count;
	memmove(input->bytes, input->bytes + count, input->length);
	input->escaped = false;
}

bool input_waits(const struct input *input)
{
	return !input->pasting &&
		((input->length == 1 && input->bytes[0] == ESC) ||
			(input->length == 2 && input->bytes[0] == ESC && input->bytes[1] == 'O'));
}

/* What one step of the decoder did. */
enum input_step { STEP_MORE /* needs bytes */, STEP_NOTHING /* took some */, STEP_KEY };

static enum input_step input_give(struct input *input, size_t used, uint32_t code, struct key *out)
{
	input_drop(input, used);
	*out = (struct key){.code = code, .pasted = input->pasting};
	return STEP_KEY;
}

/* ---- mouse ----------------------------------------------------------------------------------- */

/* buttons as xterm encodes them, without the offset of 32; x and y from 1. Only presses and the
 * wheel are events. */
static enum input_step input_mouse(
	struct input *input, size_t used, int buttons, int x, int y, bool release, struct key *out)
{
	enum mouse_button button = MOUSE_NONE;

	if (buttons >= 64 && buttons < 128 && (buttons & 32) == 0)
		button = (buttons & 3) == 0  ? MOUSE_WHEEL_UP
			: (buttons & 3) == 1 ? MOUSE_WHEEL_DOWN
					     : MOUSE_NONE;
	else if (buttons >= 0 && buttons < 32 && !release)
		button = (buttons & 3) == 0  ? MOUSE_LEFT
			: (buttons & 3) == 1 ? MOUSE_MIDDLE
			: (buttons & 3) == 2 ? MOUSE_RIGHT
					     : MOUSE_NONE;
	input_drop(input, used);
	if (button == MOUSE_NONE || x < 1 || y < 1 || input->pasting)
		return STEP_NOTHING;
	*out = (struct key){.code = KEYC_MOUSE, .x = x - 1, .y = y - 1, .button = button};
	return STEP_KEY;
}

/* One number of an X10 report: a byte, or in mode 1005 two bytes of UTF-8. Returns the bytes used,
 * 0 when there are none yet. */
static size_t input_x10_number(const struct input *input, size_t at, int *out)
{
	const unsigned char *b = input->bytes + at;

	if (at >= input->length)
		return 0;
	if (at + 1 < input->length && b[0] >= 0xc2 && b[0] <= 0xdf && (b[1] & 0xc0) == 0x80) {
		*out = ((b[0] & 0x1f) << 6 | (b[1] & 0x3f)) - 32;
		return 2;
	}
	*out = b[0] - 32;
	return 1;
}

/* CSI M Cb Cx Cy */
static enum input_step input_mouse_x10(struct input *input, size_t at, struct key *out)
{
	int numbers[3];

	for (int i = 0; i < 3; i++) {
		size_t used = input_x10_number(input, at, &numbers[i]);

		if (used == 0)
			return STEP_MORE;
		at += used;
	}
	return input_mouse(input, at, numbers[0], numbers[1], numbers[2], false, out);
}

/* ---- control sequences ----------------------------------------------------------------------- */

static uint32_t input_key_of_letter(unsigned char letter)
{
	switch (letter) {
	case 'A':
		return KEYC_UP;
	case 'B':
		return KEYC_DOWN;
	case 'C':
		return KEYC_RIGHT;
	case 'D':
		return KEYC_LEFT;
	case 'H':
		return KEYC_HOME;
	case 'F':
		return KEYC_END;
	case 'P':
	case 'Q':
	case 'R':
	case 'S':
		return KEYC_F1 + (uint32_t)(letter - 'P');
	case 'Z':
		return KEYC_BACKTAB;
	default:
		return KEY_NONE;
	}
}

/* CSI number ~, as the VT220, xterm, rxvt and the Linux console send it. */
static uint32_t input_key_of_number(int number)
{
	static const uint32_t keys[25] = {
		[1] = KEYC_HOME,
		[2] = KEYC_INS,
		[3] = KEYC_DEL,
		[4] = KEYC_END,
		[5] = KEYC_PGUP,
		[6] = KEYC_PGDN,
		[7] = KEYC_HOME,
		[8] = KEYC_END,
		[11] = KEYC_F1,
		[12] = KEYC_F1 + 1,
		[13] = KEYC_F1 + 2,
		[14] = KEYC_F1 + 3,
		[15] = KEYC_F1 + 4,
		[17] = KEYC_F1 + 5,
		[18] = KEYC_F1 + 6,
		[19] = KEYC_F1 + 7,
		[20] = KEYC_F1 + 8,
		[21] = KEYC_F1 + 9,
		[23] = KEYC_F1 + 10,
		[24] = KEYC_F1 + 11,
	};

	return number >= 0 && number < 25 ? keys[number] : KEY_NONE;
}

struct input_csi {
	int params[INPUT_PARAMS];
	size_t count;
	char prefix; /* one of < = > ? or 0 */
	bool intermediate;
	unsigned char final;
	size_t end; /* behind the final byte */
};

/* Reads parameters from at on. 1: whole; 0: bytes are missing; -1: not a sequence, broken off at
 * csi->end. */
static int input_parse_csi(const struct input *input, size_t at, struct input_csi *csi)
{
	bool digits = false;

	*csi = (struct input_csi){0};
	for (; at < input->length; at++) {
		unsigned char b = input->bytes[at];

		if (b >= '0' && b <= '9') {
			int *param = &csi->params[csi->count < INPUT_PARAMS ? csi->count
									    : INPUT_PARAMS - 1];

			*param = *param < 100000 ? *param * 10 + (b - '0') : *param;
			digits = true;
		} else if (b == ';' || b == ':') {
			csi->count++;
			digits = true;
		} else if (b >= '<' && b <= '?') {
			csi->prefix = (char)b;
		} else if (b >= ' ' && b <= '/') {
			csi->intermediate = true;
		} else {
			csi->count += digits;
			csi->final = b;
			/* a control character or ESC breaks it off and stands for itself */
			csi->end = at + (b >= '@' && b <= '~');
			return b >= '@' && b <= '~' ? 1 : -1;
		}
	}
	return 0;
}

static enum input_step input_take_csi(
	struct input *input, const struct input_csi *csi, struct key *out)
{
	uint32_t code = KEY_NONE;

	if (csi->prefix == '<' && (csi->final == 'M' || csi->final == 'm')) {
		if (csi->count < 3) {
			input_drop(input, csi->end);
			return STEP_NOTHING;
		}
		return input_mouse(input, csi->end, csi->params[0], csi->params[1], csi->params[2],
			csi->final == 'm', out);
	}
	/* the same without '<' and with an offset of 32: mode 1015 */
	if (csi->final == 'M' && csi->count >= 3 && !csi->prefix && !csi->intermediate)
		return input_mouse(input, csi->end, csi->params[0] - 32, csi->params[1],
			csi->params[2], false, out);
	if (!csi->prefix && !csi->intermediate) {
		if (csi->final == '~' && csi->params[0] == 200) {
			input_drop(input, csi->end);
			input->pasting = true;
			return STEP_NOTHING;
		}
		code = csi->final == '~' ? input_key_of_number(csi->params[0])
					 : input_key_of_letter(csi->final);
	}
	if (code != KEY_NONE)
		return input_give(input, csi->end, code, out);
	input_drop(input, csi->end);
	return STEP_NOTHING;
}

/* Bytes that follow a report of highlight tracking (mode 1001) without parameters. */
static size_t input_highlight_bytes(const struct input_csi *csi)
{
	if (csi->count > 0 || csi->prefix || csi->intermediate)
		return 0;
	return csi->final == 't' ? 2 : csi->final == 'T' ? 6 : 0;
}

/* at: behind the introducer. */
static enum input_step input_csi_step(struct input *input, size_t at, struct key *out)
{
	struct input_csi csi;
	size_t more;
	int whole;

	if (at >= input->length)
		return STEP_MORE;
	if (input->bytes[at] == 'M')
		return input_mouse_x10(input, at + 1, out);
	if (input->bytes[at] == '[') {
		/* F1 to F5 of the Linux console */
		unsigned char letter = at + 1 < input->length ? input->bytes[at + 1] : 0;

		if (at + 1 >= input->length)
			return STEP_MORE;
		if (letter >= 'A' && letter <= 'E')
			return input_give(input, at + 2, KEYC_F1 + (uint32_t)(letter - 'A'), out);
		input_drop(input, at + 1);
		return STEP_NOTHING;
	}
	whole = input_parse_csi(input, at, &csi);
	if (whole < 0) {
		input_drop(input, csi.end);
		return STEP_NOTHING;
	}
	if (whole == 0) {
		if (input->length - at <= INPUT_CSI_MAX)
			return STEP_MORE;
		input_drop(input, input->length);
		input->swallowing = true;
		return STEP_NOTHING;
	}
	more = input_highlight_bytes(&csi);
	if (more > 0) {
		if (input->length < csi.end + more)
			return STEP_MORE;
		input_drop(input, csi.end + more);
		return STEP_NOTHING;
	}
	return input_take_csi(input, &csi, out);
}

/* ESC O letter, from at on: arrows, F1 to F4 and the keypad in application mode. */
static enum input_step input_ss3_step(struct input *input, size_t at, struct key *out)
{
	static const char keypad[] = "*+,-./0123456789"; /* 'j' to 'y' */
	unsigned char letter;
	uint32_t code;

	if (at >= input->length)
		return STEP_MORE;
	letter = input->bytes[at];
	code = letter == 'M' ? (uint32_t)KEYC_ENTER : input_key_of_letter(letter);
	if (letter >= 'j' && letter <= 'y')
		code = (unsigned char)keypad[letter - 'j'];
	else if (letter >= 'a' && letter <= 'd') /* arrows with Ctrl in rxvt */
		code = input_key_of_letter((unsigned char)(letter - 32));
	if (code != KEY_NONE)
		return input_give(input, at + 1, code, out);
	input_drop(input, letter < ' ' ? at : at + 1);
	return STEP_NOTHING;
}

static enum input_step input_escape_step(struct input *input, struct key *out)
{
	if (input->length == 1)
		return STEP_MORE;
	for (size_t i = 0; i < input->sequence_count; i++) {
		const struct input_sequence *sequence = &input->sequences[i];

		if (input->length >= sequence->length &&
			memcmp(input->bytes, sequence->bytes, sequence->length) == 0)
			return input_give(input, sequence->length, sequence->code, out);
	}
	if (input->bytes[1] == '[')
		return input_csi_step(input, 2, out);
	if (input->bytes[1] == 'O')
		return input_ss3_step(input, 2, out);
	return input_give(input, 1, KEYC_ESC, out);
}

/* ---- characters ------------------------------------------------------------------------------ */

static enum input_step input_control_step(struct input *input, struct key *out)
{
	unsigned char b = input->bytes[0];

	if (b == '\r' || b == '\n')
		return input_give(input, 1, KEYC_ENTER, out);
	if (b == '\t')
		return input_give(input, 1, KEYC_TAB, out);
	if (b == 0x7f || b == 0x08)
		return input_give(input, 1, KEYC_BACKSPACE, out);
	if (b >= 1 && b <= 26)
		return input_give(input, 1, KEYC_CTRL_A + (uint32_t)(b - 1), out);
	input_drop(input, 1);
	return STEP_NOTHING;
}

static enum input_step input_character_step(struct input *input, struct key *out)
{
	unsigned char b = input->bytes[0];
	size_t need = b < 0x80 ? 1 : b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
	char text[5] = {0};
	const char *next = text;
	uint32_t c;

	if (b < 0x80)
		return input_give(input, 1, b, out);
	if (!input->utf8 || b < 0xc2 || b > 0xf4) {
		input_drop(input, 1);
		return STEP_NOTHING;
	}
	for (size_t i = 1; i < need; i++) {
		if (i >= input->length)
			return STEP_MORE;
		if ((input->bytes[i] & 0xc0) != 0x80) {
			input_drop(input, i);
			return STEP_NOTHING;
		}
	}
	memcpy(text, input->bytes, need);
	c = str_utf8_next(&next);
	if (next != text + need || c < 0xa0) {
		input_drop(input, need);
		return STEP_NOTHING;
	}
	return input_give(input, need, c, out);
}

/* Inside a paste only its end is a sequence. */
static enum input_step input_paste_step(struct input *input, struct key *out)
{
	static const char end[] = "\033[201~";
	size_t length = strlen(end);

	if (input->bytes[0] == ESC) {
		size_t have = input->length < length ? input->length : length;

		if (memcmp(input->bytes, end, have) == 0) {
			if (have < length)
				return STEP_MORE;
			input_drop(input, length);
			input->pasting = false;
			return STEP_NOTHING;
		}
	}
	if (input->bytes[0] < ' ' || input->bytes[0] == 0x7f) {
		input_drop(input, 1);
		return STEP_NOTHING;
	}
	return input_character_step(input, out);
}

static enum input_step input_step(struct input *input, struct key *out)
{
	unsigned char b = input->bytes[0];

	if (input->swallowing) {
		/* the rest of what is no key, up to where a sequence ends */
		input->swallowing = b >= ' ' && b <= '?';
		input_drop(input, b < ' ' ? 0 : 1);
		return STEP_NOTHING;
	}
	if (input->pasting)
		return input_paste_step(input, out);
	if (b == ESC)
		return input_escape_step(input, out);
	/* the same introducers in one byte */
	if (b == 0x9b)
		return input_csi_step(input, 1, out);
	if (b == 0x8f)
		return input_ss3_step(input, 1, out);
	/* the rest of a sequence whose ESC came long before it; nobody types two bytes at once */
	if (input->escaped && b == '[' && input->length > 1)
		return input_csi_step(input, 1, out);
	if (b < ' ' || b == 0x7f)
		return input_control_step(input, out);
	return input_character_step(input, out);
}

bool input_next(struct input *input, struct key *out)
{
	enum input_step step = STEP_NOTHING;

	while (input->length > 0 && step == STEP_NOTHING)
		step = input_step(input, out);
	/* a buffer full of one unfinished thing would never move again */
	if (step == STEP_MORE && input_room(input) == 0)
		input_drop(input, input->length);
	return step == STEP_KEY;
}

bool input_expire(struct input *input, struct key *out)
{
	if (!input_waits(input))
		return false;
	/* behind ESC O there is an O, which comes next */
	input_drop(input, 1);
	input->escaped = input->length == 0;
	*out = (struct key){.code = KEYC_ESC};
	return true;
}

void input_note_click(struct input *input, struct key *key, uint64_t now_ns)
{
	const struct key *last = &input->last_click;

	if (key->code != KEYC_MOUSE || key->button != MOUSE_LEFT)
		return;
	if (last->code == KEYC_MOUSE && now_ns - input->last_click_ns < INPUT_DOUBLE_CLICK_NS &&
		last->x == key->x && last->y == key->y) {
		key->button = MOUSE_DOUBLE;
		/* a third press begins anew */
		input->last_click = (struct key){0};
		return;
	}
	input->last_click = *key;
	input->last_click_ns = now_ns;
}

void input_end_paste(struct input *input)
{
	input->pasting = false;
}
