"""Field by field: what nvme-cli and smartctl print against what nvsweep prints.

Every function takes both documents and yields (name, theirs, ours) for every field the judge
prints; a field that nvsweep lacks comes out as MISSING, so that nothing is skipped in silence.
"""
MISSING = "(not printed by nvsweep)"


def number(value):
    """Judges print numbers as text here and there; 128-bit counters are text in both."""
    if isinstance(value, str) and value.lstrip("-").isdigit():
        return int(value)
    return value.strip() if isinstance(value, str) else value


def get(document, key):
    return document[key] if key in document else MISSING


def identify_controller(judge, ours):
    for key, value in judge.items():
        if key == "psds":
            states = ours.get("power_states", [])
            yield "npss + 1", len(value), len(states)
            for i, (theirs, mine) in enumerate(zip(value, states)):
                scale = 0.0001 if theirs["flags"] & 1 else 0.01
                yield f"psd{i}.max_power", round(theirs["max_power"] * scale, 4), get(mine, "max_power_w")
                yield f"psd{i}.non_operational", bool(theirs["flags"] & 2), get(mine, "non_operational")
                for a, b in (("entry_lat", "entry_latency_us"), ("exit_lat", "exit_latency_us"),
                             ("read_tput", "relative_read_throughput"),
                             ("read_lat", "relative_read_latency"),
                             ("write_tput", "relative_write_throughput"),
                             ("write_lat", "relative_write_latency")):
                    yield f"psd{i}.{a}", theirs[a], get(mine, b) if get(mine, b) is not None else 0
                yield f"psd{i}.active_power_work", theirs["active_power_work"], get(mine, "active_workload")
            continue
        if key == "fguid":
            yield key, value.replace("-", ""), str(get(ours, key) or "0" * 32).replace("-", "")
            continue
        yield key, number(value), number(get(ours, key))


def identify_namespace(judge, ours):
    for key, value in judge.items():
        if key == "lbafs":
            formats = ours.get("lba_formats", [])
            yield "formats", len(value), len(formats)
            for i, (theirs, mine) in enumerate(zip(value, formats)):
                yield f"lbaf{i}.ms", theirs["ms"], get(mine, "ms")
                yield f"lbaf{i}.ds", theirs["ds"], get(mine, "lbads")
                yield f"lbaf{i}.rp", theirs["rp"], get(mine, "rp")
            continue
        if key in ("eui64", "nguid"):
            # All zero is "none": null with us.
            mine = get(ours, key)
            yield key, value, ("0" * len(value) if mine is None else str(mine))
            continue
        yield key, number(value), number(get(ours, key))


SMART = {  # nvme-cli's name -> ours
    "avail_spare": "available_spare_pct", "spare_thresh": "available_spare_threshold_pct",
    "percent_used": "percentage_used_pct",
    "endurance_grp_critical_warning_summary": "endurance_group_critical_warning",
    "host_read_commands": "host_reads", "host_write_commands": "host_writes",
    "controller_busy_time": "controller_busy_time_min", "warning_temp_time": "warning_temp_time_min",
    "critical_comp_time": "critical_comp_time_min", "thm_temp1_total_time": "thm_temp1_total_time_s",
    "thm_temp2_total_time": "thm_temp2_total_time_s",
}
# Counters that the judge's own commands may move between the two readings.
MOVING = {"host_reads", "data_units_read", "controller_busy_time_min"}


def smart_nvme(judge, ours):
    for key, value in judge.items():
        name = SMART.get(key, key)
        if key == "temperature":
            mine = get(ours, "temperature_c")
            yield key, number(value) - 273, mine
        elif key.startswith("temperature_sensor_"):
            yield key, number(value) - 273, ours["temperature_sensors_c"][int(key[-1]) - 1]
        else:
            mine, theirs = number(get(ours, name)), number(value)
            if mine is None and theirs == 0:
                mine = 0  # data units of 0 are "not reported"
            if name in MOVING and isinstance(mine, int) and 0 <= mine - theirs <= 1000:
                mine = theirs
            yield key, theirs, mine


