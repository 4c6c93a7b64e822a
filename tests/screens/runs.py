#!/usr/bin/env python3
"""Saved runs of hand-made figures for the screen tests: runs.py HOME

Three curves in HOME's folder of runs: sql on two drives, of which the second has half as much
latency again and a tenth more IOPS, and rand-read-4k with a peak of 700,000 IOPS at 180 us."""
import json
import os
import sys


def latency(mean):
    return {"count": 100000, "mean": mean, "stddev": mean / 2, "min": mean / 2, "p50": mean * 0.9,
            "p90": mean * 1.5, "p99": mean * 2, "p99_9": mean * 3, "p99_99": mean * 4,
            "max": mean * 5}


def point(percent, iops, mean, outstanding):
    count = int(iops * 20)
    return {"percent": percent, "label": f"{percent} %", "asked_iops": iops,
            "outstanding_limit": outstanding, "started_s": percent, "window_s": 20,
            "scheduled": count, "count": count, "bytes": count * 4096, "errors": 0,
            "iops": iops, "mib_s": iops * 4096 / 1048576,
            "outstanding_avg": iops * mean / 1e6, "saturated": False, "backlog": 0,
            "service_us": latency(mean), "response_us": latency(mean * 1.1)}


def run(folder, hour, target, model, workload, outstanding, peak, mean):
    name = f"2026-11-29T{hour:02}-00-00-{target}-{workload}-00{hour:02}"
    points = [point(25 * i, peak * i / 4, mean * (1 + i) / 5, outstanding) for i in range(1, 5)]
    head = {"run_id": name, "started": f"2026-11-29T{hour:02}:00:00Z",
            "ended": f"2026-11-29T{hour:02}:05:00Z", "workload": workload, "method": "curve",
            "target": target, "model": model, "outcome": "complete", "simulated": False,
            "points": 4, "peak_iops": peak, "peak_mib_s": points[3]["mib_s"],
            "peak_mean_us": mean, "tags": [], "note": None}
    document = {"schema": "nvsweep-run/1", "generator": "nvsweep 0.1.0", "summary": head,
                "tags": [], "note": None, "run_id": name, "suite_id": None,
                "workload": {"name": workload, "text": ""}, "method": "curve",
                "parameters": {"outstanding": str(outstanding)},
                "targets": [{"name": target, "path": f"/dev/{target}", "kind": "namespace",
                             "model": model, "serial": "FAKE", "nsid": 1,
                             "size_bytes": 7681501126656, "area_offset_bytes": 0,
                             "area_length_bytes": 7681501126656, "lba_bytes": 512,
                             "metadata_bytes": 0, "direct": True, "simulated": False}],
                "engine": {"backend": "uring", "workers": 2, "pace": "auto"},
                "host": {"hostname": "storage07", "kernel": "6.1.0"}, "seed": 1,
                "started": head["started"], "ended": head["ended"], "outcome": "complete",
                "simulated": False, "points": points,
                "analysis": {"start": {"point": 0}, "peak": {"point": 3},
                             "knee": {"chord": None, "limit": None}, "fall_off": None,
                             "unstable": []},
                "spoiled_by": []}
    with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
        json.dump(document, file)


def main():
    folder = sys.argv[1] + "/.local/state/nvsweep/runs"
    os.makedirs(folder)
    run(folder, 9, "nvme0n1", "FAKE DC 7680", "sql", 32, 400000, 80)
    run(folder, 10, "nvme1n1", "FAKE DC 3840", "sql", 32, 440000, 120)
    run(folder, 11, "nvme0n1", "FAKE DC 7680", "rand-read-4k", 128, 700000, 180)


main()
