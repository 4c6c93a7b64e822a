/* The command line: what is accepted, what each fault says and which exit code it asks for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "app/cli.h"

#define PARSE(cli, err, ...) parse(cli, err, (const char *const[]){"nvsweep", ##__VA_ARGS__, NULL})

static int parse(struct cli *cli, struct err *err, const char *const *words)
{
	int count = 0;

	while (words[count])
		count++;
	err_clear(err);
	return cli_parse(count, (char *const *)words, cli, err);
}

static void commands_and_operands(void **state)
{
	struct cli cli;
	struct err err;

	(void)state;
	assert_int_equal(PARSE(&cli, &err), 0);
	assert_int_equal(cli.command, CLI_PROGRAM);
	assert_int_equal(PARSE(&cli, &err, "show", "nvme0", "--page", "smart"), 0);
	assert_int_equal(cli.command, CLI_SHOW);
	assert_int_equal(cli.operand_count, 1);
	assert_string_equal(cli.operands[0], "nvme0");
	assert_string_equal(cli.value[CLI_PAGE], "smart");
	/* Options before the command, glued values, short ones, "--". */
	assert_int_equal(
		PARSE(&cli, &err, "--config=/a=b", "capture", "-o/tmp/x", "--", "--odd"), 0);
	assert_int_equal(cli.command, CLI_CAPTURE);
	assert_string_equal(cli.value[CLI_CONFIG], "/a=b");
	assert_string_equal(cli.value[CLI_OUTPUT], "/tmp/x");
	assert_string_equal(cli.operands[0], "--odd");
	/* The value of an option is not taken for the command. */
	assert_int_equal(PARSE(&cli, &err, "--theme", "list", "health"), 0);
	assert_int_equal(cli.command, CLI_HEALTH);
	assert_string_equal(cli.value[CLI_THEME], "list");
	/* The last one counts; --set adds up; "-" is an operand or a value. */
	assert_int_equal(PARSE(&cli, &err, "run", "w", "t", "-o", "a", "-o", "-", "--set", "a=1",
				 "--set=b=2"),
		0);
	assert_string_equal(cli.value[CLI_OUTPUT], "-");
	assert_int_equal(cli.set_count, 2);
	assert_string_equal(cli.sets[1], "b=2");
}

/* The value of --demo is glued to it: the next word is the command or an operand. */
static void demo_may_name_a_fleet(void **state)
{
	struct cli cli;
	struct err err;

	(void)state;
	assert_int_equal(PARSE(&cli, &err, "--demo"), 0);
	assert_int_equal(cli.command, CLI_PROGRAM);
	assert_true(cli.given[CLI_DEMO]);
	assert_null(cli.value[CLI_DEMO]);
	assert_int_equal(PARSE(&cli, &err, "--demo", "list"), 0);
	assert_int_equal(cli.command, CLI_LIST);
	assert_true(cli.given[CLI_DEMO]);
	assert_int_equal(PARSE(&cli, &err, "show", "--demo", "p5"), 0);
	assert_string_equal(cli.operands[0], "p5");
	assert_null(cli.value[CLI_DEMO]);
	assert_int_equal(PARSE(&cli, &err, "run", "w", "p5", "--demo=/my/fleet.ini"), 0);
	assert_string_equal(cli.value[CLI_DEMO], "/my/fleet.ini");
}

/* --write permits; with a value it also names a drive, and several times several. */
static void write_may_name_serials(void **state)
{
	struct cli cli;
	struct err err;

	(void)state;
	assert_int_equal(PARSE(&cli, &err, "run", "w", "t"), 0);
	assert_false(cli.given[CLI_WRITE]);
	assert_int_equal(PARSE(&cli, &err, "run", "w", "--write", "t"), 0);
	assert_true(cli.given[CLI_WRITE]);
	assert_int_equal(cli.write_count, 0);
	assert_int_equal(cli.operand_count, 2);
	assert_int_equal(
		PARSE(&cli, &err, "run", "w", "t", "--write=S 1", "--set", "a=1", "--write=S2"), 0);
	assert_int_equal(cli.write_count, 2);
	assert_string_equal(cli.writes[0], "S 1");
	assert_string_equal(cli.writes[1], "S2");
	assert_int_equal(cli.set_count, 1);
}

