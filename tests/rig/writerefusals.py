"""Drives that are in use, belong to somebody or cannot be written: each scene is set up in the guest,
refused, and taken down again."""
import images
from writeguest import MIB, PART1, PART2
from tap import ok

TYPED = "=WRITES"


def test_mounted(rig):
    node = rig.node("ext4")
    for options in ("rw", "ro") if rig.thorough else ("ro",):
        rig.sh(f"mount -t ext4 -o {options},noatime /dev/{node} /mnt")
        rig.refused(f"a namespace mounted {options}", ["ext4"], node, [node, "mounted", "/mnt"],
                    typed=TYPED)
        rig.sh("umount /mnt")

    node = rig.node("parted")
    rig.sh(f"mount -t ext4 -o noatime /dev/{node}p1 /mnt")
    rig.refused("a disk whose partition is mounted", ["parted"], node,
                [f"{node}p1", "mounted", "/mnt"], typed=TYPED)
    rig.refused("the mounted partition itself", ["parted"], f"{node}p1",
                [f"{node}p1", "mounted", "/mnt"], typed=TYPED)
    rig.admitted("the unmounted partition beside a mounted one", "parted", f"{node}p2", *PART2)
    rig.sh("umount /mnt")


def test_kernel_users(rig):
    node, other = rig.node("ext4"), rig.node("blank")
    rig.disks["ext4"].restore()
    rig.sh(f"mkswap /dev/{node} >/dev/null; swapon /dev/{node}")
    rig.refused("active swap", ["ext4"], node, [node, "swap"], typed=TYPED)
    rig.sh(f"swapoff /dev/{node}")

    rig.disks["ext4"].restore()
    rig.sh(f"scene dm lin /dev/{node}")
    rig.refused("a device-mapper holder", ["ext4"], node, [node, "dm-0"], typed=TYPED)
    rig.sh("scene undm lin")

    rig.sh(f"scene md /dev/md0 /dev/{node} /dev/{other}")
    rig.refused("a member of a running md array", ["ext4", "blank"], node, [node, "md0"], typed=TYPED)
    rig.sh("scene unmd /dev/md0")

    rig.sh(f"losetup /dev/loop0 /dev/{node}")
    rig.refused("a namespace behind a loop device", ["ext4"], node, [node, "loop0"], typed=TYPED)
    rig.sh("losetup -d /dev/loop0; dd if=/dev/zero of=/tmp/file bs=1M count=4 2>/dev/null")
    rig.sh("losetup /dev/loop0 /tmp/file; md5sum /tmp/file >/tmp/sum")
    rig.refused("a file behind a loop device", [], "/tmp/file", ["file", "loop0"], typed="=file")
    rig.sh("md5sum -c /tmp/sum; losetup -d /dev/loop0")


def test_openers(rig):
    node = rig.node("ext4")
    for flags, how in (("rw", "for writing"), ("rx", "exclusively"), ("w", "for writing"))[
            :3 if rig.thorough else 2]:
        rig.sh(f"scene hold {flags} /dev/{node} >/tmp/held & echo $! >/tmp/holder; "
               "while [ ! -s /tmp/held ]; do sleep 0.05; done")
        rig.refused(f"another process has it open {how} ({flags})", ["ext4"], node, [node, "scene"],
                    typed=TYPED)
        rig.sh("kill $(cat /tmp/holder); rm /tmp/held")
    # A reader is nobody's enemy.
    rig.sh(f"scene hold r /dev/{node} >/tmp/held & echo $! >/tmp/holder; "
           "while [ ! -s /tmp/held ]; do sleep 0.05; done")
    rig.admitted("another process only reads it", "ext4", node, 0, rig.disks["ext4"].size)
    rig.sh("kill $(cat /tmp/holder); rm /tmp/held")


# The first four stand for the others.
MARKS = {
    "an LVM physical volume": (images.lvm, "LVM"),
    "a ZFS label at the end": (lambda image: images.zfs(image, True), "ZFS"),
    "a LUKS header": (images.luks, "LUKS"),
    "a partition table": (lambda image: images.gpt(image, [PART1]), "partition table"),
    "a ZFS label at the front": (lambda image: images.zfs(image, False), "ZFS"),
    "a btrfs file system": (images.btrfs, "btrfs"),
    "a member of a stopped md array": (images.md_member, "raid"),
    "a swap signature": (images.swap, "swap"),
}


def test_signatures(rig):
    disk = rig.disks["marked"]
    for what, (mark, word) in list(MARKS.items())[:None if rig.thorough else 4]:
        disk.restore(mark)
        rig.refused(what, ["marked"], disk.node, [disk.node, word, "WRITES"])
    disk.restore()
    images.ext4(disk.path)
    rig.refused("an ext4 file system", ["marked"], disk.node, [disk.node, "ext4", "WRITES"])
    rig.refused("a wrong serial typed", ["marked"], disk.node, ["WRITE5", "WRITES"], typed="=WRITE5")
    if rig.thorough:
        rig.refused("the serial of another drive typed", ["marked"], disk.node, ["WRITES"],
                    typed="=LEAVING")
    rig.admitted("a signature and the right serial typed", "marked", disk.node, 8 * MIB, 16 * MIB,
                 typed=TYPED, offset_bytes=8 * MIB, area_pct=25)


