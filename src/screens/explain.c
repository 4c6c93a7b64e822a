/* Explanations by key. Sentences for people who meet the figure for the first time: what it is,
 * what is usual, what follows from it. */
#include "screens/explain.h"

#include <string.h>

#include "base/str.h"

const struct explain_row explain_table[] = {
	/* ---- drives: what a line is ---- */
	{"drives.controller", "Controller",
		"The electronics of one NVMe drive, as the kernel names it (nvme0). Its lines below "
		"are its namespaces: the disks it offers. SIZE is the sum it holds, HEALTH a verdict "
		"from SMART, temperature and link, WEAR the share of the rated endurance that is used, "
		"LINK the PCIe generation and lanes in use now; ! behind it means that drive and slot "
		"could do more. Enter opens the drive."},
	{"drives.namespace", "Namespace",
		"One disk of a drive (nvme0n1: controller 0, namespace 1). MODEL shows its block size; "
		"USED is what the drive itself counts as allocated, not what a file system holds. "
		"READ/s, WRITE/s and the small graph are what the whole machine does with it now, from "
		"the kernel's statistics: nvsweep sends no I/O for them. s sets up a test."},
	{"drives.subsystem", "Subsystem",
		"Several controllers that lead to the same namespaces: a drive with two ports, or an "
		"array reached over a network. The kernel joins the ways into one disk (multipath). The "
		"controllers, the shared disks and the paths of each disk are listed below."},
	{"drives.path", "Path",
		"One way from a shared disk to a controller. The word is the ANA state: optimized (used "
		"first), non-optimized (works, slower), inaccessible, persistent-loss or change. The "
		"second word is the state of the controller at its end. A path has no device of its "
		"own; tests go to the disk above it."},
	{"drives.other", "Other target",
		"A block device that is not NVMe. It can be tested, but it has no NVMe pages: no health, "
		"temperature or wear is shown. USB bridges hide those of the drive behind them."},
	{"drives.health", "Health",
		"good, WARN or CRIT is a verdict with reasons, which stand at the bottom of the screen. "
		"- means unknown: SMART could not be read, mostly because that needs root. Missing "
		"rights are never a verdict."},

	/* ---- overview ---- */
	{"overview.verdict", "Health verdict",
		"The worst of all findings: critical warnings of the drive, spare blocks, endurance, "
		"media errors, temperature against the drive's own limits, and the link. CRIT: data is "
		"at risk or the drive has stopped writing. WARN: plan something. Each reason stands "
		"with its figure and with what to do."},
	{"overview.model", "Model",
		"The name the maker gave the drive, as Identify Controller returns it."},
	{"overview.serial", "Serial number",
		"Names this very drive. Saved runs and history are kept by it, since nvme0 and nvme1 "
		"may change places at the next start of the machine."},
	{"overview.firmware", "Firmware",
		"The revision that runs now. Latency, throttling and error counts of the same model "
		"differ between revisions, so every saved run records it."},
	{"overview.version", "NVMe version",
		"The revision of the NVM Express specification the drive says it follows. Pages and "
		"fields that came later are shown as not reported."},
	{"overview.vendor", "PCI vendor",
		"Vendor and subsystem vendor from PCI, and the IEEE identifier: who made the drive and "
		"under whose name it is sold."},
	{"overview.nqn", "Subsystem name",
		"The NVMe Qualified Name: a world-wide unique name of the subsystem. Controllers with "
		"the same one lead to the same namespaces."},
	{"overview.controller", "Controller",
		"Identifier within the subsystem and kind: an I/O controller serves disks, a discovery "
		"controller only tells where they are, an administrative one only manages."},
	{"overview.state", "State",
		"The kernel's word for the controller: live is usual. resetting and connecting pass by "
		"themselves; dead means the kernel has given it up. Commands are only sent to live ones."},
	{"overview.transport", "Transport",
		"How the controller is reached: pcie is inside this machine, tcp, rdma and fc lead over "
		"a network, with that network's latency in every figure."},
	{"overview.capacity", "Capacity",
		"All the drive can give to namespaces, and what is not given to any. Unallocated space "
		"serves the drive as extra spare: it writes faster and lives longer."},
	{"overview.namespaces", "Namespaces",
		"Disks that are active, and how many the drive can have at most."},
	{"overview.link", "PCIe link",
		"Generation and lanes in use now, what the drive could, and what the slot could. The "
		"slower of the two decides. Below both, a bad contact, a riser or a power-saving "
		"setting is likely, and every test is capped: 4.0 x4 carries about 7 GB/s, each "
		"generation less halves it, each halving of lanes too."},
	{"overview.numa", "NUMA node",
		"The processor socket the drive hangs on. I/O from another node crosses the link "
		"between sockets and costs some hundred nanoseconds."},
	{"overview.queues", "I/O queues",
		"Pairs of submission and completion queues the kernel made, usually one per processor, "
		"and the entries of each. Fewer queues than processors make them share."},
	{"overview.mdts", "Largest transfer",
		"The most one command may move (MDTS). Larger I/O is split by the kernel and counts as "
		"one for you, as several for the drive."},
	{"overview.temperature", "Temperature",
		"The composite temperature and the sensors that the kernel shows, against the limits "
		"that the drive reports. Above the warning limit drives slow themselves down."},
	{"overview.power", "Power",
		"The most the drive takes in its highest power state. Further states are slower or "
		"asleep; waking from one takes its exit latency, seen in tests at low rates."},
	{"overview.features", "Commands",
		"What the drive offers besides reading and writing, from OACS, ONCS and SANICAP."},
	{"overview.cache", "Write cache",
		"Whether a volatile write cache is present. Without protection against power loss, what "
		"sits in it is lost unless it was flushed."},
	{"overview.rate", "I/O now",
		"What the whole machine does with the namespace now, from the kernel's statistics over "
		"the last interval: rate, throughput, mean latency and the share of time with I/O under "
		"way. Nothing is sent to the drive for it."},

	/* ---- SMART ---- */
	{"smart.critical_warning", "Critical warning",
		"Bits that the drive sets itself: spare below its threshold, temperature outside its "
		"limits, reliability degraded, read-only, power-loss backup failed, persistent memory "
		"read-only. Each that is set is named. Unknown bits are shown as a number."},
	{"smart.temperature", "Composite temperature",
		"What the drive regulates by; not that of one chip. Most drives are specified up to "
		"70 °C and throttle above their warning limit: IOPS fall and latency rises until it is "
		"cooler. - is a drive that reports none, as many virtual ones do."},
	{"smart.sensor", "Temperature sensor",
		"One of up to eight sensors inside. Where it sits is the maker's choice: often one at "
		"the controller, which is hotter, and one at the flash."},
	{"smart.percentage_used", "Percentage used",
		"The maker's estimate of how much of the rated endurance is used, by writes and by age. "
		"100 % is where the warranty ends, not the drive: it may go past it, up to 255, where "
		"the counter stands still. What matters then are spare and media errors."},
	{"smart.available_spare", "Available spare",
		"Blocks kept back to replace worn ones, as a share of those at the start. It should stay "
		"near 100 %. Below the threshold the drive raises a critical warning; at 0 % it has to "
		"stop writing."},
	{"smart.data_written", "Data written",
		"All that hosts have written, in units of 512,000 bytes, rounded up. Divided by the "
		"capacity it gives full drive writes (DWPD: drive writes per day); what the flash itself took is more, by the write "
		"amplification."},
	{"smart.data_read", "Data read",
		"All that hosts have read. Reading does not wear flash, but very much of it makes the "
		"drive refresh blocks."},
	{"smart.host_commands", "Read and write commands",
		"Commands completed. Data divided by commands is the mean size of an I/O over the "
		"drive's life: near 4 KiB a database, near 128 KiB backups or media."},
	{"smart.busy", "Controller busy time",
		"Minutes with at least one command in a queue. A share of the power-on hours near 100 % "
		"says that the drive never rests; it does not say that it was at its limit."},
	{"smart.power_cycles", "Power cycles", "How often the drive was switched on."},
	{"smart.power_on_hours", "Power-on hours",
		"Hours under power; makers differ in whether sleep counts. 8,766 hours are a year."},
	{"smart.unsafe_shutdowns", "Unsafe shutdowns",
		"Power went away without the announcement that lets the drive save its tables. A few "
		"are normal. Each costs a longer start and, without power-loss protection, what sat in "
		"the cache."},
	{"smart.media_errors", "Media and integrity errors",
		"Data that the drive could not give back correctly: uncorrectable by its ECC, a failed "
		"checksum or a tag mismatch. Any is worth a look; a growing number is a reason to "
		"replace the drive, whatever the verdict says."},
	{"smart.error_log_entries", "Error-log entries",
		"Entries over the drive's life. Mostly harmless: a host that asks for a page that the "
		"drive does not have makes one each time. Compare with media errors."},
	{"smart.warning_time", "Time above warning",
		"Minutes the composite temperature was at or above the warning limit. If it grows under "
		"load, cooling is short and long tests measure the throttle, not the drive."},
	{"smart.critical_time", "Time above critical",
		"Minutes at or above the critical limit. Drives shut down or throttle hard there; it "
		"should be 0."},
	{"smart.thermal", "Thermal management",
		"How often, and for how many seconds, the drive went to a slower state to cool: level 1 "
		"costs little, level 2 much. The limits can be set by the host."},
	{"smart.endurance_group", "Endurance groups",
		"A summary of critical warnings over the endurance groups of a drive that has them."},
	{"smart.page", "SMART page",
		"Log page 02h. It is read every half minute while it is shown; reading needs root or "
		"CAP_SYS_ADMIN. When a read fails, the last good content stays, dimmed, with its time."},

	/* ---- namespaces tab ---- */
	{"namespaces.row", "Namespace",
		"NSID is its number on the drive. FORMAT is the block size, plus metadata bytes per "
		"block where there are any. PI is the type of protection information (a checksum with "
		"each block). SHARED: several controllers can reach it. USED is what the drive counts "
		"as allocated: deallocated (trimmed) blocks are not. Reading blocks that were never "
		"written measures nothing but the drive's tables. LATENCY is the kernel's mean over "
		"the last interval, waiting in its queue included."},

	/* ---- form ---- */
	{"form.target", "Target",
		"What is read: a namespace (nvme0n1), another block device (/dev/sda), a partition, or a "
		"file. Several are separated by commas and run at once, started together. Tests of this "
		"version only read; a file system on the target does not matter, but other I/O on it "
		"spoils the figures."},
	{"form.method", "Test method",
		"fixed: one load for a time. depth: 1, 2, 4 ... outstanding, each kept full; shows what "
		"queue depth buys. curve: finds the maximum, then offers 10 to 120 % of it on a fixed "
		"schedule; shows how latency grows with load, where the knee is and what happens past "
		"the peak."},
	{"form.workload", "Workload",
		"What the I/O looks like: block sizes, share of reads, random or sequential, and how "
		"many are outstanding. Workloads that write cannot run yet: writing needs the write "
		"gate, which this version does not have."},
	{"option.outstanding", "Outstanding",
		"How many I/Os are on their way at most, over all workers of a target. By Little's law "
		"outstanding = IOPS x latency: more of them raise IOPS until the drive is busy, then "
		"only latency. Empty or 0: the workload's own."},
	{"option.rate_iops", "Rate",
		"0: closed loop, the next I/O starts when one ends. Above 0: open loop, I/Os are due on "
		"a schedule whether or not the drive keeps up, as with users who do not wait for each "
		"other. Only that shows the latency a rate really costs."},
	{"option.arrivals", "Arrivals",
		"How arrivals are spaced in an open loop. exponential: as from many independent users, "
		"with bursts; the honest default. uniform: spaced at random between nothing and twice "
		"the mean. constant: like a metronome; flatters tail latency."},
	{"option.area_pct", "Area",
		"Share of the target that is touched. Reviews use 25 %, so that the drive answers a load "
		"the size of an application. A small area can sit in the drive's cache and flatter it."},
	{"option.offset_bytes", "Offset", "Where the area begins, from the start of the target."},
	{"option.bytes", "Bytes",
		"Above 0: read exactly so much, then stop, instead of by time. For comparing with other "
		"tools."},
	{"option.point_s", "Point",
		"Length of the measured window of each point. p99.9 needs at least 10,000 I/Os in it, "
		"p99.99 100,000; a percentile with fewer than 10 samples above it is shown as -."},
	{"option.warmup_s", "Warm-up",
		"Time before each measured window under the same load. Its I/Os are not counted: caches, "
		"power states and the queue settle first."},
	{"option.p99_limit_us", "Latency limit",
		"A bound for the 99th percentile, in microseconds. The curve then tells the highest rate "
		"that keeps it: the rate to plan with. 0: none."},
	{"option.seed", "Seed",
		"Starts the random numbers. The same seed repeats the same offsets and arrivals; 0 takes "
		"a fresh one. It is recorded either way."},
	{"option.pace", "Pace",
		"How a worker waits for the next arrival. sleep saves the processor but wakes late by "
		"some 50 µs; spin is exact and burns it; auto sleeps first and spins the last 100 µs."},
	{"option.backend", "Backend",
		"How I/O is handed to the kernel: uring (io_uring) is the quickest, sync are threads "
		"that each wait for one, null completes at once and measures nvsweep itself. auto takes "
		"uring where the kernel allows it, and says so when it does not."},
	{"option.polled", "Polled",
		"yes lets the processor ask the drive for completions instead of waiting for its "
		"interrupts: some microseconds quicker per I/O, for a processor that is always busy. It "
		"needs queues that the kernel makes when it is told so at boot (nvme.poll_queues). "
		"Compare only runs that agree in it."},
	{"option.time_factor", "Time factor",
		"Simulated drives have a time of their own. So many seconds of it pass in one of yours, if "
		"this machine can keep up; the figures do not depend on it."},
	{"option.workers", "Workers",
		"Threads that submit. One does some 500,000 IOPS; 0 lets nvsweep choose. A worker at "
		"100 % of a processor is the limit itself and is said so in the result."},
	{"option.block_bytes", "Block size",
		"Overrides all block sizes of the workload. It has to be a multiple of the target's."},
	{"option.read_pct", "Reads", "Overrides the workload's share of reads."},
	{"option.random_pct", "Random",
		"Overrides the workload's share of random offsets; the rest is sequential."},
	{"option.reducible_pct", "Reducible",
		"Share of written data that can be compressed. 0: a drive that compresses gains nothing."},
	{"option.points", "Points", "The rates of the curve, in per cent of the maximum found."},
	{"option.depths", "Depths", "The outstanding counts of the depth method."},
	{"option.maximum_s", "Maximum search",
		"Window of each of the short runs that look for the maximum; 0: as a point."},
	{"option.prepare", "Prepare",
		"What is filled before the test: nothing, the area, or the whole target, with 128K "
		"sequential writes. A drive that was never written answers reads of it from its tables, "
		"and one with much free flash writes faster than it will in service: results of a fresh "
		"drive flatter it. This WRITES, whatever the workload does, and takes as long as the "
		"drive needs for it."},
	{"option.prepare_passes", "Fill passes",
		"How often the fill writes over all of it. After the second time the spare flash has been "
		"used too, and the drive has to clean up as it does in service."},
	{"form.allow", "Allow writing",
		"This test destroys what is on its target. The gate has found nothing there that somebody "
		"would miss: yes lets it write. It looks once more at the start, and before each step."},
	{"form.typed", "Type to allow",
		"This test destroys what is on its target, and the gate has found something there, or "
		"cannot know who else uses it. Typing the drive's serial number (the name of what has "
		"none) says that this very one is meant. What is mounted or in use otherwise cannot be "
		"written at all: it has to be freed first."},
	{"form.estimate", "Duration",
		"Warm-ups, windows and the search for the maximum together. The test can be stopped at "
		"any time and keeps what it has."},

	/* ---- live ---- */
	{"live.progress", "Progress",
		"Steps of the test done and to do, searches for the maximum included; time elapsed, of "
		"the planned whole, and left. Points in warm-up are not measured yet."},
	{"live.asked", "Asked and achieved",
		"Asked is the schedule's rate; achieved what completed. In a closed loop nothing is "
		"asked: the drive sets the pace. Achieved under asked with a growing backlog means the "
		"point is saturated."},
	{"live.outstanding", "Outstanding",
		"The time average of I/Os on their way, taken from an integral of its own. It should be "
		"IOPS x service latency (Little's law); a point that is off by more than 2 % is marked "
		"suspect."},
	{"live.backlog", "Backlog",
		"Arrivals that are due but wait, since the outstanding limit is reached. It should come "
		"back to 0. One that only grows means that the rate is more than the drive can do."},
	{"live.service", "Service latency",
		"From handing an I/O to the kernel until its completion: what the drive (and the kernel) "
		"took. It does not contain time spent waiting for a place in the queue."},
	{"live.response", "Response latency",
		"From the moment an I/O was due until its completion: what a user of that rate would "
		"see, waiting included. At low load it equals service; near the peak it runs away. In a "
		"closed loop both are the same."},
	{"live.directions", "Reads and writes",
		"What of the rate just now are reads, and what writes. Their share is kept exactly over "
		"the run, so both rise and fall together; a drive that cannot keep up with its writes "
		"slows the reads as well."},
	{"live.read_service", "Latency of reads",
		"Service latency of the reads of this point alone. Beside writes it is what users wait "
		"for: a write is done once the drive's buffer has it, a read has to fetch from flash that "
		"may be busy with writing."},
	{"live.write_service", "Latency of writes",
		"Service latency of the writes of this point alone. Lower than that of reads while the "
		"drive's buffer takes them; when it is full they wait for flash, and the tail grows."},
	{"live.iops", "IOPS",
		"Completions per second in each interval. Steady is good: a saw-tooth "
		"points to garbage collection, a staircase down to throttling or an exhausted cache."},
	{"live.p50", "p50", "Half of the I/Os were quicker. The latency of the usual case."},
	{"live.p99", "p99",
		"One in a hundred was slower. A page that needs 100 reads meets it almost every time: "
		"tail latency, not the mean, is what users feel."},
	{"live.p999", "p99.9",
		"One in a thousand was slower. Garbage collection, refreshes and queueing show here "
		"first. - until 10 samples lie above it."},
	{"live.temperature", "Temperature",
		"The drive's composite temperature beside the I/O. When it passes the warning limit "
		"and IOPS fall, the drive throttles; the result is marked."},
	{"live.curve", "Curve",
		"Each point is a load: to the right the IOPS achieved, upwards the latency (mean service "
		"and p99). Flat, then a knee, then a wall at the maximum. A curve that bends back to "
		"the left falls off: asked for more it does less."},
	{"live.outcome", "Outcome",
		"complete: all points were measured. STOPPED: by you; the points so far are good. "
		"ABORTED: the device, an error or the end of the program. What spoils a result "
		"(throttling, other I/O, a narrow link, never-written blocks) is listed with it."},

	/* ---- quick check ---- */
	{"check.health", "Health",
		"The verdict of SMART, temperature and link as on the drive's own screen, and what "
		"happened while the check read: reads that failed, new media errors, throttling. Not "
		"judged where there are no NVMe pages (files, USB bridges) or no right to read them."},
	{"check.link", "Link",
		"PCIe generation and lanes in use now, and what they carry at most after encoding and "
		"packet overhead. narrowed: drive and slot could both do more; a bad contact, a riser "
		"or a power-saving setting is likely. good with a remark: the slot is slower than the "
		"drive."},
	{"check.latency", "Latency",
		"4 KiB reads at random, one at a time: what a single program that waits for each read "
		"feels. usual for flash on PCIe is up to 200 µs in the middle (p50) and 500 µs for one "
		"in a hundred (p99). slow tail: the middle is fine, but single reads take long: "
		"retries of worn cells, heat, or other work on the drive."},
	{"check.random", "Random read",
		"The most 4 KiB reads per second with 128 outstanding, the mean latency there, and the "
		"knee, from where latency rises faster than the rate. drive-bound: the drive itself "
		"is the limit, as it should be. link-bound: its link is. host-bound: this computer's "
		"CPU is, and the drive may do more."},
	{"check.sequential", "Sequential read",
		"128 KiB reads one behind the other, 32 outstanding: bandwidth, and how much of what "
		"the link carries that is. Most drives for PCIe reach two thirds of it or more; "
		"under a quarter counts as slow: heat, a tired drive, data that it must correct."},
	{"check.spoiled", "Spoiled by",
		"What makes the figures less than they seem: other programs that used the drive or "
		"the CPU, blocks that were never written, a narrowed link, throttling. Repeat the "
		"check without it before you conclude anything."},
	{"check.amount", "What was read",
		"All that the check read, warm-ups included. It never writes: its loads have no "
		"writes, and the target is opened for reading alone."},

	/* ---- saved runs ---- */
	{"results.row", "Saved run",
		"One file per run, with all points, histograms, intervals and what is needed to judge "
		"it. partial: the program was killed; the run was put together from its journal. PEAK "
		"is the highest rate achieved, MEAN the service latency there. Space marks runs: c then sets "
		"them side by side, t, n, d and e work on all of them. c without marks sets the run "
		"under the cursor beside the published figures."},
	{"run.marks", "Tags and note",
		"What somebody wrote onto the run, kept in its file. The filter of the list finds them: "
		"tag:fresh, note:raid, is:tagged."},
	{"compare.row", "Matched point",
		"The same share of the maximum, depth or load in each run; below them maximum, start, "
		"knee and peak. Percentages are against A: more IOPS is +, longer latency is +. Only "
		"runs that are alike but for one thing say something about that thing: what is unlike "
		"stands above and, whole, in the notes. p goes from mean to p99 to p99.9."},
	{"compare.published", "Published figures",
		"Start and peak of drives from reviews, per drive. A run is held against those that were "
		"measured at its own outstanding count, by the mean service latency, since that is what "
		"was published; 128 outstanding cannot show a latency measured at 512. RUN RATE and "
		"RUN MEAN are how much more (+) or less the run has than that drive. Letters are the marks in the "
		"curves."},
	{"compare.unlike", "Unlike",
		"Something that is not the same: a difference between the figures may come from that "
		"and not from the drives."},
	{"compare.run", "Run",
		"One of those compared; the first, A, is what percentages are against."},
	{"run.point", "Point",
		"ASKED is the scheduled rate (- in a closed loop), OUT the time average of I/Os under "
		"way; then service latencies and the response p99. Marks: S saturated (response is "
		"at least that), L off Little's law, U unstable, H limited by this computer, E errors."},
	{"run.start", "Start",
		"The first point: latency of the drive when almost nothing is asked."},
	{"run.peak", "Peak",
		"The highest rate achieved; among points within 1 % of it the one with "
		"the lowest mean latency."},
	{"run.knee", "Knee",
		"By chord: the point farthest below the straight line from start to "
		"peak, where latency begins to rise faster than IOPS. By limit: the highest rate that "
		"keeps the p99 limit. Plan with the lower of both."},
	{"run.fall_off", "Fall-off",
		"Asked for more, the drive achieved less than 95 % of its peak at "
		"1.5 times the latency or more: it does not cope with overload gracefully."},
	{"run.identity", "Identity",
		"Model, serial, firmware and namespace say which drive this "
		"was; device names change."},
	{"run.volume", "Written",
		"What the test wrote, warm-ups and preparation too; what the drive counted meanwhile "
		"(everybody's writes, in steps of 512,000 bytes); and what went to the flash, where a "
		"page tells it. The last by the one before is the write amplification."},
	{"run.engine", "Engine",
		"How the I/O was made. Only runs of the same backend and pace should be "
		"compared; a fallback is said with its reason."},
	{"run.host", "Host",
		"The computer: kernel and processor set the floor of latency and the "
		"ceiling of IOPS."},
	{"run.parameter", "Parameter",
		"As it was in effect. The same values and seed repeat the test."},
	{"run.spoiled", "Spoiled by",
		"What makes this result less than it seems: it should be "
		"repeated without it before anything is concluded."},
};
const size_t explain_count = sizeof(explain_table) / sizeof(explain_table[0]);

void explain_text(const char *key, char *buf, size_t size)
{
	str_copy(buf, size, "");
	for (size_t i = 0; i < explain_count; i++) {
		if (strcmp(explain_table[i].key, key))
			continue;
		str_format(buf, size, "%s: %s", explain_table[i].title, explain_table[i].text);
		return;
	}
}

void explain_pane_draw(const char *key, struct canvas *canvas, struct rect area)
{
	/* long lines are hard to read */
	const int width = area.width - 2 > 100 ? 100 : area.width - 2;
	char text[1024];

	explain_text(key, text, sizeof(text));
	if (!text[0] || area.height < EXPLAIN_PANE_ROOM || width < 20)
		return;
	/* half an explanation is none */
	if (canvas_wrap(canvas, 0, 0, width, 0, ROLE_DIM, text) > area.height - 1)
		return;
	canvas_hline(canvas, area.x + 1, area.y, area.width - 2, ROLE_BORDER);
	canvas_wrap(canvas, area.x + 1, area.y + 1, width, area.height - 1, ROLE_DIM, text);
}
