#!/usr/bin/env python3
"""A saved quick check of hand-made figures for the screen tests: check_run.py HOME

A worn drive on half of its link: 92 us, 381,000 IOPS at 335 us, 1.79 GB/s of the 1.80 that PCIe 3.0
x2 carries."""
import json
import os
import sys

NAME = "2026-11-29T14-09-02-nvme1n1-check-00aa"


def latency(mean, p50, p99):
    return {"count": 50000, "mean": mean, "stddev": 10, "min": p50 / 2, "p50": p50, "p90": p50 * 1.2,
            "p99": p99, "p99_9": p99 * 2, "p99_99": None, "max": p99 * 4}


def point(load, label, percent, iops, block, outstanding, service):
    count = int(iops * 4)
    return {"percent": percent, "label": label, "load": load,
            "asked_iops": iops if percent else None, "outstanding_limit": outstanding,
            "started_s": 1, "window_s": 4, "scheduled": count, "count": count,
            "bytes": count * block, "errors": 0, "iops": iops, "mib_s": iops * block / 1048576,
            "outstanding_avg": iops * service["mean"] / 1e6, "saturated": False, "backlog": 0,
            "service_us": service, "response_us": service,
            "read": {"count": count, "bytes": count * block, "service_us": service},
            "write": {"count": 0, "bytes": 0, "service_us": latency(0, 0, 0) | {"count": 0}}}


def main():
    folder = sys.argv[1] + "/.local/state/nvsweep/runs"
    os.makedirs(folder)
    random = "4k-random-read"
    curve = [(25, 95250, 110), (50, 190500, 125), (75, 285750, 170), (90, 342900, 240),
             (100, 381000, 335)]
    points = [point(random, "1 outstanding", None, 10600, 4096, 1, latency(94, 92, 181))]
    points += [point(random, f"{p} %", p, iops, 4096, 128, latency(mean, mean * 0.9, mean * 3))
               for p, iops, mean in curve]
    points.append(point("128k-sequential-read", "128K sequential", None, 13650, 131072, 32,
                        latency(2340, 2300, 2600)))
    points[-1]["intervals"] = [{"start_s": 30, "length_s": 8, "point": 6, "warmup": False,
                                "scheduled": 0, "reads": 9000000, "writes": 0,
                                "read_bytes": 41200000000, "write_bytes": 0, "errors": 0,
                                "backlog": 0}]
    head = {"run_id": NAME, "started": "2026-11-29T14:09:02Z", "ended": "2026-11-29T14:09:40Z",
            "workload": "check", "method": "check", "target": "nvme1n1", "model": "FAKE DC 3840",
            "outcome": "complete", "simulated": False, "points": 7, "peak_iops": 381000,
            "peak_mib_s": points[5]["mib_s"], "peak_mean_us": 335, "tags": [], "note": None}
    reasons = [{"severity": "warning", "text": "98 % of the rated endurance is used",
                "advice": "plan its replacement"},
               {"severity": "warning", "text": "3 media errors", "advice": None}]
    document = {"schema": "nvsweep-run/1", "generator": "nvsweep 0.1.0", "summary": head,
                "tags": [], "note": None, "run_id": NAME, "suite_id": None,
                "workload": {"name": "check", "text": ""}, "method": "check",
                "parameters": {"point_s": "5"},
                "targets": [{"name": "nvme1n1", "path": "/dev/nvme1n1", "kind": "namespace",
                             "model": "FAKE DC 3840", "serial": "FAKE0001", "nsid": 1,
                             "size_bytes": 3840755982336, "area_offset_bytes": 0,
                             "area_length_bytes": 3840755982336, "lba_bytes": 4096,
                             "metadata_bytes": 0, "transport": "pcie", "rotational": False,
                             "link": {"speed_gts": 8, "width": 2},
                             "link_max": {"speed_gts": 16, "width": 4},
                             "link_slot": {"speed_gts": 16, "width": 4},
                             "direct": True, "simulated": False}],
                "engine": {"backend": "uring", "workers": 1, "pace": "auto"},
                "host": {"hostname": "storage07", "kernel": "6.1.0"}, "seed": 1,
                "started": head["started"], "ended": head["ended"], "outcome": "complete",
                "simulated": False, "health": {"verdict": "warning", "reasons": reasons},
                "maximum": None, "searches": [], "points": points,
                "analysis": {"start": {"point": 0}, "peak": {"point": 5},
                             "knee": {"chord": {"point": 3}, "limit": None}, "fall_off": None,
                             "unstable": []},
                "spoiled_by": ["the link of nvme1 runs at 3.0 x2, the drive can 4.0 x4"]}
    with open(f"{folder}/{NAME}.json", "w", encoding="utf-8") as file:
        json.dump(document, file)


main()
