/* Short texts of a drive's figures. Fractions are put together from whole numbers, because printf
 * would write them with the locale's comma. */
#include "report/text_cells.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

char *text_cell_celsius(char *dst, size_t size, const struct field_int *celsius, bool ascii)
{
	if (celsius->reported)
		str_format(dst, size, "%lld %sC", (long long)celsius->value, ascii ? "" : "\u00b0");
	else
		str_copy(dst, size, "-");
	return dst;
}

char *text_cell_percent(char *dst, size_t size, const struct field_int *percent)
{
	if (percent->reported)
		str_format(dst, size, "%lld %%", (long long)percent->value);
	else
		str_copy(dst, size, "-");
	return dst;
}

char *text_cell_counter(char *dst, size_t size, const struct field_u128 *counter)
{
	if (counter->reported)
		units_grouped(dst, size, counter->value);
	else
		str_copy(dst, size, "-");
	return dst;
}

char *text_cell_units(char *dst, size_t size, const struct field_u128 *units)
{
	u128 bytes;

	if (!units->reported)
		str_copy(dst, size, "-");
	else if (smart_units_bytes(units->value, &bytes))
		units_bytes_si(dst, size, bytes);
	else
		str_copy(dst, size, "too large");
	return dst;
}

char *text_cell_bytes(char *dst, size_t size, bool known, u128 bytes)
{
	if (known)
		units_bytes_si(dst, size, bytes);
	else
		str_copy(dst, size, "-");
	return dst;
}

char *text_cell_used(char *dst, size_t size, const struct inventory_namespace *ns)
{
	if (!ns->used_known || !ns->size_known || ns->size_bytes == 0) {
		str_copy(dst, size, "-");
		return dst;
	}
	/* Shifted together so that times 100 cannot wrap; a drive may say more than 100 %. */
	u128 used = ns->used_bytes, whole = ns->size_bytes;
	while (used >> 120 != 0) {
		used >>= 8;
		whole >>= 8;
	}
	if (whole == 0) {
		str_copy(dst, size, "-");
		return dst;
	}
	const u128 percent = (used * 100 + whole / 2) / whole; /* rounded, as on the screens */
	if (percent == 0 && used > 0)
		str_copy(dst, size, "<1 %");
	else if (percent > 999)
		str_copy(dst, size, ">999 %");
	else
		str_format(dst, size, "%u %%", (unsigned)percent);
	return dst;
}

char *text_cell_format(char *dst, size_t size, const struct inventory_namespace *ns)
{
	if (ns->lba_bytes == 0) {
		str_copy(dst, size, "-");
		return dst;
	}
	units_block_size(dst, size, ns->lba_bytes);
	if (ns->metadata_bytes > 0)
		str_append(dst, size, " + %u B%s", ns->metadata_bytes,
			ns->metadata_extended ? " ext" : "");
	return dst;
}

char *text_cell_link(char *dst, size_t size, const struct inventory_controller *controller)
{
	const char *transport = controller->topo.transport;

	if (transport[0] != '\0' && strcmp(transport, "pcie") != 0) {
		str_copy(dst, size, transport);
		return dst;
	}
	environment_link_text(controller->env.link_gts, controller->env.link_width, dst, size);
	if (environment_link_narrowed(&controller->env))
		str_append(dst, size, "!");
	return dst;
}

char *text_cell_watts(char *dst, size_t size, double watts)
{
	if (isnan(watts) || watts < 0 || watts > 1e9) {
		str_copy(dst, size, "-");
		return dst;
	}
	const long long milli = llround(watts * 1000);
	str_format(dst, size, "%lld", milli / 1000);
	if (milli % 1000 != 0) {
		char fraction[8];
		size_t length = str_format(fraction, sizeof(fraction), "%03lld", milli % 1000);

		while (length > 0 && fraction[length - 1] == '0')
			fraction[--length] = '\0';
		str_append(dst, size, ".%s", fraction);
	}
	str_append(dst, size, " W");
	return dst;
}
