"""The guest in which nvsweep meets drives that it must not write to, and some that it may.

Everything is judged from outside: by the bytes of the image files that the emulator writes to.
"""
import json
import os
import time

import images
import vm
from tap import ok

MIB = 1 << 20
PART1, PART2 = (1 * MIB, 16 * MIB), (17 * MIB, 16 * MIB)
BIG_BLOCKS = "logical_block_size=4096,physical_block_size=4096"
ZONES = "zoned=on,zoned.zone_size=8M,zoned.zone_capacity=6M"

# name: MiB, options of the namespace. The order gives the namespace identifiers.
NAMESPACES = {
    "blank": (32, ""),
    "meta": (16, f"{BIG_BLOCKS},ms=8"),
    "marked": (64, ""),   # blkid wants 64 MiB for ZFS
    "parted": (48, ""),
    "zoned": (32, f"{ZONES},{BIG_BLOCKS}"),
    "sealed": (16, ""),   # the image cannot be written
    "ext4": (32, ""),
    "other": (32, BIG_BLOCKS),
}
ALONE = {"shared": 16, "leaving": 32, "arriving": 32}
# Beginnings of it serve all disks; what chance has put at the first one's marks is none.
NOISE = b"\1" * 4096 + os.urandom(16 * MIB)


class Disk:
    """One namespace: its image on the host, its names in the guest."""

    def __init__(self, folder, name, mebibytes):
        self.path = folder / f"{name}.img"
        self.size = mebibytes * MIB
        self.node = ""
        self.restore()

    def restore(self, mark=None):
        """Random bytes, which are nobody's; then, if given, somebody's mark."""
        with open(self.path, "r+b" if self.path.exists() else "w+b") as image:
            for start in range(0, self.size, 8 * MIB):
                images.put(image, start, NOISE[start // 8:start // 8 + 8 * MIB])
            if mark:
                mark(image)
        return self

    def bytes(self):
        return self.path.read_bytes()


def changed(before, after, grain=512):
    """The ranges that differ, to the grain: list of (start, end)."""
    ranges = []
    for base in range(0, len(before), MIB):
        if before[base:base + MIB] == after[base:base + MIB]:
            continue
        for at in range(base, min(base + MIB, len(before)), grain):
            if before[at:at + grain] == after[at:at + grain]:
                continue
            if ranges and ranges[-1][1] == at:
                ranges[-1][1] = at + grain
            else:
                ranges.append([at, at + grain])
    return [tuple(r) for r in ranges]


def said(err):
    """Lines on standard error but for the amount, which is said before any test that writes."""
    return [line for line in err.strip().splitlines() if "this test writes" not in line]


class Rig:
    """The booted guest with its disks by name."""

    def __init__(self, folder, thorough):
        self.thorough = thorough
        self.disks = {name: Disk(folder, name, size) for name, (size, _) in NAMESPACES.items()}
        self.disks |= {name: Disk(folder, name, size) for name, size in ALONE.items()}
        with open(self.disks["parted"].path, "r+b") as image:
            images.gpt(image, [PART1, PART2])
        images.ext4(self.disks["parted"].path, *PART1)
        images.ext4(self.disks["ext4"].path)
        self.guest = None

    def arguments(self):
        args = ["-device", "nvme,serial=WRITES,id=nv0"]
        for nsid, (name, (_, options)) in enumerate(NAMESPACES.items(), 1):
            args += ["-drive", f"file={self.disks[name].path},if=none,id={name},format=raw" +
                     (",readonly=on" if name == "sealed" else ""),
                     "-device", f"nvme-ns,drive={name},bus=nv0,nsid={nsid}" +
                     (f",{options}" if options else "")]
        for name in ALONE:
            args += ["-drive", f"file={self.disks[name].path},if=none,id={name},format=raw"]
        return args + ["-device", "nvme-subsys,id=ss,nqn=shared",
                       "-device", "nvme,id=a,serial=SHARED,subsys=ss",
                       "-device", "nvme,id=b,serial=SHARED,subsys=ss",
                       "-device", "nvme-ns,drive=shared,bus=a,nsid=1,shared=on",
                       "-device", "nvme,serial=LEAVING,id=nv1,drive=leaving"]

    def name_nodes(self):
        listing = self.guest.json("nvsweep list --json")
        serials = {c["name"]: c["serial"] for c in listing["controllers"]}
        for namespace in listing["namespaces"]:
            if namespace["paths"]:
                self.disks["shared"].node = namespace["name"]
                self.hidden = namespace["paths"][0]["name"]
                continue
            serial = serials[namespace["controller"]]
            name = {"LEAVING": "leaving"}.get(serial) or list(NAMESPACES)[namespace["nsid"] - 1]
            self.disks[name].node = namespace["name"]

    def node(self, name):
        return self.disks[name].node

    def sh(self, command):
        """A line of the scene itself, which must work; what it writes is on the disks afterwards."""
        code, out, err = self.guest.run(f"( {command}) && sync")
        if code:
            raise RuntimeError(f"{command}: exit {code}: {out}{err}")
        return out

    def write(self, target, typed="", workload="rand-write-4k", before="", **settings):
        """A short writing run: (exit code, stdout, stderr)."""
        settings = {"bytes": "256K", "outstanding": 4} | settings
        words = " ".join(f"--set {key}={value}" for key, value in settings.items())
        return self.guest.run(f"{before} nvsweep run {workload} {target} --write{typed} --method "
                              f"fixed {words} --json; code=$?; sync; exit $code")

    def refused(self, name, disks, target, words, code=3, **more):
        """nvsweep says no in one sentence with these words; no byte of these disks has changed."""
        before = [self.disks[d].bytes() for d in disks]
        got, out, err = self.write(target, **more)
        same = [self.disks[d].bytes() == b for d, b in zip(disks, before)]
        lacking = [w for w in words if w.lower() not in " ".join(said(err)).lower()]
        ok(got == code and len(said(err)) == 1 and not lacking and not out.strip(),
           f"refused: {name}", f"exit {got}, lacking {lacking}, said: {err}{out[:300]}")
        ok(all(same), f"not a byte of {', '.join(disks)} has changed: {name}", same)

    def admitted(self, name, disk, target, start, length, **more):
        """The run completes; some bytes of [start, start + length) have changed and no others."""
        before = self.disks[disk].bytes()
        got, out, err = self.write(target, **more)
        after = self.disks[disk].bytes()
        ranges = changed(before, after)
        try:
            run = json.loads(out)
        except ValueError:
            run = {}
        ok(got == 0 and run.get("outcome") == "complete", f"admitted: {name}",
           f"exit {got}: {err} {out[:1500]}")
        outside = [r for r in ranges if r[0] < start or r[1] > start + length]
        ok(ranges and not outside, f"only bytes {start} to {start + length} of {disk} have changed: "
           f"{name}", f"changed {len(ranges)} ranges, outside: {outside[:8]}")
        return run

    def mounted_node(self):
        """The node of a namespace that is mounted on /mnt from now on."""
        images.ext4(self.disks["ext4"].restore().path)
        self.sh(f"mount -t ext4 -o noatime /dev/{self.node('ext4')} /mnt")
        return self.node("ext4")

    def wait(self, condition, seconds=60):
        """Until a line of shell succeeds in the guest."""
        end = time.monotonic() + seconds
        while self.guest.run(condition)[0]:
            if time.monotonic() > end:
                raise RuntimeError(f"never came true: {condition}")
            time.sleep(0.1)


def boot(folder, program, tools, thorough):
    rig = Rig(folder, thorough)
    extras, load = vm.modules()
    extras |= {"bin/scene": tools / "scene", "lib/moment.so": tools / "moment.so"}
    rig.guest = vm.Guest(folder, program, rig.arguments(), extras=extras, programs=["strace", "nvme"])
    try:
        rig.sh(load + "; mkdir -p /mnt /runs")
        rig.name_nodes()
    except BaseException:
        rig.guest.__exit__()
        raise
    return rig
