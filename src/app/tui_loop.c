/* The loop of the terminal program, and --plain. */
#include "app/tui_loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "app/guard.h"
#include "app/output.h"
#include "app/running.h"
#include "app/tui_desk.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "nvme/topology.h"
#include "screens/check.h"
#include "tui/term.h"

/* The first frame waits so long for the list of drives; replays and idle machines are faster. */
#define FIRST_FRAME_MS 10

struct loop {
	struct session *session;
	struct tui_desk *tui;
	struct term *term;
	struct canvas *canvas;
	struct mailbox snapshots;
	int signal_fd;
	bool live;
	bool continued;        /* the next SIGCONT is the one of our own ^Z */
	bool leave;            /* end now */
	bool hung_up;          /* there is no terminal any more */
	const char *interrupt; /* why a running test is stopped then; NULL: the user left */
};

/* Before the first scan has ended there is nothing to show, and that is shown at once. */
static const struct inventory *inventory_empty(const struct session *session)
{
	struct inventory *inventory = mem_alloc(sizeof(*inventory));

	memcpy(inventory->source, session->source, sizeof(inventory->source));
	inventory->references = 1;
	return inventory;
}

static void draw(struct loop *loop)
{
	if (!tui_desk_dirty(loop->tui))
		return;
	tui_desk_draw(loop->tui, loop->canvas);
	term_show(loop->term, loop->canvas);
}

static void resize(struct loop *loop)
{
	term_resize(loop->term);
	canvas_resize(loop->canvas, term_width(loop->term), term_height(loop->term));
	tui_desk_draw(loop->tui, loop->canvas);
	term_show(loop->term, loop->canvas);
}

static void suspend(struct loop *loop)
{
	tui_desk_suspend(loop->tui);
	term_suspend(loop->term);
	loop->continued = true;
	guard_suspend();
	term_resume(loop->term);
	tui_desk_resume(loop->tui);
	resize(loop);
}

static void end(struct loop *loop, const char *interrupt)
{
	loop->leave = true;
	loop->interrupt = interrupt;
}

static void hang_up(struct loop *loop, const char *how)
{
	loop->hung_up = true;
	end(loop, how);
}

static void want(struct loop *loop, enum tui_want wanted)
{
	switch (wanted) {
	case TUI_GO_ON:
		break;
	case TUI_LEAVE:
		end(loop, NULL);
		break;
	case TUI_SUSPEND:
		suspend(loop);
		break;
	case TUI_REDRAW:
		term_redraw(loop->term);
		break;
	}
}

static void take_keys(struct loop *loop, short events)
{
	struct key key;
	bool any = false;

	while (!loop->leave && term_key(loop->term, &key)) {
		any = true;
		if (key.code == KEYC_EOF)
			hang_up(loop, "the terminal went away");
		else if (key.code == KEYC_RESIZE)
			resize(loop);
		else
			want(loop, tui_desk_key(loop->tui, &key));
	}
	/* A terminal that hung up stays readable without giving anything. */
	if (!any && (events & (POLLHUP | POLLERR | POLLNVAL)))
		hang_up(loop, "the terminal went away");
}

static void take_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (!loop->leave &&
		read(loop->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		switch ((int)info.ssi_signo) {
		case SIGWINCH:
			resize(loop);
			break;
		case SIGTSTP:
			suspend(loop);
			break;
		case SIGCONT:
			/* Stopped by force and continued: the guard has put the terminal back. */
			if (!loop->continued) {
				term_suspend(loop->term);
				term_resume(loop->term);
				resize(loop);
			}
			loop->continued = false;
			break;
		case SIGINT:
			want(loop, tui_desk_quit(loop->tui));
			break;
		case SIGTERM:
			end(loop, "ended by a signal (TERM)");
			break;
		case SIGHUP:
			hang_up(loop, "the terminal hung up (HUP)");
			break;
		default:
			break;
		}
	}
}

