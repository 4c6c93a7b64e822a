"""A virtual machine with emulated NVMe controllers, for tests against the kernel's real driver.

Debian's cloud kernel boots under software emulation into an initramfs that holds busybox, nvsweep
and the programs that judge it. Commands go over a serial line of their own; another line is a
terminal for the program. Kernel and base image are cached outside the build folder.
"""
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nvsweep-rig"
JUDGES = ["nvme", "smartctl"]

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmp /tmp
mkdir -p /dev/shm /root
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root LANG=C.UTF-8 LC_ALL=C.UTF-8
setsid sh -c 'stty raw -echo; exec sh /control' </dev/ttyS2 >/dev/ttyS2 2>&1
poweroff -f
"""

CONTROL = """echo READY
while IFS= read -r line; do
    [ "$line" = poweroff ] && break
    (eval "$line") >/tmp/.out 2>/tmp/.err </dev/null
    rc=$?
    set -- $(stat -c %s /tmp/.out /tmp/.err)
    echo "BEGIN $rc $1 $2"
    cat /tmp/.out /tmp/.err
done
"""


class Missing(Exception):
    """Something the rig needs is not installed or cannot be fetched."""


def need(*programs):
    lacking = [p for p in programs if not find_program(p)]
    if lacking:
        raise Missing("not installed: " + ", ".join(lacking) + " (make deps)")


def find_program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


# What the cloud kernel has as modules and scenes need, in the order of loading.
MODULES = ["dm-mod", "md-mod", "raid1", "loop", "configfs", "nvmet", "nvmet-tcp",
           "nvme-fabrics", "nvme-tcp"]


def fetch_kernel():
    """Debian's cloud kernel and the modules above into the cache."""
    out = subprocess.run(["apt-cache", "depends", "linux-image-cloud-amd64"], capture_output=True,
                         text=True).stdout
    match = re.search(r"Depends: (linux-image-\S+-cloud-amd64)", out)
    if not match:
        raise Missing("the cloud kernel is not in the package lists (apt-get update)")
    CACHE.mkdir(parents=True, exist_ok=True)
    work = CACHE / f"fetch-{os.getpid()}"
    work.mkdir()
    try:
        done = subprocess.run(["apt-get", "download", "-qq", match.group(1)], cwd=work,
                              capture_output=True, text=True)
        debs = list(work.glob("*.deb"))
        if not debs:
            raise Missing("the cloud kernel cannot be fetched: " + done.stderr.strip()[-200:])
        subprocess.run(["dpkg", "-x", str(debs[0]), str(work / "root")], check=True)
        image = next((work / "root" / "boot").glob("vmlinuz-*"))
        version = image.name.removeprefix("vmlinuz-")
        found = {path.stem: path for path in
                 (work / "root" / "lib" / "modules" / version).rglob("*.ko")}
        folder = work / f"modules-{version}"
        folder.mkdir()
        for name in MODULES:
            shutil.copy(found[name], folder)
        shutil.rmtree(CACHE / folder.name, ignore_errors=True)
        os.rename(folder, CACHE / folder.name)
        shutil.copy(image, work / image.name)
        os.rename(work / image.name, CACHE / image.name)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def complete(image):
    folder = CACHE / ("modules-" + image.name.removeprefix("vmlinuz-"))
    return all((folder / f"{name}.ko").exists() for name in MODULES)


def kernel():
    """Path of Debian's cloud kernel, fetched once; its modules lie beside it."""
    found = sorted(filter(complete, CACHE.glob("vmlinuz-*")))
    if not found:
        fetch_kernel()
        found = sorted(filter(complete, CACHE.glob("vmlinuz-*")))
    return found[-1]


def modules():
    """The modules as extras of an initramfs, and the line of shell that loads them."""
    folder = CACHE / ("modules-" + kernel().name.removeprefix("vmlinuz-"))
    return ({f"lib/modules/{name}.ko": folder / f"{name}.ko" for name in MODULES},
            "; ".join(f"insmod /lib/modules/{name}.ko" for name in MODULES))


def libraries(program):
    out = subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout
    return re.findall(r"(/\S+\.so\S*)", out)


def copy_program(root, program, name):
    for path in [str(program), *libraries(program)]:
        target = root / "bin" / name if path == str(program) else root / path.lstrip("/")
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(os.path.realpath(path), target)
            target.chmod(0o755)


