/* Bounded little-endian access to pages from a drive: the one place that turns bytes of unknown
 * length into numbers. */
#include "nvme/page.h"

/* Whether `size` bytes at `offset` lie inside the page; written so that nothing can wrap. */
static bool page_has(const struct page *page, size_t offset, size_t size, bool *ok)
{
	if (page->bytes != NULL && size <= page->length && offset <= page->length - size)
		return true;
	if (ok != NULL)
		*ok = false;
	return false;
}

u128 page_get(const struct page *page, size_t offset, size_t size, bool *ok)
{
	u128 value = 0;

	if (size > sizeof(value) || !page_has(page, offset, size, ok))
		return 0;
	for (size_t i = size; i > 0; i--)
		value = value << 8 | page->bytes[offset + i - 1];
	return value;
}

uint8_t page_u8(const struct page *page, size_t offset, bool *ok)
{
	return (uint8_t)page_get(page, offset, 1, ok);
}

uint16_t page_u16(const struct page *page, size_t offset, bool *ok)
{
	return (uint16_t)page_get(page, offset, 2, ok);
}

uint32_t page_u32(const struct page *page, size_t offset, bool *ok)
{
	return (uint32_t)page_get(page, offset, 4, ok);
}

uint64_t page_u64(const struct page *page, size_t offset, bool *ok)
{
	return (uint64_t)page_get(page, offset, 8, ok);
}

u128 page_u128(const struct page *page, size_t offset, bool *ok)
{
	return page_get(page, offset, 16, ok);
}

bool page_all_zero(const struct page *page)
{
	for (size_t i = 0; i < page->length; i++)
		if (page->bytes[i] != 0)
			return false;
	return true;
}

static void page_put(uint8_t *bytes, size_t offset, size_t size, u128 value)
{
	for (size_t i = 0; i < size; i++) {
		bytes[offset + i] = (uint8_t)value;
		value >>= 8;
	}
}

void page_put_u16(uint8_t *bytes, size_t offset, uint16_t value)
{
	page_put(bytes, offset, 2, value);
}

void page_put_u32(uint8_t *bytes, size_t offset, uint32_t value)
{
	page_put(bytes, offset, 4, value);
}

void page_put_u64(uint8_t *bytes, size_t offset, uint64_t value)
{
	page_put(bytes, offset, 8, value);
}

void page_put_u128(uint8_t *bytes, size_t offset, u128 value)
{
	page_put(bytes, offset, 16, value);
}

struct field_int page_kelvin(uint16_t kelvin)
{
	struct field_int field = {0};

	if (kelvin == 0 || kelvin == 0xffff)
		return field;
	field.reported = true;
	field.value = (int64_t)kelvin - 273;
	return field;
}

struct field_int page_field_int(const struct page *page, size_t offset, size_t size)
{
	struct field_int field = {.reported = true};

	field.value = (int64_t)page_get(page, offset, size, &field.reported);
	return field;
}

struct field_u128 page_field_u128(const struct page *page, size_t offset)
{
	struct field_u128 field = {.reported = true};

	field.value = page_u128(page, offset, &field.reported);
	return field;
}
