/* The tables of Identify fields, with the structures of libnvme's types.h as judge of every field's
 * place and size. */
#include "fixture.h"

#include <nvme/types.h>

#include "nvme/identify.h"

/* Where libnvme has each field. */
struct place {
	const char *key;
	size_t offset, size;
};
#define C(f)                                                                                \
	{                                                                                   \
#f, offsetof(struct nvme_id_ctrl, f), sizeof(((struct nvme_id_ctrl *)0)->f) \
	}
#define N(f)                                                                            \
	{                                                                               \
#f, offsetof(struct nvme_id_ns, f), sizeof(((struct nvme_id_ns *)0)->f) \
	}
static const struct place controller_places[] = {
	C(vid),
	C(ssvid),
	C(rab),
	C(ieee),
	C(cmic),
	C(mdts),
	C(cntlid),
	C(ver),
	C(rtd3r),
	C(rtd3e),
	C(oaes),
	C(ctratt),
	C(rrls),
	C(cntrltype),
	C(fguid),
	C(crdt1),
	C(crdt2),
	C(crdt3),
	C(nvmsr),
	C(vwci),
	C(mec),
	C(oacs),
	C(acl),
	C(aerl),
	C(frmw),
	C(lpa),
	C(elpe),
	C(npss),
	C(avscc),
	C(apsta),
	C(wctemp),
	C(cctemp),
	C(mtfa),
	C(hmpre),
	C(hmmin),
	C(tnvmcap),
	C(unvmcap),
	C(rpmbs),
	C(edstt),
	C(dsto),
	C(fwug),
	C(kas),
	C(hctma),
	C(mntmt),
	C(mxtmt),
	C(sanicap),
	C(hmminds),
	C(hmmaxd),
	C(nsetidmax),
	C(endgidmax),
	C(anatt),
	C(anacap),
	C(anagrpmax),
	C(nanagrpid),
	C(pels),
	C(domainid),
	C(megcap),
	C(sqes),
	C(cqes),
	C(maxcmd),
	C(nn),
	C(oncs),
	C(fuses),
	C(fna),
	C(vwc),
	C(awun),
	C(awupf),
	C(icsvscc),
	C(nwpc),
	C(acwu),
	C(ocfs),
	C(sgls),
	C(mnan),
	C(maxdna),
	C(maxcna),
	C(ioccsz),
	C(iorcsz),
	C(icdoff),
	C(fcatt),
	C(msdbd),
	C(ofcs),
	C(dctype),
};
static const struct place namespace_places[] = {
	N(nsze),
	N(ncap),
	N(nuse),
	N(nsfeat),
	N(nlbaf),
	N(flbas),
	N(mc),
	N(dpc),
	N(dps),
	N(nmic),
	N(rescap),
	N(fpi),
	N(dlfeat),
	N(nawun),
	N(nawupf),
	N(nacwu),
	N(nabsn),
	N(nabo),
	N(nabspf),
	N(noiob),
	N(nvmcap),
	N(npwg),
	N(npwa),
	N(npdg),
	N(npda),
	N(nows),
	N(mssrl),
	N(mcl),
	N(msrc),
	N(nulbaf),
	N(anagrpid),
	N(nsattr),
	N(nvmsetid),
	N(endgid),
	N(nguid),
	N(eui64),
};

static void compare_places(const struct place *places, size_t place_count,
	const struct identify_field *fields, size_t field_count)
{
	assert_int_equal(place_count, field_count);
	for (size_t i = 0; i < place_count; i++) {
		const struct identify_field *found = NULL;

		for (size_t f = 0; f < field_count; f++)
			if (strcmp(fields[f].key, places[i].key) == 0)
				found = &fields[f];
		if (found == NULL)
			fail_msg("no field %s", places[i].key);
		assert_int_equal(found->offset, places[i].offset);
		assert_int_equal(found->size, places[i].size);
	}
}

static void field_tables(void **state)
{
	(void)state;
	compare_places(controller_places, sizeof(controller_places) / sizeof(controller_places[0]),
		identify_controller_fields, identify_controller_field_count);
	compare_places(namespace_places, sizeof(namespace_places) / sizeof(namespace_places[0]),
		identify_namespace_fields, identify_namespace_field_count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(field_tables)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
