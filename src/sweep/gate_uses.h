/* Who sits on the members of a family, as sysfs and configfs tell. */
#ifndef SWEEP_GATE_USES_H
#define SWEEP_GATE_USES_H

#include "sweep/gate_facts.h"
#include "sweep/gate_family.h"

/* Holders (md, device-mapper, bcache), loop devices, file systems over several devices, exports of
 * this machine as an NVMe or SCSI target. */
void gate_uses_read(const struct gate_family *family, struct gate_facts *facts);

#endif
