"""Admitted writing runs: every profile, several targets, metadata, and runs that end badly. The bytes
on the image files say where was written."""
import json
import os

from tap import ok
from writeguest import MIB, changed


def written(run):
    return sum((point["write"] or {}).get("count", 0) for point in run["points"])


def test_profiles(rig):
    """Each workload that writes, once, in the middle half of a namespace."""
    disk, guest = rig.disks["blank"].restore(), rig.guest
    names = [w["name"] for w in guest.json("nvsweep workloads --json")["workloads"]
             if w["read_pct"] < 100]
    names = names if rig.thorough else names[::4]
    start, length = 8 * MIB, 16 * MIB
    before, bad = disk.bytes(), []
    for name in names:
        code, out, err = rig.write(disk.node, workload=name, bytes="1M", offset_bytes=start,
                                   area_pct=50, outstanding=8)
        after = disk.bytes()
        ranges = changed(before, after)
        before = after
        run = json.loads(out) if out.startswith("{") else {"points": [], "outcome": err}
        if code or run["outcome"] != "complete" or not written(run) or not ranges or \
                ranges[0][0] < start or ranges[-1][1] > start + length:
            bad.append(f"{name}: exit {code}, {run['outcome']}, {written(run)} writes, ranges "
                       f"{ranges[:3]} {err}")
    ok(len(names) >= 5 and not bad,
       f"{len(names)} profiles write, each in its own range alone", "\n".join(bad) or names)


def test_targets(rig):
    """Two namespaces of unlike block sizes and a shared one at once."""
    names = ("blank", "other", "shared")
    disks = [rig.disks[name].restore() for name in names]
    before = [disk.bytes() for disk in disks]
    code, out, err = rig.write(" ".join(d.node for d in disks), typed="=SHARED",
                               workload="mix-8k-70r", bytes="2M", offset_bytes=4 * MIB, area_pct=25)
    run = json.loads(out) if code == 0 else {}
    ok(code == 0 and run["outcome"] == "complete" and len(run["targets"]) == 3,
       "three targets in one run, the shared one by its typed serial", f"{code} {err} {out[:800]}")
    for name, disk, old in zip(names, disks, before):
        ranges = changed(old, disk.bytes())
        end = 4 * MIB + disk.size // 4
        ok(ranges and ranges[0][0] >= 4 * MIB and ranges[-1][1] <= end,
           f"{name}: only bytes {4 * MIB} to {end} have changed", ranges[:4] + ranges[-1:])