/* Milliseconds until poll must return by itself; -1 never. */
static int next_tick(const struct loop *loop)
{
	if (tui_desk_may_leave(loop->tui))
		return 0;
	if (tui_desk_leaving(loop->tui))
		return 100;
	/* How long a drive has kept somebody waiting. */
	if (tui_desk_waiting(loop->tui))
		return 1000;
	/* Another process's silence is told. */
	if (tui_desk_watching(loop->tui))
		return 5000;
	if (!loop->live)
		return -1;
	/* The clock in the top line; a little late, so that the minute has surely changed. */
	return (int)(60 - clock_wall_seconds() % 60) * 1000 + 20;
}

static void turn(struct loop *loop)
{
	struct pollfd fds[6] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = loop->signal_fd, .events = POLLIN},
		{.fd = loop->snapshots.fd, .events = POLLIN},
		{.fd = tui_desk_run_fd(loop->tui), .events = POLLIN},
		{.fd = tui_desk_tasks_fd(loop->tui), .events = POLLIN},
		{.fd = tui_desk_serve_fd(loop->tui), .events = POLLIN},
	};
	const int ready = poll(fds, 6, next_tick(loop));

	if (ready < 0 && errno != EINTR) {
		end(loop, "poll failed");
		return;
	}
	if (ready == 0)
		tui_desk_tick(loop->tui);
	/* Not by the timer: on a busy machine something comes each second. */
	tui_desk_say_silence(loop->tui);
	take_signals(loop);
	if (fds[2].revents) {
		const struct inventory *inventory = mailbox_take(&loop->snapshots);

		if (inventory)
			tui_desk_inventory(loop->tui, inventory);
	}
	if (fds[3].revents)
		tui_desk_run_take(loop->tui);
	if (fds[4].revents)
		tui_desk_tasks_take(loop->tui);
	if (fds[5].revents)
		tui_desk_serve(loop->tui);
	if (fds[0].revents && !loop->leave)
		take_keys(loop, fds[0].revents);
	if (tui_desk_may_leave(loop->tui))
		end(loop, NULL);
}

/* With `attach` the first screen is the run's. */
static int attach_first(struct loop *loop, const char *run_id, struct err *err)
{
	struct desk *desk = tui_desk_of(loop->tui);
	const int rc = desk->attach_run(desk, run_id, err);

	if (!rc)
		desk->push(desk,
			desk->run && desk->run->has_check ? screen_check(desk) : screen_live(desk));
	return rc;
}

/* Nobody shall take them for this machine's. */
static void say_simulated(struct loop *loop)
{
	struct desk *desk = tui_desk_of(loop->tui);
	struct topology *topology = NULL;
	const bool none = topology_read("", "", &topology, NULL) || !topology->controller_count;

	if (topology)
		topology_free(topology);
	desk->notice(desk,
		none ? "no NVMe drive here: these drives are SIMULATED"
		     : "these drives are SIMULATED; nvsweep without --demo shows this machine's");
}

static int open_all(struct loop *loop, struct err *err)
{
	struct session *session = loop->session;
	const struct settings *settings = &session->settings;
	const struct term_config config = {
		.theme = settings->theme, .charset = settings->charset, .mouse = settings->mouse};
	const struct cli *cli = session->cli;
	struct running running;
	const char *folder;
	int rc = 0;

	if (cli->command == CLI_ATTACH) {
		rc = session_runs_name(session, &folder, err);
		if (!rc)
			rc = running_find(folder, cli->operand_count ? cli->operands[0] : NULL,
				&running, err);
	}
	if (!rc)
		rc = session_inventory(session, (unsigned)settings->refresh_ms,
			(unsigned)settings->smart_period_s, err);
	if (rc)
		return rc;
	loop->live = session->transport->ops->live;
	rc = mailbox_init(&loop->snapshots, inventory_release, err);
	if (rc)
		return rc;
	loop->signal_fd = guard_signal_fd(err);
	if (loop->signal_fd < 0)
		return loop->signal_fd;
	rc = term_open(&config, &loop->term, err);
	if (rc)
		return rc;
	loop->canvas = canvas_create(term_width(loop->term), term_height(loop->term));
	canvas_set_ascii(loop->canvas, term_ascii(loop->term));
	rc = tui_desk_create(session, term_ascii(loop->term), &loop->tui, err);
	if (rc)
		return rc;

	const struct inventory *first = inventory_wait(session->inventory, FIRST_FRAME_MS);

	tui_desk_inventory(loop->tui, first ? first : inventory_empty(session));
	inventory_subscribe(session->inventory, &loop->snapshots);
	tui_desk_of(loop->tui)->push(tui_desk_of(loop->tui), screen_drives(tui_desk_of(loop->tui)));
	if (cli->command == CLI_ATTACH)
		return attach_first(loop, running.id, err);
	if (session->fleet)
		say_simulated(loop);
	else
		tui_desk_say_running(loop->tui);
	return 0;
}

