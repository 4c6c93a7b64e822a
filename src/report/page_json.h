/* Decoded pages as JSON objects: all fields by the specification's short names, with figures in
 * human units beside them. Not reported is null. Pure; any thread. */
#ifndef REPORT_PAGE_JSON_H
#define REPORT_PAGE_JSON_H

#include "base/json.h"
#include "nvme/environment.h"
#include "nvme/identify.h"
#include "nvme/smart.h"

/* raw: the same page's bytes, identify->length of them count. */
struct json *page_json_controller(
	const struct identify_controller *identify, const uint8_t *raw, size_t raw_size);
struct json *page_json_namespace(const struct identify_namespace *identify);
/* smartctl's key names plus units. */
struct json *page_json_smart(const struct smart *smart);
struct json *page_json_environment(const struct environment *env);

/* Text from outside as printable ASCII; "" is null. */
void page_json_text(struct json *object, const char *key, const char *text);
/* A size: a number, {"error"} when it needs more than 64 bits, null when not known. */
void page_json_bytes(struct json *object, const char *key, bool known, u128 bytes);

#endif
