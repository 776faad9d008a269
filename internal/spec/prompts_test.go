package spec

import (
	"strings"
	"testing"
)

func TestPrompts(t *testing.T) {
	for _, tt := range []struct{ name, file, src, want string }{
		// Python
		{"input", "x.py", "a = 1\nname = input(\"Name? \")\n", "2:8 input"},
		{"input over lines", "x.py", "name = input(\n    f\"Name? {x}\"\n)\n", "1:8 input"},
		{"input of a variable", "x.py", "if input(question) == 'y': pass\n", "1:4 input"},
		{"input after a print", "x.py", "print(\"Continue?\")\nanswer = input()\n", "2:10 input"},
		{"getpass", "x.py", "import getpass\np = getpass.getpass()\n", "2:5 getpass.getpass"},
		{"getpass imported", "x.py", "from getpass import getpass\np = getpass('Password: ')\n", "2:5 getpass"},
		{"click", "x.py", "if click.confirm('Sure?'):\n    pass\n", "1:4 click.confirm"},
		{"rich", "x.py", "from rich.prompt import Confirm\nConfirm.ask('x')\n", "2:1 Confirm.ask"},
		{"questionary", "x.py", "questionary.text('x').ask()\n", "1:1 questionary.text"},
		{"by shebang", "tool", "#!/usr/bin/env -S uv run --script\ninput('x')\n", "2:1 input"},
		{"in an f-string", "x.py", "print(f\"Hello {input('Name? ')}!\")\n", "1:16 input"},
		{"in an f-string over lines", "x.py", "x = rf'''\n{a:>{b}} {\n  input('x')}'''\n", "3:3 input"},
		{"no f-string", "x.py", "x = \"{input('x')}\" + b\"{input('x')}\" + conf\"{input('x')}\"\ny = f\"{{input('x')}} {'input(1)'} input('x')\"\n", ""},
		{"comment and string", "x.py", "# input('x')\nprint('use input(\"x\")')\nx = \"\"\"\ninput('y')\n\"\"\"\ny = '''input(\"x\")'''\n", ""},
		{"escaped quotes", "x.py", "s = 'it\\'s input(\"x\")'\nt = \"\\\\\"\n", ""},
		{"raw string", "x.py", "p = r'\\d input(\"x\")'\n", ""},
		{"method", "x.py", "self.input('x')\nfileinput.input('f')\nmodel.input(x)\n", ""},
		{"own function", "x.py", "def input(x):\n    return x\ninput('a')\n", ""},
		{"own variable", "x.py", "input = load()\nf(input (x))\n", ""},
		{"other names", "x.py", "user_input(x)\ninput_file('x')\nread_input('x')\ninputs('x')\n", ""},
		{"reads what is piped", "x.py", "n = int(input())\nfor line in sys.stdin:\n    pass\ndata = sys.stdin.read()\n", ""},
		{"getuser", "x.py", "import getpass\ngetpass.getuser()\n", ""},
		{"tests for a terminal", "x.py", "if sys.stdin.isatty():\n    input('x')\n", ""},
		{"has --yes", "x.py", "p.add_argument('--yes')\nif not args.yes: input('Sure?')\n", ""},
		{"goes on without", "x.py", "try:\n    input('x')\nexcept EOFError:\n    pass\n", ""},

		// shells
		{"read -p", "x.sh", "read -p \"Name: \" name\n", "1:1 read"},
		{"read -rp", "x.sh", "#!/bin/bash\nset -e\n  read -rp 'Go on? ' yn\n", "3:3 read"},
		{"read -s", "x.sh", "echo -n Password:; read -s pw\n", "1:20 read"},
		{"in a condition", "x.sh", "if ! read -p 'x' a; then exit; fi\n", "1:6 read"},
		{"in a loop", "x.sh", "while true; do\n  read -p 'y/n' yn\ndone\n", "2:3 read"},
		{"after or", "x.sh", "test -f x || read -p 'x' a\n", "1:14 read"},
		{"with IFS", "x.sh", "IFS=, read -rp 'x' a\n", "1:7 read"},
		{"from the terminal", "x.sh", "read -p 'x' a < /dev/tty\n", "1:1 read"},
		{"select", "x.sh", "select opt in a b c; do echo $opt; done\n", "1:1 select"},
		{"dialogs", "x.sh", "whiptail --yesno x 8 40\ngum confirm 'Sure?'\n", "1:1 whiptail"},
		{"without extension", "deploy", "#!/usr/bin/env bash\nread -p 'x' a\n", "2:1 read"},
		{"while read", "x.sh", "while IFS= read -r line; do echo \"$line\"; done < file\ncat f | while read -r a b; do :; done\n", ""},
		{"piped", "x.sh", "echo a | read -p 'x' b\nread -r x <<< \"$y\"\nread -p 'x' a < file\nread -r a b < <(cmd)\n", ""},
		{"no prompt", "x.sh", "read -r line\nread a b\nread -ra parts\nread -d '' text <<'EOF'\nx\nEOF\n", ""},
		{"time limit", "x.sh", "read -t 5 -p 'x' a\nread -rt1 -p x a\n", ""},
		{"other descriptor", "x.sh", "read -u 3 -p x a\n", ""},
		{"comment", "x.sh", "# read -p 'x' a\necho 'read -p x' # read -p\necho \"\nread -p x\n\"\n", ""},
		{"here document", "x.sh", "cat <<EOF\nread -p 'x' a\nEOF\ncat <<-'END' > f\n\tread -p x\n\tselect a in b\n\tEND\ncat <<A; cat <<B\nread -p x\nA\nread -p x\nB\n", ""},
		{"apostrophe in a here document", "x.sh", "cat <<EOF\ndon't\nEOF\n# it's\necho 'read -p x'\n", ""},
		{"shift", "x.sh", "x=$((1 << 2))\necho $((x << 3)) 'read -p x'\n", ""},
		{"SQL", "x.sh", "psql -c \"select a in b\"\nsqlite3 db 'select x in (1)'\n", ""},
		{"other words", "x.sh", "git read-tree -p x\nthread -p x\nbread -p\necho read -p x\n", ""},
		{"tests for a terminal", "x.sh", "if [ -t 0 ]; then read -p 'x' a; fi\n", ""},
		{"case -y", "x.sh", "case $1 in -y) yes=1;; esac\nread -p 'Sure?' a\n", ""},
		{"installs without asking", "x.sh", "apt-get install -y jq\nread -p 'Sure?' a\n", "2:1 read"},

		// JavaScript
		{"readline", "x.js", "const rl = require('readline').createInterface({input: process.stdin});\nrl.question('Name? ', f);\n", "2:3 .question"},
		{"inquirer", "x.mjs", "import inquirer from 'inquirer';\nconst a = await inquirer.prompt([{}]);\n", "2:17 inquirer.prompt"},
		{"prompts", "x.ts", "import { confirm } from \"@inquirer/prompts\";\nif (await confirm({ message: 'x' })) {}\n", "2:11 confirm"},
		{"clack", "x.ts", "import * as p from '@clack/prompts';\nawait p.text({});\n", "2:7 p.text"},
		{"Deno", "x.ts", "#!/usr/bin/env -S deno run\nconst a = prompt(\"Name?\");\n", "2:11 prompt"},
		{"in a template", "x.js", "import prompts from 'prompts'\nconst t = `a ${await prompts({})} b`\n", "2:22 prompts"},
		{"lines of input", "x.js", "const rl = readline.createInterface({input: process.stdin});\nrl.on('line', f);\nfor await (const line of rl) {}\n", ""},
		{"a model's prompt", "x.js", "const answer = await prompt('Write a poem');\nmodel.prompt(x); confirm(x); input(y)\n", ""},
		{"comment and string", "x.js", "// require('readline') rl.question('x')\nconst s = \"rl.question('x')\", t = 'readline', u = `rl.question(`\n/* rl.question('x') */ const r = /rl.question(\\/['\"]/; const d = a / b; \n", ""},
		{"own function", "x.js", "import { prompts } from 'prompts'\nfunction input() {}\n", ""},
		{"is TTY", "x.js", "const rl = readline.createInterface()\nif (process.stdin.isTTY) rl.question('x')\n", ""},

		// PowerShell, Ruby
		{"enquirer", "x.mjs", "import { prompt } from 'enquirer';\nconst a = await prompt({});\n", "2:17 prompt"},
		{"builtins", "x.py", "import builtins\nname = builtins.input('Name? ')\n", "2:8 builtins.input"},
		{"prompt_toolkit", "x.py", "import prompt_toolkit\nname = prompt_toolkit.prompt('> ')\n", "2:8 prompt_toolkit.prompt"},
		{"Pause", "x.ps1", "Write-Host done\nPause\n", "2:1 Pause"},
		{"Pause in a block", "x.ps1", "if ($x) { pause }\r\n", "1:11 pause"},
		{"other pauses", "x.ps1", "Start-Pause\n$pause = 1\n# pause\nfunction Pause-Job {}\npause-job\nDo-It -Pause\n", ""},
		{"Read-Host", "x.ps1", "$name = Read-Host \"Name\"\n", "1:9 Read-Host"},
		{"read-host in lower case", "x.ps1", "$p = read-host -AsSecureString\n", "1:6 read-host"},
		{"PowerShell comment", "x.ps1", "# Read-Host\n<# Read-Host\n#>\n\"Read-Host\"\n'Read-Host'\n@'\nRead-Host\n'@\nWrite-Host `\"Read`\n", ""},
		{"PowerShell tests", "x.ps1", "if ([Environment]::UserInteractive) { Read-Host }\n", ""},
		{"gets", "x.rb", "print 'Name? '\nname = gets.chomp\n", "2:8 gets.chomp"},
		{"STDIN.gets", "x.rb", "name = STDIN.gets.chomp\n", "1:8 STDIN.gets.chomp"},
		{"Ruby reads lines", "x.rb", "while line = gets.chomp\nend\nsocket.gets.chomp\nFile.open(x).gets.chomp\n# gets.chomp\n\"gets.chomp\"\n<<~EOS\n gets.chomp\nEOS\n=begin\ngets.chomp\n=end\n__END__\ngets.chomp\n", ""},

		// batch files, Perl
		{"pause", "x.bat", "@echo off\r\npause\r\n", "2:1 pause"},
		{"pause, nothing shown", "x.cmd", "@pause >nul\n", "1:2 pause"},
		{"pause behind others", "x.bat", "if errorlevel 1 pause\n", "1:17 pause"},
		{"pause at the end of a line", "x.bat", "echo Done. & pause\n", "1:14 pause"},
		{"set /p", "x.bat", "SET /P \"name=Name: \"\n", "1:1 SET /P"},
		{"set /p in a condition", "x.bat", "if \"%1\"==\"\" set /p x=Go on?\n", "1:13 set /p"},
		{"choice", "x.bat", "choice /c yn /m \"Sure?\"\n", "1:1 choice"},
		{"fed or timed", "x.bat", "<nul set /p =text\nset /p x=<file.txt\nset /p =text <nul\necho y| set /p x=\necho.| pause\npause <nul\nchoice /c yn /t 5 /d y\n", ""},
		{"other batch words", "x.bat", "rem pause & pause\n:: pause\necho pause\necho (pause)\necho \"a & pause\"\necho a ^& pause\ncall :pause\n:pause\ngoto pause\nif %1==x echo pause\nset /a x=1\nset path=/p x\npause.exe\nset pause=1\n", ""},
		{"started by a click", "x.bat", "echo %cmdcmdline% | find \"/c\" && pause\n", ""},
		{"Perl", "x.pl", "print \"Name? \";\n# comes now\n$| = 1;\nchomp(my $name = <STDIN>);\n", "4:18 <STDIN>"},
		{"Perl on one line", "tool", "#!/usr/bin/perl\nprint('Go on? '); my $x = <STDIN>;\n", "2:27 <STDIN>"},
		{"Perl reads lines", "x.pl", "while (my $l = <STDIN>) { print \"a \"; }\nmy @all = <STDIN>;\nprint \"Header\\n\";\nmy $first = <STDIN>;\nmy $x = <STDIN>;\n", ""},
		{"Perl comment", "x.pl", "print \"a \";\n# $x = <STDIN>;\n=pod\n\nprint \"a\";\n$x = <STDIN>;\n\n=cut\nprint 1;\n__END__\nprint \"a \";\n$x = <STDIN>;\n", ""},
		{"Perl tests", "x.pl", "if (-t STDIN) {\nprint \"Name? \";\n$x = <STDIN>;\n}\n", ""},

		// other files
		{"no script", "x.md", "input('x')\n", ""},
		{"test", "test_x.py", "input('x')\n", ""},
		{"other language", "x.pl", "read -p x; input('x')\n", ""},
		{"other file", "notes", "read -p x\ninput('x')\n", ""},
	} {
		t.Run(tt.file+"/"+tt.name, func(t *testing.T) {
			d := bodyWith("", map[string]string{"scripts/" + tt.file: tt.src})
			got := ""
			for _, x := range Check(d, Options{}) {
				if x.Rule == "script-interactive" {
					got = strings.TrimPrefix(x.Place(), "my-skill/scripts/"+tt.file+":") + " " + strings.Split(x.Message, `"`)[1]
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPromptsAreCounted(t *testing.T) {
	d := bodyWith("", map[string]string{"scripts/x.py": "input('a')\ninput('b')\ninput('c')\n"})
	want := `scripts/x.py:1:1: "input" waits for a person to type (and 2 more of its lines do)`
	if got := findings(d, "script-interactive"); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What is left of a program has its bytes in their places.
func TestStripped(t *testing.T) {
	for _, language := range []string{"python", "shell", "javascript", "powershell", "ruby", "other"} {
		src := "a \"b\nc\" 'd' # e\n`f ${g} h` /* i */ <<X\nj\nX\nk\\"
		got := stripped(language, []byte(src))
		if len(got) != len(src) || strings.Count(string(got), "\n") != strings.Count(src, "\n") {
			t.Errorf("%s: %d bytes became %q", language, len(src), got)
		}
	}
}