def test_unwritable(rig):
    node = rig.node("other")
    rig.sh(f"blockdev --setro /dev/{node}")
    rig.refused("a device set read-only", ["other"], node, [node, "read-only"], typed=TYPED)
    rig.sh(f"blockdev --setrw /dev/{node}")
    rig.refused("a zoned namespace", ["zoned"], rig.node("zoned"), [rig.node("zoned"), "zone"],
                typed=TYPED)
    # The kernel takes this one for writable; the drive refuses each write.
    code, out, err = rig.write(rig.node("sealed"))
    ok(code in (1, 4) and rig.node("sealed") in err + out,
       "a drive that refuses writes: the run fails and says so", f"{code} {out[:800]} {err}")


def test_names(rig):
    node, shared = rig.node("blank"), rig.node("shared")
    rig.refused("a shared namespace without a typed serial", ["shared"], shared,
                [shared, "shared", "SHARED"])
    rig.admitted("a shared namespace with its serial typed", "shared", shared, 0,
                 rig.disks["shared"].size, typed="=SHARED")
    rig.refused("a hidden path of a multipath head", ["shared"], rig.hidden, [rig.hidden], code=2,
                typed="=SHARED")
    code, out, err = rig.guest.run(f"nvsweep run rand-write-4k {node} --method fixed")
    ok(code == 3 and "--write" in err and node in err, "refused: nobody asked for writing",
       f"{code} {err}")
    number = rig.sh(f"cat /sys/class/block/{node}/dev").strip()
    rig.sh(f"ln -s /dev/{node} /tmp/link; mkdir -p /dev/block; ln -s ../{node} /dev/block/{number}; "
           f"mknod /tmp/node b {number.replace(':', ' ')}")
    ways = [("/tmp/link", "by a link"), ("/tmp/node", "by another node"),
            (node, "by the same name"), (f"/dev/{node}", "by its path"),
            (f"/dev/block/{number}", "by its number")]
    for second, what in ways[:None if rig.thorough else 2]:
        rig.refused(f"a target given twice, {what}", ["blank"], f"{node} {second}", [node], code=2)
    disk = rig.node("parted")
    rig.refused("a disk and its partition", ["parted"], f"{disk} {disk}p2", [f"{disk}p2"], code=2,
                typed=TYPED)
    rig.refused("a multipath head and one of its paths", ["shared"], f"{shared} {rig.hidden}",
                [rig.hidden], code=2, typed="=SHARED")
    rig.refused("one of two targets is mounted: neither is written", ["blank", "ext4"],
                f"{node} {rig.mounted_node()}", ["mounted"], typed=TYPED)
    rig.sh("umount /mnt")


TARGET = "/sys/kernel/config/nvmet"


def test_fabrics(rig):
    """The guest exports a namespace to itself over NVMe/TCP: a drive that other hosts may have too."""
    disk = rig.disks["other"].restore()
    rig.sh("mount -t configfs none /sys/kernel/config; ip link set lo up; "
           f"cd {TARGET}; mkdir subsystems/rig subsystems/rig/namespaces/1 ports/1; cd subsystems/rig; "
           "echo 1 >attr_allow_any_host; echo FABRIC >attr_serial; cd namespaces/1; "
           f"echo /dev/{disk.node} >device_path; echo 1 >enable; cd {TARGET}/ports/1; "
           "echo tcp >addr_trtype; echo ipv4 >addr_adrfam; echo 127.0.0.1 >addr_traddr; "
           "echo 4420 >addr_trsvcid; ln -s ../../subsystems/rig subsystems/rig")
    # The kernel's target opens it without O_EXCL.
    rig.refused("a namespace that this machine exports", ["other"], disk.node, [disk.node, "nvmet"],
                typed=TYPED)
    rig.sh("echo transport=tcp,traddr=127.0.0.1,trsvcid=4420,nqn=rig >/dev/nvme-fabrics")
    rig.wait("grep -q FABRIC /sys/class/nvme/*/serial")
    name = rig.sh("basename $(dirname $(grep -l FABRIC /sys/class/nvme/*/serial))").strip()
    rig.wait(f"ls /dev/{name}n1")
    node = f"{name}n1"
    rig.refused("a namespace on fabrics without its serial typed", ["other"], node, [node, "FABRIC"])
    rig.admitted("a namespace on fabrics with its serial typed", "other", node, 8 * MIB, 8 * MIB,
                 typed="=FABRIC", offset_bytes=8 * MIB, area_pct=25)
    rig.sh(f"nvme set-feature /dev/{name} -n 1 -f 0x84 -v 1; echo 1 >/sys/class/nvme/{name}/rescan_controller")
    rig.wait(f"grep -q 1 /sys/class/block/{node}/ro")
    # The kernel takes it over as read-only, and that is said first.
    rig.refused("a write-protected namespace", ["other"], node, [node, "read-only"], typed="=FABRIC")
    rig.sh(f"nvme set-feature /dev/{name} -n 1 -f 0x84 -v 0; "
           f"echo 1 >/sys/class/nvme/{name}/delete_controller; cd {TARGET}; rm ports/1/subsystems/rig; "
           "rmdir ports/1; echo 0 >subsystems/rig/namespaces/1/enable; "
           "rmdir subsystems/rig/namespaces/1 subsystems/rig")


TESTS = [test_mounted, test_kernel_users, test_openers, test_signatures, test_unwritable, test_names,
         test_fabrics]