SMARTCTL = {
    "temperature": "temperature_c", "available_spare": "available_spare_pct",
    "available_spare_threshold": "available_spare_threshold_pct",
    "percentage_used": "percentage_used_pct", "controller_busy_time": "controller_busy_time_min",
    "warning_temp_time": "warning_temp_time_min", "critical_comp_time": "critical_comp_time_min",
}


def smartctl(judge, ours):
    for key, value in judge["nvme_smart_health_information_log"].items():
        name = SMARTCTL.get(key, key)
        if key == "temperature_sensors":
            yield key, value, [t for t in ours["smart"]["temperature_sensors_c"] if t is not None]
            continue
        mine, theirs = number(get(ours["smart"], name)), number(value)
        if mine is None and theirs == 0:
            mine = 0
        if name in MOVING and isinstance(mine, int) and 0 <= mine - theirs <= 1000:
            mine = theirs
        yield key, theirs, mine
    controller, identify = ours["controller"], ours["identify"]
    yield "model_name", judge["model_name"], controller["model"]
    yield "serial_number", judge["serial_number"], controller["serial"]
    yield "firmware_version", judge["firmware_version"], controller["firmware"]
    yield "pci vendor", judge["nvme_pci_vendor"]["id"], get(identify, "vid")
    yield "pci subsystem vendor", judge["nvme_pci_vendor"]["subsystem_id"], get(identify, "ssvid")
    yield "ieee oui", judge["nvme_ieee_oui_identifier"], get(identify, "ieee")
    yield "controller id", judge["nvme_controller_id"], get(identify, "cntlid")
    yield "version", judge["nvme_version"]["string"], get(identify, "version")
    yield "namespaces", judge["nvme_number_of_namespaces"], get(identify, "nn")


def listing(judge, ours):
    """nvme list -v -o json: the whole tree."""
    controllers = {c["name"]: c for c in ours["controllers"]}
    namespaces = {n["name"]: n for n in ours["namespaces"]}
    seen_controllers, seen_namespaces = set(), set()

    def one_namespace(theirs, controller):
        name = theirs["NameSpace"]
        seen_namespaces.add(name)
        mine = namespaces.get(name, {})
        yield f"{name} nsid", theirs["NSID"], get(mine, "nsid")
        yield f"{name} used", theirs["UsedBytes"], get(mine, "used_bytes")
        yield f"{name} size", theirs["PhysicalSize"], get(mine, "size_bytes")
        yield f"{name} block", theirs["SectorSize"], get(mine, "lba_bytes")
        yield (f"{name} blocks", theirs["MaximumLBA"],
               mine["size_bytes"] // mine["lba_bytes"] if mine else MISSING)
        yield f"{name} controller", controller, get(mine, "controller")

    for device in judge["Devices"]:
        for subsystem in device["Subsystems"]:
            paths = {}
            for theirs in subsystem["Controllers"]:
                name = theirs["Controller"]
                seen_controllers.add(name)
                mine = controllers.get(name, {})
                for a, b in (("SerialNumber", "serial"), ("ModelNumber", "model"),
                             ("Firmware", "firmware"), ("Transport", "transport"),
                             ("Address", "address")):
                    yield f"{name} {b}", theirs[a].strip(), get(mine, b)
                yield f"{name} subsystem", subsystem["Subsystem"], get(mine, "subsystem")
                yield f"{name} nqn", subsystem["SubsystemNQN"], get(mine, "nqn")
                for ns in theirs["Namespaces"]:
                    yield from one_namespace(ns, name)
                for path in theirs["Paths"]:
                    paths[path["Path"]] = (name, path["ANAState"])
            for ns in subsystem["Namespaces"]:
                yield from one_namespace(ns, None)
                mine = namespaces.get(ns["NameSpace"], {})
                yield (f"{ns['NameSpace']} paths", paths,
                       {p["name"]: (p["controller"], p["ana_state"]) for p in mine.get("paths", [])})
                yield f"{ns['NameSpace']} subsystem", subsystem["Subsystem"], get(mine, "subsystem")
    yield "controllers", sorted(seen_controllers), sorted(controllers)
    yield "namespaces", sorted(seen_namespaces), sorted(namespaces)
