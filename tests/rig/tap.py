"""TAP lines of a test program, as tests/run reads them."""

count = failures = 0


def ok(good, name, detail=""):
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    if not good and detail:
        print("# " + str(detail)[:4000].replace("\n", "\n# "), flush=True)


def skip(name, reason):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {reason}", flush=True)


def finish():
    """The plan; the exit code."""
    print(f"1..{count}")
    return 1 if failures else 0