/* Each command line with the words its one sentence must hold. */
static void faults_say_what_is_near(void **state)
{
	static const struct {
		const char *words[8];
		const char *says;
	} cases[] = {
		{{"nvsweep", "lst"}, "did you mean list?"},
		{{"nvsweep", "frobnicate"}, "nvsweep --help"},
		{{"nvsweep", "list", "--jsno"}, "did you mean --json?"},
		{{"nvsweep", "list", "-x"}, "there is no option -x"},
		{{"nvsweep", "list", "nvme0"}, "takes no argument"},
		{{"nvsweep", "show"}, "needs a drive"},
		{{"nvsweep", "show", "a", "b"}, "at most 1 argument:"},
		{{"nvsweep", "show", ""}, "is empty"},
		{{"nvsweep", "show", "a", "--page"}, "--page needs a value"},
		{{"nvsweep", "show", "a", "--page", "--json"}, "--page needs a value"},
		{{"nvsweep", "show", "a", "--page="}, "--page needs a value"},
		{{"nvsweep", "list", "--json=yes"}, "takes no value"},
		{{"nvsweep", "list", "--page", "smart"}, "it is an option of show"},
		{{"nvsweep", "--json"}, "needs a command"},
		{{"nvsweep", "list", "--plain"}, "list takes no --plain"},
		{{"nvsweep", "capture", "nvme0"}, "-o FILE"},
		{{"nvsweep", "run", "w"}, "needs a workload and a target"},
		{{"nvsweep", "run", "w", "t", "--write="}, "needs a value: --write=SERIAL"},
		{{"nvsweep", "list", "--write"}, "it is an option of run"},
		{{"nvsweep", "--dmeo"}, "did you mean --demo?"},
		{{"nvsweep", "--demo="}, "needs a value: --demo=FLEET"},
		{{"nvsweep", "--demo", "--replay", "f"}, "exclude each other"},
		{{"nvsweep", "list", "--replay", "f", "--demo=x"}, "exclude each other"},
		{{"nvsweep", "workloads", "--demo"}, "workloads takes no --demo"},
		{{"nvsweep", "run", "w", "t", "--demo", "--size", "1G"}, "--size makes a file"},
		{{"nvsweep", "--", "list"}, "a command stands before it"},
		{{"nvsweep", "list\x1b[2J"}, "list?[2J"},
	};
	struct cli cli;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(parse(&cli, &err, cases[i].words) < 0);
		if (!strstr(err.text, cases[i].says))
			fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].says);
		assert_int_equal(cli_fault_exit(cli.command, &err), 2);
	}
}

static void too_many(void **state)
{
	const char *words[3 + 2 * CLI_SETS_MAX + CLI_OPERANDS_MAX + 8];
	struct cli cli;
	struct err err;
	int n = 0;

	(void)state;
	words[n++] = "nvsweep";
	words[n++] = "health";
	for (int i = 0; i <= CLI_OPERANDS_MAX; i++)
		words[n++] = "nvme0";
	words[n] = NULL;
	assert_true(parse(&cli, &err, words) < 0);
	assert_non_null(strstr(err.text, "at most 65 arguments"));
	n = 2;
	words[1] = "run";
	for (int i = 0; i <= CLI_SETS_MAX; i++) {
		words[n++] = "--set";
		words[n++] = "a=1";
	}
	words[n] = NULL;
	assert_true(parse(&cli, &err, words) < 0);
	assert_non_null(strstr(err.text, "more than 64"));
}

static void health_has_its_own_exit_codes(void **state)
{
	struct cli cli;
	struct err err;

	(void)state;
	assert_true(PARSE(&cli, &err, "health", "--jsn") < 0);
	assert_int_equal(cli_fault_exit(cli.command, &err), 3);
	assert_true(PARSE(&cli, &err, "--frobnicate", "health") < 0);
	assert_int_equal(cli_fault_exit(cli.command, &err), 3);
	/* A fault that names no exit code of its own. */
	err_set(&err, -5, "broken");
	assert_int_equal(cli_fault_exit(CLI_LIST, &err), 1);
	err_set_exit(&err, ERR_EXIT_REFUSED, -1, "no");
	assert_int_equal(cli_fault_exit(CLI_RUN, &err), 3);
}

static void help_needs_no_operands(void **state)
{
	struct cli cli;
	struct err err;

	(void)state;
	assert_int_equal(PARSE(&cli, &err, "run", "--help"), 0);
	assert_int_equal(cli.command, CLI_RUN);
	assert_true(cli.given[CLI_HELP]);
	assert_int_equal(PARSE(&cli, &err, "-h"), 0);
	assert_true(cli.given[CLI_HELP]);
	/* ... but a wrong option stays wrong. */
	assert_true(PARSE(&cli, &err, "run", "--help", "--nonsense") < 0);
}

/* The tables themselves: what help, manual and completions are made of. */
static void tables_are_whole(void **state)
{
	(void)state;
	for (int c = 0; c < CLI_COMMAND_COUNT; c++) {
		assert_non_null(cli_commands[c].name);
		assert_true(strlen(cli_commands[c].title) > 0 && strlen(cli_commands[c].help) > 0);
		assert_true(cli_commands[c].min == 0 || cli_commands[c].missing);
		assert_true(cli_commands[c].min <= cli_commands[c].max);
		assert_true(cli_commands[c].max <= CLI_OPERANDS_MAX);
	}
	for (int i = 0; i < CLI_OPTION_COUNT; i++) {
		assert_true(cli_options[i].commands != 0);
		assert_true(strlen(cli_options[i].help) > 0);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(cli_options[i].name, cli_options[k].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_and_operands),
		cmocka_unit_test(demo_may_name_a_fleet),
		cmocka_unit_test(write_may_name_serials),
		cmocka_unit_test(faults_say_what_is_near),
		cmocka_unit_test(too_many),
		cmocka_unit_test(health_has_its_own_exit_codes),
		cmocka_unit_test(help_needs_no_operands),
		cmocka_unit_test(tables_are_whole),
	};

	return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
