package usage

import (
	"encoding/json"
	"strings"
	"testing"
)

const parseArgsSample = `#!/usr/bin/env node
// Usage: shrink.mjs --input FILE
//   -i, --input FILE   what to read
import { parseArgs } from 'node:util';
const options = {
  input: { type: 'string', short: 'i' },
  'max-size': { type: 'string', default: '10' },
  tag: { type: "string", multiple: true },
  verbose: { type: 'boolean', short: 'v', default: false },
  help: { type: 'boolean' },
};
const { values } = parseArgs({ options, args: process.argv.slice(2) });
if (values.help) { console.log('…'); process.exit(0); }
if (!values.input) {
  console.error('an input is missing');
  process.exit(1);
}
`

const commanderSample = `
const { Command, Option } = require('commander');
const program = new Command();
program
  .name('x')
  .option('-d, --debug', 'say more')
  .requiredOption('-t, --token <token>', 'the ' + 'token');
program.command('send <file> [others...]')
  .description('Sends files')
  .option('-n, --times <n>', 'how often', parseInt, 3)
  .addOption(new Option('--to <where>', 'where to').choices(['mail', 'chat']).default('mail'))
  .option('--no-sound', 'be quiet')
  .action((file, others) => { program.error(` + "`${file}`" + `); });
const list = program.command('list');
list.argument('[pattern]', 'which ones', '*').option('--all');
program.parse();
`

const yargsSample = `
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
const argv = yargs(hideBin(process.argv))
  .usage('$0 --size <n>')
  .option('size', { alias: 's', type: 'number', demandOption: true, describe: 'how large' })
  .options({ format: { choices: ['png', 'jpg'], default: 'png' }, quiet: { boolean: true } })
  .strict()
  .help()
  .argv;
`

func TestNodeLibraries(t *testing.T) {
	for _, test := range []struct{ name, script, want string }{
		{"x.mjs", parseArgsSample, `{"type":"object","properties":{"input":{"type":"string","description":"what to read"},"max-size":{"type":"string","description":"Option --max-size. (default: 10)"},` +
			`"tag":{"type":"array","items":{"type":"string"}},"verbose":{"type":"boolean"}},"required":["input"]}`},
		{"x.js", commanderSample, `{"type":"object","properties":{"debug":{"type":"boolean","description":"say more"},"token":{"type":"string"},` +
			`"file":{"type":"string","description":"send: Positional argument file."},"others":{"type":"array","items":{"type":"string"},"description":"send: Positional argument others."},` +
			`"times":{"type":"integer","description":"send: how often (default: 3)"},"to":{"type":"string","enum":["mail","chat"],"description":"send: where to (default: mail)"},` +
			`"no-sound":{"type":"boolean","description":"send: be quiet"},"pattern":{"type":"string","description":"list: which ones (default: *)"},"all":{"type":"boolean","description":"list: Option --all."},` +
			`"command":{"type":"string","enum":["send","list"],"description":"The command to run."}},"required":["token","command"]}`},
		{"x.ts", yargsSample, `{"type":"object","properties":{"size":{"type":"number","description":"how large"},"format":{"type":"string","enum":["png","jpg"],"description":"Option --format. (default: png)"},` +
			`"quiet":{"type":"boolean"}},"required":["size"]}`},
	} {
		u, ok := Of(test.name, []byte(test.script))
		if got := u.Compact(8000); !ok || got != test.want {
			t.Errorf("%s: %t\n got %s\nwant %s", test.name, ok, got, test.want)
		}
	}
}

func TestNodeWords(t *testing.T) {
	args, _ := Of("x.mjs", []byte(parseArgsSample))
	commands, _ := Of("x.js", []byte(commanderSample))
	for _, test := range []struct {
		usage            Usage
		arguments, words string
	}{
		{args, `{"input": "-a", "tag": ["x"], "verbose": true}`, "--input=-a|--tag|x|--verbose"},
		{args, `["-i", "a", "b"]`, ""},
		{args, `["--inpt", "a"]`, ""},
		{commands, `{"command": "send", "token": "x", "file": "a", "others": ["b"], "to": "chat"}`, "--token|x|send|--to|chat|a|b"},
		{commands, `["-t", "x", "send", "a", "--to", "nowhere"]`, ""},
	} {
		got, err := test.usage.Words(json.RawMessage(test.arguments))
		if words := strings.Join(got, "|"); err == nil && words != test.words || err != nil && test.words != "" {
			t.Errorf("%s: %q, %v; want %q", test.arguments, words, err, test.words)
		}
	}
}

// TestNodeArgv checks scripts that use process.argv, like those of sys.argv.
func TestNodeArgv(t *testing.T) {
	for _, test := range []struct{ name, script, want string }{
		{"index", "const input = process.argv[2];\nconst out = process.argv[3] || 'out.png';\nif (!input) { console.error('Usage: node x.js <input> [output]'); process.exit(1); }", "INPUT [OUTPUT=out.png]"},
		{"slice", "const args = process.argv.slice(2);\nif (args.length < 2) { throw new Error('x'); }\nconst a = path.resolve(args[0]);\nrun(a, args[1]);", "A ARG2"},
		{"destructured", "const [, , from, to = 'b'] = process.argv;\nif (!from) process.exit(2);", "FROM [TO=b]"},
		{"both", "const [file, ...rest] = process.argv.slice(2)\nif (process.argv.length !== 3) { process.exit(1) }", "FILE [REST …]"},
		{"none", "console.log('x');", ""},
		{"main module", "if (import.meta.url === `file://${process.argv[1]}`) main();", ""},
		{"loop", "// Usage: x.js [--fast] FILE\nconst args = process.argv.slice(2);\nfor (let i = 0; i < args.length; i++) { if (args[i] === '--fast') fast = true; }", "? [--fast] FILE"},
		{"included", "console.log('usage: x.js FILE [-f]');\nconst file = process.argv[2]; const f = process.argv.includes('-f');", "? FILE [-f]"},
		{"another library", "import minimist from 'minimist';\nconst a = minimist(process.argv.slice(2)); // usage: x.js A", ""},
		{"options from elsewhere", "import { parseArgs } from 'util';\n// Usage: x.js [--a]\nparseArgs({ options: load(), args: process.argv.slice(2) });", "? [--a]"},
		{"more options", "import { parseArgs } from 'util';\nparseArgs({ options: { ...common, a: { type: 'string' } } });", ""},
		{"not strict", "import { parseArgs } from 'util';\nparseArgs({ strict: false, options: { a: { type: 'string' } } });", ""},
		{"yargs commands", "const yargs = require('yargs');\nyargs.command('a', 'b', {}).option('c', {type: 'string'}).argv;", ""},
		{"commander from elsewhere", "const { program } = require('commander');\nprogram.option('-a').addCommand(build());\nprogram.parse();", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, ok := Of("x.js", []byte(test.script))
			if got := summaryOf(u, ok); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