def test_metadata(rig):
    """4096 bytes of data and 8 of metadata: the image keeps data first, then all metadata."""
    disk = rig.disks["meta"].restore()
    before = disk.bytes()
    blocks = disk.size // (4096 + 8)
    blocks = int(rig.sh(f"cat /sys/class/block/{disk.node}/size")) * 512 // 4096
    code, out, err = rig.write(disk.node, offset_bytes=4 * MIB, area_pct=25)
    after, data = disk.bytes(), blocks * 4096
    ok(code == 0, "a namespace with metadata is written", f"{code} {err}")
    ranges = changed(before[:data], after[:data], 4096)
    low, high = 4 * MIB, 4 * MIB + data // 4
    ok(ranges and ranges[0][0] >= low and ranges[-1][1] <= high,
       "metadata: only data of the asked range has changed", f"{low} {high} {ranges[:4]}")
    stray = [at for at in range(data, len(after), 8) if before[at:at + 8] != after[at:at + 8] and
             not low // 4096 <= (at - data) // 8 < high // 4096 + 1]
    ok(not stray, "metadata: that of no other block has changed", stray[:8])


def begin(rig, node, settings="", seconds=60):
    """A writing run in the background, once it has written something: /tmp/rc comes at its end."""
    rig.sh("rm -f /tmp/rc /tmp/run.json /tmp/said; "
           f"cp /sys/class/block/{node}/stat /tmp/stat")
    rig.sh(f"({settings} nvsweep run rand-write-4k {node} --write --method fixed --set offset_bytes=4M "
           f"--set area_pct=50 --set point_s={seconds} --set outstanding=4 --set rate_iops=100 "
           ">/tmp/said 2>&1 & echo $! >/tmp/pid; wait $!; echo $? >/tmp/rc) &")
    rig.wait(f"test -s /tmp/rc || [ $(awk '{{print $5}}' /sys/class/block/{node}/stat) -gt "
             "$(awk '{print $5 + 50}' /tmp/stat) ]")
    if rig.guest.run("test -s /tmp/rc")[0] == 0:
        raise RuntimeError("the run ended at once: " + rig.sh("cat /tmp/said"))


def inside(disk, before):
    ranges = changed(before, disk.bytes())
    return bool(ranges) and ranges[0][0] >= 4 * MIB and ranges[-1][1] <= 4 * MIB + disk.size // 2


def program_of(rig):
    """The process that runs the test: the guard's child."""
    guard = rig.sh("cat /tmp/pid").strip()
    return rig.sh(f"cat /proc/{guard}/task/*/children").split()[0]


def test_killed(rig):
    disk = rig.disks["blank"].restore()
    before = disk.bytes()
    begin(rig, disk.node, "XDG_STATE_HOME=/runs/killed")
    rig.wait("grep -q interval /runs/killed/nvsweep/runs/*.journal")
    rig.sh(f"kill -9 {program_of(rig)}")
    rig.wait("test -s /tmp/rc")
    rig.wait(f"! fuser /dev/{disk.node} 2>/dev/null")
    listing = json.loads(rig.sh("XDG_STATE_HOME=/runs/killed nvsweep results --json"))
    runs = listing["runs"]
    ok(len(runs) == 1 and runs[0]["outcome"] == "aborted",
       "killed in the middle of writing: the run is kept from its journal, as aborted", runs)
    ok(inside(disk, before), "killed: nothing outside the range was written")
    rig.admitted("the drive is free again after the kill", "blank", disk.node, 0, disk.size)


def test_disk_full(rig):
    disk = rig.disks["blank"].restore()
    before = disk.bytes()
    rig.sh("mkdir -p /full; mount -t tmpfs -o size=64k tmpfs /full")
    begin(rig, disk.node, "XDG_STATE_HOME=/full", 6)
    rig.sh("dd if=/dev/zero of=/full/fill bs=4k count=64 2>/dev/null; true")
    rig.wait("test -s /tmp/rc")
    code, said = int(rig.sh("cat /tmp/rc")), rig.sh("cat /tmp/said")
    ok(code == 1 and "/full" in said and "space" in said.lower(),
       "disk full in the middle of writing: exit 1, and it says where", f"{code} {said}")
    ok(inside(disk, before), "disk full: nothing outside the range was written")
    left = rig.sh("ls -a /full/nvsweep/runs")
    ok(".tmp" not in left, "disk full: no half-written result is left", left)
    rig.sh("umount /full")


def test_unplugged(rig):
    """Last of all: the drive does not come back."""
    disk = next(d for d in (rig.disks["arriving"], rig.disks["leaving"]) if d.node)
    name = "nv2" if disk is rig.disks["arriving"] else "nv1"
    disk.restore()
    before = disk.bytes()
    begin(rig, disk.node, "XDG_STATE_HOME=/runs/gone")
    rig.guest.qmp("device_del", id=name)
    rig.wait("test -s /tmp/rc")
    code, said = int(rig.sh("cat /tmp/rc")), rig.sh("cat /tmp/said")
    runs = json.loads(rig.sh("XDG_STATE_HOME=/runs/gone nvsweep results --json"))["runs"]
    ok(code in (1, 4) and disk.node in said, "unplugged in the middle of writing: it says so", f"{code} {said}")
    ok(len(runs) == 1 and runs[0]["outcome"] == "aborted", "unplugged: the result is kept, as aborted",
       f"{runs} {said}")
    ok(inside(disk, before), "unplugged: nothing outside the range was written")


TESTS = [test_profiles, test_targets, test_metadata, test_killed, test_disk_full, test_unplugged]
