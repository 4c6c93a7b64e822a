/* Recording: the time integral of what is in flight against a hand-made event list, and the
 * hand-over ring. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "io/record.h"

static struct io_pieces pieces;
static struct io_tally tally;

static void test_integral_by_hand(void **state)
{
	/* time     100  150  200  260  300 | 350  400
	 * event     +3   -1   +2   -2   -1 |  -1  close
	 * in flight  3    2    4    2    1 |   0
	 * integral: 3x50 + 2x50 + 4x60 + 2x40 = 570 up to 300; boundary at 320: + 1x20 = 590;
	 * then 1x30 = 30 in the next interval. */
	struct io_recorder recorder;

	(void)state;
	assert_int_equal(io_pieces_create(&pieces, 1, NULL), 0);
	struct io_record *first = &pieces.piece[0].lanes[0], *second = &pieces.piece[1].lanes[0];

	io_recorder_start(&recorder, first, 0, false);
	io_recorder_submit(&recorder, 3, 100);
	io_recorder_done(&recorder, false, 4096, 0, 100, 150);
	io_recorder_submit(&recorder, 2, 200);
	io_recorder_done(&recorder, false, 4096, 0, 100, 260);
	io_recorder_done(&recorder, true, 8192, 0, 100, 260);
	io_recorder_done(&recorder, false, 4096, 0, 200, 300);
	io_recorder_close(&recorder, 320, second);
	assert_int_equal(first->outstanding_ns, 590);
	assert_int_equal(first->scheduled, 5);
	assert_int_equal(first->reads, 3);
	assert_int_equal(first->writes, 1);
	assert_int_equal(first->read_bytes, 3 * 4096);
	assert_int_equal(first->write_bytes, 8192);
	assert_int_equal(first->read_service.count, 3);
	assert_int_equal(first->read_service.sum, 50 + 160 + 100);
	assert_int_equal(first->write_service.sum, 160);
	assert_int_equal(first->response.count, 0); /* closed loop: it is service */
	io_recorder_done(&recorder, false, 4096, 0, 200, 350);
	io_recorder_close(&recorder, 400, second);
	assert_int_equal(second->outstanding_ns, 30);
	assert_int_equal(second->read_service.sum, 150);
	/* Little: latencies of all I/O and the integral are the same number. */
	assert_int_equal(590 + 30, 50 + 160 + 160 + 100 + 150);
	io_tally_reset(&tally);
	io_tally_add(&tally, first, true);
	io_tally_add(&tally, second, true);
	assert_int_equal(tally.service.count, 5);
	assert_int_equal(tally.response.count, 5);
	assert_int_equal(tally.response.sum, 620);
	assert_int_equal(tally.read_service.count, 4);
	assert_true(tally.outstanding_ns == 620);
	io_pieces_destroy(&pieces);
}

static void test_stamps_out_of_order(void **state)
{
	/* Threads stamp: the I/O done at 150 is reported after the one done at 200. In flight 2
	 * until 150, 1 until 200: 2x50 + 1x50 = 150. */
	struct io_recorder recorder;

	(void)state;
	assert_int_equal(io_pieces_create(&pieces, 1, NULL), 0);
	struct io_record *first = &pieces.piece[0].lanes[0], *second = &pieces.piece[1].lanes[0];

	io_recorder_start(&recorder, first, 0, false);
	io_recorder_submit(&recorder, 2, 100);
	io_recorder_done(&recorder, false, 1, 0, 100, 200);
	io_recorder_done(&recorder, false, 1, 0, 100, 150);
	io_recorder_close(&recorder, 250, second);
	assert_int_equal(first->outstanding_ns, 150);
	/* One done before the boundary and reported after it: taken back only as far as this
	 * interval goes. In flight from 250: 1, reported at 300 as done at 240. */
	recorder.in_flight = 1;
	io_recorder_submit(&recorder, 1, 300);
	io_recorder_done(&recorder, false, 1, 0, 200, 240);
	io_recorder_close(&recorder, 310, second);
	assert_int_equal(second->outstanding_ns, 50 - 50 + 10);
	io_pieces_destroy(&pieces);
}

static void test_open_loop_latencies(void **state)
{
	struct io_recorder recorder;

	(void)state;
	assert_int_equal(io_pieces_create(&pieces, 1, NULL), 0);
	struct io_record *record = &pieces.piece[0].lanes[0];

	io_recorder_start(&recorder, record, 0, true);
	io_recorder_submit(&recorder, 2, 1000);
	io_recorder_done(&recorder, false, 512, 400, 1000, 1600);
	io_recorder_done(&recorder, false, 512, 990, 1000, 1600);
	io_recorder_close(&recorder, 2000, record);
	assert_int_equal(record->scheduled, 0); /* counted by the schedule, not here */
	assert_int_equal(record->read_service.sum, 1200);
	assert_int_equal(record->response.sum, 1200 + 610);
	assert_int_equal(record->response.max, 1200);
	io_pieces_destroy(&pieces);
}

#define HANDED 20000

static void *take_all(void *argument)
{
	uint64_t expected = 0, faults = 0;

	(void)argument;
	while (expected < HANDED) {
		struct io_piece *piece = io_pieces_take(&pieces);

		if (!piece)
			continue;
		faults += piece->index != expected || piece->lanes[1].reads != expected * 3 ||
			piece->lanes[0].read_service.count != 1 ||
			piece->lanes[0].read_service.sum != expected;
		expected++;
		io_pieces_release(&pieces);
	}
	return (void *)faults;
}

static void test_ring_between_threads(void **state)
{
	pthread_t owner;
	void *faults;

	(void)state;
	assert_int_equal(io_pieces_create(&pieces, 2, NULL), 0);
	assert_int_equal(pthread_create(&owner, NULL, take_all, NULL), 0);
	for (uint32_t i = 0; i < HANDED;) {
		struct io_piece *piece = io_pieces_current(&pieces);

		if (!io_pieces_room(&pieces))
			continue;
		piece->index = i;
		piece->lanes[1].reads = (uint64_t)i * 3;
		hist_add(&piece->lanes[0].read_service, i);
		io_pieces_publish(&pieces);
		i++;
	}
	pthread_join(owner, &faults);
	assert_null(faults);
	io_pieces_destroy(&pieces);
}

static void test_ring_is_bounded(void **state)
{
	unsigned published = 0;

	(void)state;
	assert_int_equal(io_pieces_create(&pieces, 1, NULL), 0);
	assert_null(io_pieces_take(&pieces));
	while (io_pieces_room(&pieces)) {
		io_pieces_publish(&pieces);
		published++;
	}
	assert_int_equal(published, IO_PIECES - 1);
	assert_non_null(io_pieces_take(&pieces));
	io_pieces_release(&pieces);
	assert_true(io_pieces_room(&pieces));
	io_pieces_destroy(&pieces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integral_by_hand),
		cmocka_unit_test(test_stamps_out_of_order),
		cmocka_unit_test(test_open_loop_latencies),
		cmocka_unit_test(test_ring_between_threads),
		cmocka_unit_test(test_ring_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
