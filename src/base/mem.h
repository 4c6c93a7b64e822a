/* Memory that cannot be missing. Small allocations: never NULL, the process ends with a message
 * when memory is out. Sizes that come from outside (files, drives) must use calloc/malloc and
 * return -ENOMEM instead. Any thread. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t size) __attribute__((malloc, returns_nonnull)); /* zeroed */
void *mem_realloc(void *old, size_t size) __attribute__((returns_nonnull));
/* Room for one more behind count members of an array that only this function makes larger: doubles it
 * at powers of two, so that many small additions copy it a few times only. */
void *mem_grow(void *array, size_t count, size_t member_bytes) __attribute__((returns_nonnull));
char *mem_strdup(const char *text) __attribute__((malloc, returns_nonnull));
/* Passes memory through; ends the process when it is NULL (results of libraries). */
void *mem_check(void *memory) __attribute__((returns_nonnull));

#endif
