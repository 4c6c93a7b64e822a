"""strace as the judge: no descriptor is opened for writing before all rules have passed."""
import re

from tap import ok

# Where the facts stand that the rules are about.
FACTS = {"mounts": r'"/proc/(?:self|\d+)/mountinfo"', "swap": r'"/proc/swaps"',
         "holders": r'"/sys/[^"]*/holders', "other openers": r'"/proc/\d+/fd'}


def trace(rig, command):
    """What the command returned and said, and its opens in order: (for writing?, name, what it led to,
    line). The gate opens a device once more through its first descriptor, so names are not enough."""
    code, out, err = rig.guest.run(
        "strace --seccomp-bpf -f -y -e trace=open,openat,openat2,open_by_handle_at,creat "
        f"-o /tmp/trace {command}")
    opens = []
    for line in rig.sh("cat /tmp/trace").splitlines():
        match = re.search(r'(?:open|openat|openat2|creat)\((?:AT_FDCWD(?:<[^>]*>)?, |\d+<[^>]*>, )?"([^"]*)"',
                          line)
        if match:
            led = re.search(r"= \d+<(/[^>]*?)(?:<[^>]*>)?>", line)
            opens.append((bool(re.search(r"O_WRONLY|O_RDWR|creat\(", line)), match.group(1),
                          led.group(1) if led else match.group(1), line))
    return code, out + err, opens


def is_device(path):
    return path.startswith("/dev/") and path != "/dev/null" and not path.startswith("/dev/tty")


def test_refused(rig):
    node = rig.mounted_node()
    code, said, opens = trace(
        rig, f"nvsweep run rand-write-4k {node} --write=WRITES --method fixed --set bytes=64K")
    rig.sh("umount /mnt")
    wrong = [line for writing, name, led, line in opens
             if writing and (is_device(led) or is_device(name))]
    read = [line for writing, _, led, line in opens if not writing and led == f"/dev/{node}"]
    ok(code == 3 and not wrong, "strace: a refused run opens no device for writing",
       f"{code} {said}\n" + "\n".join(wrong))
    ok(len(opens) > 20 and read, "strace: it did look at the device, read-only", len(opens))


def test_admitted(rig):
    node = rig.disks["blank"].restore().node
    code, said, opens = trace(
        rig, f"nvsweep run rand-write-4k {node} --write --method fixed --set bytes=64K")
    first = next((i for i, (writing, _, led, _) in enumerate(opens) if writing and is_device(led)),
                 None)
    ok(code == 0 and first is not None, "strace: an admitted run opens the device for writing", said)
    if first is None:
        return
    before = "\n".join(line for _, _, _, line in opens[:first])
    lacking = [fact for fact, pattern in FACTS.items() if not re.search(pattern, before)]
    ok(not lacking and f"<{'/dev/' + node}" in before,
       "strace: mounts, swap, holders, openers and content were read before", lacking)
    writing = [(led, line) for w, _, led, line in opens if w and is_device(led)]
    ok(len(writing) == 1 and "O_EXCL" in writing[0][1] and writing[0][0] == f"/dev/{node}",
       "strace: that one device was opened once for writing, with O_EXCL",
       "\n".join(line for _, line in writing))


TESTS = [test_refused, test_admitted]

for test in TESTS:  # two processes under strace cost as much as ten scenes
    test.thorough = True