def initramfs(folder, program, extras, programs):
    root = Path(folder) / "root"
    shutil.rmtree(root, ignore_errors=True)
    for name in ("bin", "dev", "proc", "sys", "tmp", "root", "etc", "sbin"):
        (root / name).mkdir(parents=True)
    copy_program(root, find_program("busybox"), "busybox")
    copy_program(root, program, "nvsweep")
    for name in programs:
        copy_program(root, find_program(name), name)
    for term in ("linux", "vt100", "xterm-256color", "dumb"):
        for base in ("/lib/terminfo", "/usr/share/terminfo", "/etc/terminfo"):
            path = Path(base) / term[0] / term
            if path.exists():
                target = root / "lib" / "terminfo" / term[0] / term
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
                break
    for path in glob.glob("/usr/lib/locale/C.*") + glob.glob("/usr/share/smartmontools/drivedb.h"):
        if os.path.isdir(path):
            shutil.copytree(path, root / path.lstrip("/"))
    for target, source in extras.items():
        (root / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, root / target)
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    (root / "control").write_text(CONTROL)
    (root / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n")
    (root / "etc" / "group").write_text("root:x:0:\nuser:x:1000:\n")
    image = Path(folder) / "initrd"
    names = subprocess.run(["find", ".", "-print0"], cwd=root, capture_output=True).stdout
    with open(image, "wb") as out:
        subprocess.run(["cpio", "--null", "-o", "-H", "newc", "--quiet", "-R", "0:0"], cwd=root,
                       input=names, stdout=out, check=True)
    return image


class Guest:
    """One boot. Use as a context manager."""

    def __init__(self, folder, program, devices, kernel_args="", memory="1G", extras=None,
                 programs=JUDGES):
        self.folder = Path(folder)
        need("qemu-system-x86_64", "busybox", "cpio", "ldd", *programs)
        args = ["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-m", memory, "-smp", "2",
                "-nographic", "-no-reboot", "-nodefaults", "-kernel", str(kernel()), "-initrd",
                str(initramfs(folder, program, extras or {}, programs)), "-append",
                "console=ttyS0 quiet panic=-1 " + kernel_args,
                "-serial", f"file:{self.folder}/console.log",
                "-chardev", f"socket,id=tty,path={self.folder}/tty,server=on,wait=off",
                "-serial", "chardev:tty",
                "-chardev", f"socket,id=ctl,path={self.folder}/ctl,server=on,wait=off",
                "-serial", "chardev:ctl",
                "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off", *devices]
        for name in ("tty", "ctl", "qmp"):
            (self.folder / name).unlink(missing_ok=True)
        self.log = open(self.folder / "qemu.log", "wb")
        self.process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log)
        self.control = self.connect("ctl")
        self.buffer = b""
        if self.read_line(120) != b"READY":
            raise RuntimeError("the guest did not come up: " + self.console()[-800:])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.control.sendall(b"poweroff\n")
            self.process.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.log.close()

    def cpu_seconds(self):
        """What the emulator has used: tells a slow test from a busy machine."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def connect(self, name):
        path = str(self.folder / name)
        for _ in range(200):
            if self.process.poll() is not None:
                raise RuntimeError("the emulator ended: " +
                                   (self.folder / "qemu.log").read_text()[-800:])
            link = socket.socket(socket.AF_UNIX)
            try:
                link.connect(path)
                return link
            except OSError:
                link.close()
                time.sleep(0.05)
        raise RuntimeError(f"the emulator does not open {name}")

    def console(self):
        return (self.folder / "console.log").read_text(errors="replace")

    def read_line(self, seconds):
        self.control.settimeout(seconds)
        while b"\n" not in self.buffer:
            data = self.control.recv(65536)
            if not data:
                raise RuntimeError("the guest went away: " + self.console()[-800:])
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.strip(b"\r")

    def run(self, command, seconds=120):
        """Runs one line of shell in the guest: (exit code, stdout, stderr)."""
        assert "\n" not in command
        self.control.sendall(command.encode() + b"\n")
        line = self.read_line(seconds)
        while not line.startswith(b"BEGIN "):
            line = self.read_line(seconds)
        _, code, out_length, err_length = line.split()
        total = int(out_length) + int(err_length)
        while len(self.buffer) < total:
            self.buffer += self.control.recv(65536)
        data, self.buffer = self.buffer[:total], self.buffer[total:]
        return (int(code), data[:int(out_length)].decode("utf-8", "replace"),
                data[int(out_length):].decode("utf-8", "replace"))

    def json(self, command, seconds=120):
        code, out, err = self.run(command, seconds)
        try:
            return json.loads(out)
        except ValueError as fault:
            raise RuntimeError(f"{command}: exit {code}, no JSON ({fault}): {out[:300]} {err[:300]}")

    def qmp(self, command, **arguments):
        link = self.connect("qmp")
        with link, link.makefile("rwb") as stream:
            stream.readline()
            for request in ({"execute": "qmp_capabilities"},
                            {"execute": command, "arguments": arguments}):
                stream.write(json.dumps(request).encode() + b"\n")
                stream.flush()
                answer = json.loads(stream.readline())
                while "event" in answer:
                    answer = json.loads(stream.readline())
        if "error" in answer:
            raise RuntimeError(f"{command}: {answer['error']['desc']}")
        return answer["return"]


class Terminal:
    """The guest's ttyS1, as a person at a terminal sees it. vtdump turns bytes into a screen."""

    def __init__(self, guest, vtdump, columns, rows):
        self.link = guest.connect("tty")
        self.vtdump, self.columns, self.rows = vtdump, columns, rows
        self.bytes = b""

    def send(self, text):
        self.link.sendall(text.encode())

    def screen(self):
        return subprocess.run([str(self.vtdump), str(self.columns), str(self.rows)],
                              input=self.bytes, capture_output=True).stdout.decode()

    def wait(self, text, seconds=60):
        """The screen once it shows text; the last screen and a failure otherwise."""
        end = time.monotonic() + seconds
        self.link.settimeout(0.3)
        while True:
            try:
                data = self.link.recv(65536)
                if not data:
                    raise RuntimeError("the terminal line closed")
                self.bytes += data
                continue
            except TimeoutError:
                pass
            screen = self.screen()
            if re.search(text, screen):
                return screen
            if time.monotonic() > end:
                raise AssertionError(f"the screen never showed {text!r}; it shows:\n{screen}")
