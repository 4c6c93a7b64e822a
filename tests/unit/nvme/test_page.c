/* Bounded page access: hand-worked bytes, and every offset against every length. */
#include "fixture.h"

static const uint8_t bytes[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b,
	0x0c, 0x0d, 0x0e, 0x0f, 0xf0, 0xff};

static void little_endian(void **state)
{
	const struct page page = {bytes, sizeof(bytes)};
	bool ok = true;

	(void)state;
	assert_int_equal(page_u8(&page, 16, &ok), 0xff);
	assert_int_equal(page_u16(&page, 0, &ok), 0x0201);
	assert_int_equal(page_u16(&page, 15, &ok), 0xfff0);
	assert_int_equal(page_u32(&page, 1, &ok), 0x05040302);
	assert_true(page_u64(&page, 8, &ok) == UINT64_C(0xf00f0e0d0c0b0a09));
	const u128 all = page_u128(&page, 0, &ok);
	assert_true((uint64_t)all == UINT64_C(0x0807060504030201));
	assert_true((uint64_t)(all >> 64) == UINT64_C(0xf00f0e0d0c0b0a09));
	assert_int_equal(page_get(&page, 2, 3, &ok), 0x050403);
	assert_true(ok);
}

/* A field is given whole or not at all, wherever the page ends. */
static void every_bound(void **state)
{
	static const size_t sizes[] = {1, 2, 4, 8, 16};

	(void)state;
	for (size_t length = 0; length <= sizeof(bytes); length++) {
		uint8_t *exact = fixture_exact(bytes, length);
		const struct page page = {exact, length};

		for (size_t offset = 0; offset < 40; offset++) {
			for (size_t i = 0; i < 5; i++) {
				bool ok = true;
				const u128 value = page_get(&page, offset, sizes[i], &ok);

				assert_int_equal(ok, offset + sizes[i] <= length);
				if (!ok)
					assert_true(value == 0);
			}
		}
		free(exact);
	}
}

static void absurd_offsets(void **state)
{
	const struct page page = {bytes, sizeof(bytes)};
	const struct page none = {NULL, 0};
	const size_t offsets[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 15, SIZE_MAX / 2};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		bool ok = true;

		assert_true(page_u128(&page, offsets[i], &ok) == 0);
		assert_false(ok);
		ok = true;
		assert_int_equal(page_u8(&page, offsets[i], &ok), 0);
		assert_false(ok);
		assert_int_equal(page_u16(&none, offsets[i], NULL), 0);
	}
	bool ok = false;
	page_u8(&page, 0, &ok);
	assert_false(ok); /* a good read does not mend the flag */
}

static void put_and_get(void **state)
{
	uint8_t buffer[64] = {0};
	const u128 big = ((u128)UINT64_C(0x8899aabbccddeeff) << 64) | UINT64_C(0x0011223344556677);

	(void)state;
	page_put_u16(buffer, 1, 0xbeef);
	page_put_u32(buffer, 4, 0xdeadbeef);
	page_put_u64(buffer, 8, UINT64_C(0x1122334455667788));
	page_put_u128(buffer, 17, big);
	assert_int_equal(buffer[1], 0xef);
	assert_int_equal(buffer[2], 0xbe);
	assert_int_equal(buffer[4], 0xef);
	assert_int_equal(buffer[7], 0xde);
	assert_int_equal(buffer[8], 0x88);
	assert_int_equal(buffer[15], 0x11);
	assert_int_equal(buffer[17], 0x77);
	assert_int_equal(buffer[32], 0x88);
	assert_int_equal(buffer[33], 0);
	const struct page page = {buffer, sizeof(buffer)};
	assert_true(page_u128(&page, 17, NULL) == big);
	assert_false(page_all_zero(&page));
	const struct page tail = {buffer + 33, sizeof(buffer) - 33};
	assert_true(page_all_zero(&tail));
}

static void kelvin(void **state)
{
	static const struct {
		uint16_t kelvin;
		bool reported;
		int celsius;
	} rows[] = {{0, false, 0}, {0xffff, false, 0}, {263, true, -10}, {273, true, 0},
		{1, true, -272}, {358, true, 85}, {0xfffe, true, 65261}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct field_int field = page_kelvin(rows[i].kelvin);

		assert_int_equal(field.reported, rows[i].reported);
		assert_int_equal(field.value, rows[i].celsius);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(little_endian),
		cmocka_unit_test(every_bound),
		cmocka_unit_test(absurd_offsets),
		cmocka_unit_test(put_and_get),
		cmocka_unit_test(kelvin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
