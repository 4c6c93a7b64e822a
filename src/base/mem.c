/* The one place where running out of memory ends the process. */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void mem_die(void)
{
	static const char message[] = "nvsweep: out of memory\n";

	/* stdio could need memory itself */
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(1);
	abort();
}

void *mem_alloc(size_t size)
{
	return mem_check(calloc(1, size ? size : 1));
}

void *mem_realloc(void *old, size_t size)
{
	return mem_check(realloc(old, size ? size : 1));
}

char *mem_strdup(const char *text)
{
	return mem_check(strdup(text));
}

void *mem_check(void *memory)
{
	if (!memory)
		mem_die();
	return memory;
}

void *mem_grow(void *array, size_t count, size_t member_bytes)
{
	size_t bytes;

	if (array && count & (count - 1))
		return array;
	if (__builtin_mul_overflow(count ? 2 * count : 1, member_bytes, &bytes))
		bytes = SIZE_MAX; /* no memory */
	return mem_realloc(array, bytes);
}
