#!/usr/bin/env python3
"""Writes a capture of a small machine, byte by byte from the specification and the format described
in src/nvme/capture_format.h: what --replay shows is compared with what was put in here.

usage: tests/cli/fleet.py FILE
"""
import struct
import sys
import zlib

INFO, CONTROLLER, NAMESPACE, PATH, ENVIRONMENT, SENSOR, PAGE, END = range(1, 9)

# name, model, serial, critical warning, kelvin, spare, used %, data units written, media errors,
# link (GT/s, lanes) now and at most, namespaces {nsid: (blocks, used, shift)}
DRIVES = [
    dict(name="nvme0", model="FAKE DC 7680", serial="FAKE0000", warning=0, kelvin=314, spare=100,
         used=3, written=26_580_000, errors=0, link=(16, 4, 16, 4),
         namespaces={1: (15_002_931_888, 3_750_000_000, 9), 2: (1_875_366_486, 0, 12)}),
    dict(name="nvme1", model="FAKE DC 3840", serial="FAKE0001", warning=0, kelvin=344, spare=34,
         used=98, written=26_582_031_250, errors=3, link=(8, 2, 16, 4),
         namespaces={1: (937_684_566, 750_000_000, 12)}),
    dict(name="nvme2", model="FAKE FABRIC", serial="FAKE0002", warning=0, kelvin=0, spare=100, used=1,
         written=10, errors=0, link=None, namespaces={1: (488_281_250, 4_882_812, 12)}),
]


def fields(**values):
    return "".join(f"{k}={v}\n" for k, v in values.items()).encode()


def identify_controller(drive, cntlid):
    page = bytearray(4096)
    struct.pack_into("<H", page, 0, 0x1b36)
    page[4:24] = drive["serial"].encode().ljust(20)
    page[24:64] = drive["model"].encode().ljust(40)
    page[64:72] = b"1.2.3".ljust(8)
    page[77] = 7
    struct.pack_into("<HI", page, 78, cntlid, 0x10400)
    page[111] = 1
    struct.pack_into("<HH", page, 266, 343, 353)
    struct.pack_into("<I", page, 516, 32)
    return page


def smart(drive):
    page = bytearray(512)
    struct.pack_into("<BHBBB", page, 0, drive["warning"], drive["kelvin"], drive["spare"], 10,
                     drive["used"])
    for offset, value in ((32, drive["written"] * 3), (48, drive["written"]), (64, 10 ** 9),
                          (80, 10 ** 8), (96, 5000), (112, 48), (128, 31204), (144, 17),
                          (160, drive["errors"]), (176, 211)):
        page[offset:offset + 16] = value.to_bytes(16, "little")
    return page


def identify_namespace(blocks, used, shift):
    page = bytearray(4096)
    struct.pack_into("<QQQ", page, 0, blocks, blocks, used)
    page[130] = shift
    return page


class Capture:
    def __init__(self):
        head = b"NVSWEEP-CAPTURE\n" + struct.pack("<II", 1, 0)
        self.data = head + struct.pack("<I", zlib.crc32(head))
        self.records = 0

    def put(self, kind, payload):
        head = b"NVR\n" + struct.pack("<III", kind, len(payload), zlib.crc32(payload))
        self.data += head + struct.pack("<I", zlib.crc32(head)) + payload
        self.records += 1

    def page(self, controller, log, selector, nsid, content, length):
        text = fields(controller=controller, is_log=int(log), selector=selector, log_specific=0,
                      nsid=nsid, retain_event=0, offset=0, length=length, result=0, status=0)
        self.put(PAGE, struct.pack("<I", len(text)) + text + bytes(content))


def capture_of(**changes):
    """One drive, the first, with other figures."""
    return capture([dict(DRIVES[0], **changes)])


def capture(drives=None):
    out, index = Capture(), 0
    out.put(INFO, fields(program="nvsweep test", kernel="6.1.0", written_at=1_796_046_542))
    for number, drive in enumerate(drives or DRIVES):
        name, fabric = drive["name"], drive["link"] is None
        out.put(CONTROLLER, fields(
            name=name, model=drive["model"], serial=drive["serial"], firmware="1.2.3",
            transport="tcp" if fabric else "pcie",
            address="traddr=192.0.2.7,trsvcid=4420" if fabric else f"0000:0{number}:00.0",
            state="live", subsystem=f"nvme-subsys{number}", nqn=f"nqn.2014-08.example:{number}",
            controller_type="io", cntlid=number, numa_node=0, queue_count=9, sqsize=1023,
            node_visible=1))
        for nsid, (blocks, _, shift) in drive["namespaces"].items():
            out.put(NAMESPACE, fields(
                index=index, name=f"{name}n{nsid}", generic=f"ng{number}n{nsid}", nsid=nsid,
                subsystem=f"nvme-subsys{number}", controller="" if fabric else name,
                multipath=int(fabric), size_bytes=blocks << shift, lba_bytes=1 << shift,
                metadata_bytes=0, read_only=0, nguid=f"30000000577000010025384700{number:02x}000{nsid}",
                major=259, minor=index))
            if fabric:
                out.put(PATH, fields(index=index, name=f"nvme2c{number}n{nsid}", controller=name,
                                     ana_state="optimized"))
            index += 1
        link = drive["link"] or (0, 0, 0, 0)
        out.put(ENVIRONMENT, fields(
            controller=name, link_gts=link[0], link_width=link[1], link_max_gts=link[2],
            link_max_width=link[3], slot_max_gts=link[2], slot_max_width=link[3], numa_node=0))
        out.page(name, False, 1, 0, identify_controller(drive, number), 4096)
        out.page(name, True, 2, 0xffffffff, smart(drive), 512)
        nsids = bytearray(4096)
        struct.pack_into(f"<{len(drive['namespaces'])}I", nsids, 0, *drive["namespaces"])
        out.page(name, False, 2, 0, nsids, 4096)
        for nsid, size in drive["namespaces"].items():
            out.page(name, False, 0, nsid, identify_namespace(*size), 4096)
    out.put(END, fields(records=out.records))
    return out.data


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(capture())
