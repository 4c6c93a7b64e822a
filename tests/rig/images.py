"""Disk images with the marks of those who may live on a drive, made by hand.

Each maker writes into an open image file at its first byte; content beside the marks stays. The
layouts are those of the projects' own descriptions on disk; blkid of the host judges them.
"""
import os
import struct
import subprocess
import uuid
import zlib

import vm


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def put(image, offset, data):
    image.seek(offset)
    image.write(data)


def size_of(image):
    return image.seek(0, os.SEEK_END)


def lvm(image):
    """A physical volume: the label in sector 1, its header behind it."""
    body = struct.pack("<I8s", 32, b"LVM2 001")
    body += (b"nvsweeprig" + b"0" * 22) + struct.pack("<Q", size_of(image))
    body += struct.pack("<QQ", 1 << 20, 0) + bytes(16) + struct.pack("<QQ", 4096, 1 << 20) + bytes(16)
    body = body.ljust(512 - 20, b"\0")
    crc = zlib.crc32(body, 0xf597a6cf ^ 0xffffffff) ^ 0xffffffff
    put(image, 512, struct.pack("<8sQI", b"LABELONE", 1, crc) + body)


def zfs(image, at_end):
    """Uberblocks of the two labels at one end; the other pair is gone, as after a half-hearted wipe."""
    size = size_of(image) & ~0x3ffff
    for label in (0, 1):
        start = size - (2 - label) * 0x40000 if at_end else label * 0x40000
        for slot in range(128):
            put(image, start + 0x20000 + slot * 1024,
                struct.pack("<QQQQQ", 0x00bab10c, 5000, 100 + slot, 7, 1700000000))


def btrfs(image):
    """The first superblock: checksum, itself at 64 KiB."""
    block = bytearray(4096)
    block[32:48] = uuid.UUID(int=0x1234).bytes
    struct.pack_into("<Q", block, 48, 0x10000)
    struct.pack_into("<8sQ", block, 64, b"_BHRfS_M", 1)
    struct.pack_into("<QQ", block, 112, size_of(image), 1 << 16)   # total, used bytes
    struct.pack_into("<QII", block, 136, 1, 4096, 4096)            # devices, sector and node size
    struct.pack_into("<I", block, 0, crc32c(block[32:]))
    put(image, 0x10000, block)


def luks(image):
    put(image, 0, struct.pack(">6sH32s32s32s", b"LUKS\xba\xbe", 1, b"aes", b"xts-plain64", b"sha256")
        .ljust(168, b"\0") + b"5f0c3e2a-2d7e-4d5a-9a44-0123456789ab".ljust(40, b"\0") + bytes(384))


def md_member(image):
    """A superblock of version 1.2, at 4 KiB."""
    sectors = size_of(image) // 512
    block = bytearray(256 + 2 * 2)
    struct.pack_into("<IIII", block, 0, 0xa92b4efc, 1, 0, 0)
    block[16:32] = uuid.UUID(int=0x5678).bytes
    block[32:64] = b"rig:0".ljust(32, b"\0")
    struct.pack_into("<QIIQII", block, 64, 1700000000, 1, 0, sectors - 2048, 0, 2)
    struct.pack_into("<QQQ", block, 128, 2048, sectors - 2048, 8)
    struct.pack_into("<I", block, 220, 2)
    struct.pack_into("<HH", block, 256, 0, 1)
    total = sum(struct.unpack("<65I", bytes(block)))
    struct.pack_into("<I", block, 216, ((total & 0xffffffff) + (total >> 32)) & 0xffffffff)
    put(image, 4096, block)


def swap(image):
    block = bytearray(4096)
    struct.pack_into("<III", block, 1024, 1, size_of(image) // 4096 - 1, 0)
    block[1036:1052] = uuid.UUID(int=0x9abc).bytes
    block[4086:] = b"SWAPSPACE2"
    put(image, 0, block)


def ext4(path, offset=0, length=None):
    """By mke2fs: without a journal and ready made, so that a mounted one stays as it is."""
    subprocess.run([vm.find_program("mke2fs"), "-q", "-F", "-t", "ext4", "-b", "1024",
                    "-O", "^has_journal,^metadata_csum", "-E",
                    f"offset={offset},lazy_itable_init=0,nodiscard,root_owner=0:0",
                    str(path), *([f"{length // 1024}k"] if length else [])], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


LINUX_DATA = uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4")


def gpt(image, partitions, block=512):
    """A partition table at both ends. partitions: (first byte, bytes)."""
    last = size_of(image) // block - 1
    array = bytearray(128 * 128)
    for i, (start, length) in enumerate(partitions):
        name = f"part{i + 1}".encode("utf-16-le")
        struct.pack_into("<16s16sQQQ72s", array, i * 128, LINUX_DATA.bytes_le,
                         uuid.UUID(int=0x100 + i).bytes_le, start // block,
                         (start + length) // block - 1, 0, name)
    held = len(array) // block

    def header(mine, other, entries):
        def pack(crc):
            return struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, mine, other,
                               2 + held, last - held - 1, uuid.UUID(int=0xdef0).bytes_le, entries,
                               128, 128, zlib.crc32(array))
        return pack(zlib.crc32(pack(0)))

    protective = bytes(446) + struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xee, b"\xff" * 3, 1, last)
    put(image, 0, protective.ljust(510, b"\0") + b"\x55\xaa")
    put(image, block, header(1, last, 2).ljust(block, b"\0") + array)
    put(image, (last - held) * block, array + header(last, 1, last - held).ljust(block, b"\0"))
