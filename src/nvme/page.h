/* Bounded little-endian access to pages from a drive, and fields that may be absent.
 *
 * Bytes and length come from outside and are never trusted: every get beyond the length answers
 * "not reported". Pure functions; any thread.
 */
#ifndef NVME_PAGE_H
#define NVME_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"

struct page {
	const uint8_t *bytes;
	size_t length; /* bytes really received */
};

/* 0 with *ok = false when the field is not wholly inside the page; *ok is never set to true, so
 * one flag can gather several reads. ok may be NULL. */
uint8_t page_u8(const struct page *page, size_t offset, bool *ok);
uint16_t page_u16(const struct page *page, size_t offset, bool *ok);
uint32_t page_u32(const struct page *page, size_t offset, bool *ok);
uint64_t page_u64(const struct page *page, size_t offset, bool *ok);
u128 page_u128(const struct page *page, size_t offset, bool *ok);
/* Any width from 0 to 16 bytes. */
u128 page_get(const struct page *page, size_t offset, size_t size, bool *ok);
bool page_all_zero(const struct page *page);
/* The other way, for captures and tests; offset + size must be inside the buffer. */
void page_put_u16(uint8_t *bytes, size_t offset, uint16_t value);
void page_put_u32(uint8_t *bytes, size_t offset, uint32_t value);
void page_put_u64(uint8_t *bytes, size_t offset, uint64_t value);
void page_put_u128(uint8_t *bytes, size_t offset, u128 value);

/* "Not reported" is a state of a field, never the number 0. */
struct field_int {
	bool reported;
	int64_t value;
};
struct field_u128 {
	bool reported;
	u128 value;
};

/* A composite temperature in kelvin to Celsius: 0 and 0xffff are "not reported"; signed. */
struct field_int page_kelvin(uint16_t kelvin);
/* A number of at most 4 bytes, or of 16; reported when it lies inside the page. */
struct field_int page_field_int(const struct page *page, size_t offset, size_t size);
struct field_u128 page_field_u128(const struct page *page, size_t offset);

#endif