static void close_all(struct loop *loop)
{
	if (loop->term)
		term_close(loop->term);
	tui_desk_free(loop->tui);
	if (loop->canvas)
		canvas_free(loop->canvas);
	if (loop->session->inventory && loop->snapshots.fd >= 0)
		inventory_unsubscribe(loop->session->inventory, &loop->snapshots);
	if (loop->snapshots.fd >= 0)
		mailbox_close(&loop->snapshots);
	if (loop->signal_fd >= 0)
		close(loop->signal_fd);
}

static void go_on_alone(struct loop *loop)
{
	struct session *session = loop->session;

	if (!tui_desk_running(loop->tui))
		return;
	/* Nobody looks at the drives any more; the test has a sampler of its own. */
	inventory_unsubscribe(session->inventory, &loop->snapshots);
	inventory_stop(session->inventory);
	session->inventory = NULL;
	tui_desk_go_on_alone(loop->tui, loop->signal_fd);
}

int tui_loop_run(struct session *session, struct err *err)
{
	struct loop loop = {.session = session, .signal_fd = -1, .snapshots.fd = -1};
	int rc = open_all(&loop, err);
	bool stopped = false;

	while (!rc && !loop.leave) {
		draw(&loop);
		turn(&loop);
	}
	if (!rc) {
		/* The terminal first: whoever asked has it back at once. */
		term_close(loop.term);
		loop.term = NULL;
		if (loop.hung_up && !strcmp(session->settings.on_hangup, "detach"))
			go_on_alone(&loop);
		if (loop.interrupt)
			stopped = tui_desk_stop_and_save(loop.tui, loop.interrupt);
		else
			stopped = tui_desk_leaving(loop.tui);
		log_info("leaving: %s", loop.interrupt ? loop.interrupt : "the user left");
		session->stuck = tui_desk_stuck(loop.tui);
		rc = stopped ? ERR_EXIT_PARTIAL : 0;
	}
	if (!session->stuck)
		close_all(&loop);
	return rc;
}

int tui_loop_plain(struct session *session, struct err *err)
{
	const struct inventory *inventory;
	struct tui_desk *tui;
	struct text_style style;
	struct canvas *canvas;
	int width = 80, height = 24;
	int rc = session_snapshot(session, &inventory, err);

	if (rc)
		return rc;
	output_style(&session->settings, &style);
	output_size(&width, &height);
	rc = tui_desk_create(session, style.ascii, &tui, err);
	if (rc) {
		inventory_unref(inventory);
		return rc;
	}
	tui_desk_inventory(tui, inventory);
	tui_desk_of(tui)->push(tui_desk_of(tui), screen_drives(tui_desk_of(tui)));
	canvas = canvas_create(width, height);
	canvas_set_ascii(canvas, style.ascii);
	tui_desk_draw(tui, canvas);

	char *text = canvas_dump(canvas);

	rc = output_write(text, strlen(text), err);
	free(text);
	canvas_free(canvas);
	tui_desk_free(tui);
	return rc;
}
