"""What happens between the gate's check and its start.

moment.so runs /tmp/moment in front of the first open for writing: all rules have passed by then, and
nothing has been written. What is proven is that the open itself (O_EXCL) and the comparison of
identity on that descriptor catch what changed in between.
"""
import images
from tap import ok
from writeguest import said

PRELOAD = "LD_PRELOAD=/lib/moment.so"


def hook(rig, script):
    rig.sh(f"printf '#!/bin/sh\\ntouch /tmp/passed\\n{script}\\n' >/tmp/moment; chmod +x /tmp/moment; "
           "rm -f /tmp/passed")


def happened(rig, what):
    ok(rig.guest.run("test -e /tmp/passed")[0] == 0, f"the moment came: {what}")
    rig.sh("rm -f /tmp/moment")


def test_mount(rig):
    node = rig.node("ext4")
    rig.disks["ext4"].restore()
    images.ext4(rig.disks["ext4"].path)
    hook(rig, f"mount -t ext4 -o ro,noload /dev/{node} /mnt")
    rig.refused("mounted between check and start", ["ext4"], node, [node], typed="=WRITES",
                before=PRELOAD)
    happened(rig, "mounted")
    rig.sh("umount /mnt")


def test_opener(rig):
    """O_EXCL does not see somebody who opens without it: the second look does."""
    node = rig.disks["ext4"].restore().node
    hook(rig, f"scene hold rw /dev/{node} >/tmp/held & echo $! >/tmp/holder; "
              "while [ ! -s /tmp/held ]; do sleep 0.05; done")
    rig.refused("opened for writing between check and start", ["ext4"], node, [node, "scene"],
                before=PRELOAD)
    happened(rig, "opened for writing")
    rig.sh("kill $(cat /tmp/holder); rm /tmp/held")


def test_other_node(rig):
    """The name leads to another namespace meanwhile. The gate opens by the descriptor that it looked
    through, so the drive that was checked is written and the other one is not."""
    node, other = rig.node("blank"), rig.node("ext4")
    untouched = rig.disks["ext4"].restore().bytes()
    number = rig.sh(f"cat /sys/class/block/{other}/dev").strip().replace(":", " ")
    own = rig.sh(f"cat /sys/class/block/{node}/dev").strip().replace(":", " ")
    hook(rig, f"rm /dev/{node}; mknod /dev/{node} b {number}")
    rig.admitted("the name leads elsewhere between check and start", "blank", node, 4 << 20, 8 << 20,
                 before=PRELOAD, offset_bytes=4 << 20, area_pct=25)
    ok(rig.disks["ext4"].bytes() == untouched, "not a byte of what the name led to has changed")
    happened(rig, "the name leads elsewhere")
    rig.sh(f"rm /dev/{node}; mknod /dev/{node} b {own}")


def test_other_drive(rig):
    """Unplugged, and another drive with another serial put into its place under its name."""
    guest, node = rig.guest, rig.node("leaving")
    before = [rig.disks[name].bytes() for name in ("leaving", "arriving")]
    hook(rig, "touch /tmp/waiting; while [ ! -e /tmp/go ]; do sleep 0.1; done")
    rig.sh("rm -f /tmp/rc /tmp/go /tmp/waiting")
    guest.run(f"({PRELOAD} nvsweep run rand-write-4k {node} --write --method fixed --set bytes=256K "
              ">/tmp/said 2>&1; echo $? >/tmp/rc) &")
    rig.wait("test -e /tmp/waiting")
    guest.qmp("device_del", id="nv1")
    rig.wait("! grep -q LEAVING /sys/class/nvme/*/serial")
    guest.qmp("device_add", driver="nvme", serial="ARRIVING", id="nv2", drive="arriving")
    rig.wait("grep -q ARRIVING /sys/class/nvme/*/serial")
    arrived = rig.sh("basename $(dirname $(grep -l ARRIVING /sys/class/nvme/*/serial))").strip()
    rig.wait(f"ls /dev/{arrived}n1")
    # The kernel gives no name twice while a descriptor of the old drive is open: udev's links do.
    rig.sh(f"[ -e /dev/{node} ] || ln -s /dev/{arrived}n1 /dev/{node}; touch /tmp/go")
    rig.wait("test -s /tmp/rc")
    code, lines = rig.sh("cat /tmp/rc").strip(), said(rig.sh("cat /tmp/said"))
    ok(code == "3" and len(lines) == 1 and node in lines[0],
       "refused: another drive under the name between check and start", f"{code} {lines}")
    ok(before == [rig.disks[name].bytes() for name in ("leaving", "arriving")],
       "not a byte of either drive has changed")
    happened(rig, "another drive")
    rig.disks["arriving"].node = f"{arrived}n1"
    rig.sh(f"rm -f /dev/{node}")


TESTS = [test_mount, test_opener, test_other_node, test_other_drive]
