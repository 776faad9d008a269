package prompts

import (
	"fmt"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for _, tt := range []struct{ name, language, src, want string }{
		// Python
		{"input", "python", "a = 1\nname = input(\"Name? \")\n", "2:8 input"},
		{"input over lines", "python", "name = input(\n    f\"Name? {x}\"\n)\n", "1:8 input"},
		{"input of a variable", "python", "if input(question) == 'y': pass\n", "1:4 input"},
		{"input after a print", "python", "print(\"Continue?\")\nanswer = input()\n", "2:10 input"},
		{"line after a question", "python", "print(\"Continue? [y/N]\", end=\"\", flush=True)\nanswer = sys.stdin.readline()\n", "2:10 sys.stdin.readline"},
		{"line after a question, flushed", "python", "sys.stdout.write('Name: ')\nsys.stdout.flush()\nname = sys.stdin.readline().strip()\n", "3:8 sys.stdin.readline"},
		{"line of a pipe", "python", "print('Reading')\nline = sys.stdin.readline()\nprint(f'Total: {n}')\nline = sys.stdin.readline()\nprint('Rows:', n)\nfor line in iter(sys.stdin.readline, ''):\n    pass\n", ""},
		{"getpass", "python", "import getpass\np = getpass.getpass()\n", "2:5 getpass.getpass"},
		{"getpass imported", "python", "from getpass import getpass\np = getpass('Password: ')\n", "2:5 getpass"},
		{"click", "python", "if click.confirm('Sure?'):\n    pass\n", "1:4 click.confirm"},
		{"rich", "python", "from rich.prompt import Confirm\nConfirm.ask('x')\n", "2:1 Confirm.ask"},
		{"questionary", "python", "questionary.text('x').ask()\n", "1:1 questionary.text"},
		{"no f-string", "python", "x = \"{input('x')}\" + b\"{input('x')}\" + conf\"{input('x')}\"\ny = f\"{{input('x')}} {'input(1)'} input('x')\"\n", ""},
		{"comment and string", "python", "# input('x')\nprint('use input(\"x\")')\nx = \"\"\"\ninput('y')\n\"\"\"\ny = '''input(\"x\")'''\n", ""},
		{"escaped quotes", "python", "s = 'it\\'s input(\"x\")'\nt = \"\\\\\"\n", ""},
		{"raw string", "python", "p = r'\\d input(\"x\")'\n", ""},
		{"method", "python", "self.input('x')\nfileinput.input('f')\nmodel.input(x)\n", ""},
		{"own function", "python", "def input(x):\n    return x\ninput('a')\n", ""},
		{"own variable", "python", "input = load()\nf(input (x))\n", ""},
		{"other names", "python", "user_input(x)\ninput_file('x')\nread_input('x')\ninputs('x')\n", ""},
		{"reads what is piped", "python", "n = int(input())\nfor line in sys.stdin:\n    pass\ndata = sys.stdin.read()\n", ""},
		{"getuser", "python", "import getpass\ngetpass.getuser()\n", ""},
		{"tests for a terminal", "python", "if sys.stdin.isatty():\n    input('x')\n", ""},
		{"has --yes", "python", "p.add_argument('--yes')\nif not args.yes: input('Sure?')\n", ""},
		{"goes on without", "python", "try:\n    input('x')\nexcept EOFError:\n    pass\n", ""},

		{"option that asks", "python", "@click.command()\n@click.option('--name', prompt='Name')\n", "2:25 prompt="},
		{"option that does not ask", "python", "@click.option('--prompt', help='x')\nllm(prompt='x')\nclick.option('-p', prompt=False)\n", ""},

		// others
		{"Go", "go", "\tfmt.Print(\"Name: \")\n\tfmt.Scanln(&name)\n\tpw, err := term.ReadPassword(0)\n", "2:2 fmt.Scanln"},
		{"Go without a prompt", "go", "\tfmt.Scan(&n)\n\tfor i := range n {\n\t\tfmt.Scan(&a[i])\n\t}\n\tfmt.Println(\"Sum:\", sum)\n", ""},
		{"Go with a variable", "go", "\tfmt.Print(\"Name: \")\n\tvar name string\n\tif _, err := fmt.Scan(&name); err != nil {\n", "3:15 fmt.Scan"},
		{"Go that waits", "go", "\tfmt.Println(\"Press Enter to exit\")\n\tfmt.Scanln()\n", "2:2 fmt.Scanln"},
		{"Go with a new reader", "go", "\tfmt.Print(\"Name: \")\n\ts, _ := bufio.NewReader(os.Stdin).ReadString('\\n')\n", "2:10 bufio.NewReader(os.Stdin).ReadString"},
		{"Go with a reader after the prompt", "go", "\tfmt.Println(\"Continue? (y/n)\")\n\tr := bufio.NewReader(os.Stdin)\n\ts, _ := r.ReadString('\\n')\n", "3:10 r.ReadString"},
		{"Go with a connection", "go", "\tfmt.Print(\"Sent: \")\n\ts, _ := bufio.NewReader(conn).ReadString('\\n') // os.Stdin\n", ""},
		{"Go with a reader", "go", "r := bufio.NewReader(os.Stdin)\nfmt.Print(\"Name: \")\ns, _ := r.ReadString('\\n')\n", "3:9 r.ReadString"},
		{"Go that reads lines", "go", "s := bufio.NewScanner(os.Stdin)\nfmt.Print(\"Reading\\n\")\nfor s.Scan() {\n", ""},
		{"Go that reads", "go", "s := bufio.NewScanner(os.Stdin)\nfmt.Sscanf(x, \"%d\", &n)\n// fmt.Scanln(&x)\n", ""},
		{"PHP", "php", "<?php\n$x = readline('Name: ');\n$y = trim(fgets(STDIN));\nwhile ($l = fgets(STDIN)) {}\n", "2:6 readline("},
		{"R", "r", "x <- readline(\"Name: \")\nn <- as.integer(readline('n'))\n", "1:6 readline("},
		{"option over lines", "python", "@click.option('--x',\n    prompt=True)\n", "2:5 prompt="},
		{"Go password", "go", "pw, err := term.ReadPassword(0)\n", "1:12 term.ReadPassword"},
		{"PHP fgets", "php", "$y = trim(fgets(STDIN));\n", "1:11 fgets(STDIN)"},
		{"R number", "r", "n <- as.integer(readline('n'))\n", "1:17 readline("},
		{"zsh prompt", "shell", "read -q 'REPLY?Sure? '\n", "1:1 read"},
		{"zsh variable", "shell", "vared -p 'x' y\n", "1:1 vared"},
		{"R that tests", "r", "if (interactive()) x <- readline('x')\n", ""},
		{"Lua", "lua", "io.write('Name: ')\nlocal name = io.read()\nlocal all = io.read('*a')\n", "2:14 io.read"},
		{"Ruby", "ruby", "puts 'Name?'\nname = STDIN.gets\nwhile line = STDIN.gets\nend\n", "2:8 STDIN.gets"},
		{"Ruby, plain gets", "ruby", "print \"Name: \"\n$stdout.flush\nname = gets\n", "3:8 gets"},
		{"Ruby, plain gets of a pipe", "ruby", "line = gets\nputs 'Lines:'\nwhile line = gets\nend\n", ""},
		{"zsh", "shell", "read \"name?Name: \"\nread -q 'REPLY?Sure? '\nvared -p 'x' y\n", "1:1 read"},
		{"the terminal itself", "shell", "read -r answer </dev/tty\n", "1:1 read"},

		// shells
		{"read -p", "shell", "read -p \"Name: \" name\n", "1:1 read"},
		{"read -rp", "shell", "#!/bin/bash\nset -e\n  read -rp 'Go on? ' yn\n", "3:3 read"},
		{"read -s", "shell", "echo -n Password:; read -s pw\n", "1:20 read"},
		{"after a prompt", "shell", "echo -n \"Name: \"\nread name\n", "2:1 read"},
		{"after a question", "shell", "if true; then\n  echo \"Continue? (y/n)\" >&2\n  IFS= read -r answer\nfi\n", "3:8 read"},
		{"after a prompt on the line", "shell", "printf '%s [y/N] ' \"$q\"; read a\n", "1:26 read"},
		{"after a coloured prompt", "shell", "echo -e \"${Y}Go on?${NC} \"\nread -n 1 -r\n", "2:1 read"},
		{"waits for a key", "shell", "echo \"Press Enter to go on...\"\nread\n", "2:1 read"},
		{"while read after a heading", "shell", "echo \"Files:\"\nwhile read -r line; do echo \"$line?\"; done\necho 'Name: '\nwhile IFS= read line; do :; done\n", ""},
		{"fed after a heading", "shell", "echo \"Size:\"\nread -r a b < <(stty size)\necho \"Go on?\"\nread -t 5 a\necho 'Next:' | read x\necho 'Q?' > f\nread x\ncat <<E\necho 'Q?'\nread x\nE\n# echo 'Q?'\nread x\necho 'Done.'\nread x\n", ""},
		{"in a condition", "shell", "if ! read -p 'x' a; then exit; fi\n", "1:6 read"},
		{"in a loop", "shell", "while true; do\n  read -p 'y/n' yn\ndone\n", "2:3 read"},
		{"after or", "shell", "test -f x || read -p 'x' a\n", "1:14 read"},
		{"with IFS", "shell", "IFS=, read -rp 'x' a\n", "1:7 read"},
		{"from the terminal", "shell", "read -p 'x' a < /dev/tty\n", "1:1 read"},
		{"select", "shell", "select opt in a b c; do echo $opt; done\n", "1:1 select"},
		{"dialogs", "shell", "whiptail --yesno x 8 40\ngum confirm 'Sure?'\n", "1:1 whiptail"},
		{"while read", "shell", "while IFS= read -r line; do echo \"$line\"; done < file\ncat f | while read -r a b; do :; done\n", ""},
		{"piped", "shell", "echo a | read -p 'x' b\nread -r x <<< \"$y\"\nread -p 'x' a < file\nread -r a b < <(cmd)\n", ""},
		{"no prompt", "shell", "read -r line\nread a b\nread -ra parts\nread -d '' text <<'EOF'\nx\nEOF\n", ""},
		{"time limit", "shell", "read -t 5 -p 'x' a\nread -rt1 -p x a\n", ""},
		{"other descriptor", "shell", "read -u 3 -p x a\n", ""},
		{"comment", "shell", "# read -p 'x' a\necho 'read -p x' # read -p\necho \"\nread -p x\n\"\n", ""},
		{"here document", "shell", "cat <<EOF\nread -p 'x' a\nEOF\ncat <<-'END' > f\n\tread -p x\n\tselect a in b\n\tEND\ncat <<A; cat <<B\nread -p x\nA\nread -p x\nB\n", ""},
		{"apostrophe in a here document", "shell", "cat <<EOF\ndon't\nEOF\n# it's\necho 'read -p x'\n", ""},
		{"shift", "shell", "x=$((1 << 2))\necho $((x << 3)) 'read -p x'\n", ""},
		{"SQL", "shell", "psql -c \"select a in b\"\nsqlite3 db 'select x in (1)'\n", ""},
		{"other words", "shell", "git read-tree -p x\nthread -p x\nbread -p\necho read -p x\n", ""},
		{"tests for a terminal", "shell", "if [ -t 0 ]; then read -p 'x' a; fi\n", ""},
		{"case -y", "shell", "case $1 in -y) yes=1;; esac\nread -p 'Sure?' a\n", ""},
		{"installs without asking", "shell", "apt-get install -y jq\nread -p 'Sure?' a\n", "2:1 read"},

		// JavaScript
		{"readline", "javascript", "const rl = require('readline').createInterface({input: process.stdin});\nrl.question('Name? ', f);\n", "2:3 .question"},
		{"inquirer", "javascript", "import inquirer from 'inquirer';\nconst a = await inquirer.prompt([{}]);\n", "2:17 inquirer.prompt"},
		{"prompts", "javascript", "import { confirm } from \"@inquirer/prompts\";\nif (await confirm({ message: 'x' })) {}\n", "2:11 confirm"},
		{"clack", "javascript", "import * as p from '@clack/prompts';\nawait p.text({});\n", "2:7 p.text"},
		{"lines of input", "javascript", "const rl = readline.createInterface({input: process.stdin});\nrl.on('line', f);\nfor await (const line of rl) {}\n", ""},
		{"a model's prompt", "javascript", "const answer = await prompt('Write a poem');\nmodel.prompt(x); confirm(x); input(y)\n", ""},
		{"comment and string", "javascript", "// require('readline') rl.question('x')\nconst s = \"rl.question('x')\", t = 'readline', u = `rl.question(`\n/* rl.question('x') */ const r = /rl.question(\\/['\"]/; const d = a / b; \n", ""},
		{"own function", "javascript", "import { prompts } from 'prompts'\nfunction input() {}\n", ""},
		{"is TTY", "javascript", "const rl = readline.createInterface()\nif (process.stdin.isTTY) rl.question('x')\n", ""},

		// PowerShell, Ruby, batch files
		{"enquirer", "javascript", "import { prompt } from 'enquirer';\nconst a = await prompt({});\n", "2:17 prompt"},
		{"builtins", "python", "import builtins\nname = builtins.input('Name? ')\n", "2:8 builtins.input"},
		{"prompt_toolkit", "python", "import prompt_toolkit\nname = prompt_toolkit.prompt('> ')\n", "2:8 prompt_toolkit.prompt"},
		{"Read-Host", "powershell", "$name = Read-Host \"Name\"\n", "1:9 Read-Host"},
		{"read-host in lower case", "powershell", "$p = read-host -AsSecureString\n", "1:6 read-host"},
		{"PowerShell comment", "powershell", "# Read-Host\n<# Read-Host\n#>\n\"Read-Host\"\n'Read-Host'\n@'\nRead-Host\n'@\nWrite-Host `\"Read`\n", ""},
		{"PowerShell tests", "powershell", "if ([Environment]::UserInteractive) {\n$x = Read-Host\n}\n", ""},
		{"gets", "ruby", "print 'Name? '\nname = gets.chomp\n", "2:8 gets.chomp"},
		{"STDIN.gets", "ruby", "name = STDIN.gets.chomp\n", "1:8 STDIN.gets.chomp"},
		{"Ruby reads lines", "ruby", "while line = gets.chomp\nend\nsocket.gets.chomp\nFile.open(x).gets.chomp\n# gets.chomp\n\"gets.chomp\"\n<<~EOS\n gets.chomp\nEOS\n=begin\ngets.chomp\n=end\n__END__\ngets.chomp\n", ""},

		{"pause", "batch", "@echo off\r\npause\r\n", "2:1 pause"},
		{"pause, nothing shown", "batch", "@pause >nul\n", "1:2 pause"},
		{"set /p", "batch", "SET /P \"name=Name: \"\n", "1:1 SET /P"},
		{"fed or timed", "batch", "<nul set /p =text\nset /p x=<file.txt\nset /p =text <nul\necho y| set /p x=\necho.| pause\npause <nul\nchoice /c yn /t 5 /d y\n", ""},
		{"other batch words", "batch", "rem pause & pause\n:: pause\necho pause\necho (pause)\necho \"a & pause\"\necho a ^& pause\ncall :pause\n:pause\ngoto pause\nif %1==x echo pause\nset /a x=1\nset path=/p x\npause.exe\nset pause=1\n", ""},
		{"started by a click", "batch", "echo %cmdcmdline% | find \"/c\" && pause\n", ""},

		{"other language", "perl", "read -p x; input('x')\n", ""},
	} {
		t.Run(tt.language+"/"+tt.name, func(t *testing.T) {
			got := ""
			if found := Find(tt.language, []byte(tt.src)); len(found) > 0 {
				before := tt.src[:found[0].Start]
				line := before[strings.LastIndexByte(before, '\n')+1:]
				got = fmt.Sprintf("%d:%d %s", strings.Count(before, "\n")+1, len(line)+1, tt.src[found[0].Start:found[0].End])
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestStripped checks that stripping keeps the position of every byte.
func TestStripped(t *testing.T) {
	for _, language := range []string{"python", "shell", "javascript"} {
		src := "a \"b\nc\" 'd' # e\n`f ${g} h` /* i */ <<X\nj\nX\nk\\"
		got := stripped(language, []byte(src))
		if len(got) != len(src) || strings.Count(string(got), "\n") != strings.Count(src, "\n") {
			t.Errorf("%s: %d bytes became %q", language, len(src), got)
		}
	}
}

// FuzzFind: stripping keeps every offset, and results are inside the text.
func FuzzFind(f *testing.F) {
	for _, s := range []string{
		"input('x')", "read -p 'x' a\ncat <<EOF\nread\nEOF", "rl.question(`${prompt('x')}`) // readline", "Read-Host @'\n'@ <# #>", "x = gets.chomp <<~A\nA\n=begin\n=end",
		"\\", "'", "\"\\", "<<", "<<-", "`${", "/[/", "$'\\''", "#!/usr/bin/env deno\nprompt(", "import 'prompts'\nprompts(",
		"f\"{input('x')} {{\" rf'''{a:{b}'''", "set /p \"x=y\"\r\nif \"\"==\"\" pause & choice /c yn",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, language := range []string{"python", "shell", "javascript", "powershell", "ruby", "batch", ""} {
			code := src
			if literals[language] != nil {
				code = stripped(language, src)
			}
			if len(code) != len(src) {
				t.Fatalf("%s: %d bytes became %d", language, len(src), len(code))
			}
			for i := range code {
				if code[i] != src[i] && code[i] != ' ' {
					t.Fatalf("%s: byte %d became %q", language, i, code[i])
				}
			}
			for _, p := range Find(language, src) {
				if p.Start < 0 || p.End < p.Start || p.End > len(src) {
					t.Fatalf("%s: %v is outside of %d bytes", language, p, len(src))
				}
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	for name, text := range map[string]string{
		"program":     "def f(x):\n    # read the task's input\n    return {'a': x[\"b\"], \"sk-\": f'{x}'}\n",
		"quotes":      "'\"`\\",
		"slashes":     "(/[",
		"heredocs":    "<<A\n",
		"IFS":         "IFS= read ",
		"prompts":     "readline.question(input(read -p",
		"hash":        "#",
		"backslashes": "\\ ",
	} {
		src := []byte(strings.Repeat(text, 1<<20/len(text)+1)[:1<<20])
		for _, language := range []string{"python", "shell", "javascript", "powershell", "ruby", "batch"} {
			b.Run(language+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					Find(language, src)
				}
			})
		}
	}
}
