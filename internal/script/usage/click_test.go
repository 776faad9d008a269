package usage

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const clickSample = `
import click

@click.group()
@click.option("--quiet", "-q", is_flag=True)
def cli(quiet):
    """Keeps a list."""

@cli.command()
@click.argument("title")
@click.argument("notes", nargs=-1)
@click.option("--kind", type=click.Choice(["a", "b"]), default="a", show_default=True, help="what it is")
@click.option("-n", "--times", "count", default=1)
@click.option("--tag", multiple=True)
@click.option("--top/--end", default=True)
@click.option("--level", type=click.IntRange(0, 3), required=True)
@click.option("-v", count=True)
def add_entry(**kw):
    """Adds an entry.

    More.
    """

@cli.command("list", help="Shows all.")
@click.pass_context
def show(ctx):
    pass

if __name__ == "__main__":
    cli()
`

func TestClick(t *testing.T) {
	u := of(t, clickSample)
	want := Usage{
		Form: "click", Description: "Keeps a list.", CommandKey: "command", CommandRequired: true,
		Options: []Parameter{{Key: "quiet", Names: []string{"--quiet", "-q"}, Kind: Flag, Type: Boolean, Default: false}},
		Commands: []Command{
			{Name: "add-entry", Help: "Adds an entry.", Usage: Usage{
				Form: "click", Description: "Adds an entry.",
				Positionals: []Parameter{
					{Key: "title", Kind: Value, Type: String, Min: 1, Max: 1, Required: true},
					{Key: "notes", Kind: Value, Type: String, Max: -1},
				},
				Options: []Parameter{
					{Key: "kind", Names: []string{"--kind"}, Kind: Value, Type: String, Min: 1, Max: 1, Choices: []any{"a", "b"}, Default: "a", Help: "what it is"},
					{Key: "times", Names: []string{"-n", "--times"}, Kind: Value, Type: Integer, Min: 1, Max: 1, Default: int64(1)},
					{Key: "tag", Names: []string{"--tag"}, Kind: List, Type: String, Min: 1, Max: 1},
					{Key: "top", Names: []string{"--top", "--end"}, Kind: Flag, Type: Boolean, Default: true},
					{Key: "level", Names: []string{"--level"}, Kind: Value, Type: Integer, Min: 1, Max: 1, Required: true},
					{Key: "-v", Names: []string{"-v"}, Kind: Count, Type: Boolean},
				},
			}},
			{Name: "list", Help: "Shows all.", Usage: Usage{Form: "click", Description: "Shows all."}},
		},
	}
	if diff := cmp.Diff(want, u, ignoreUnexported, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	words, err := u.Words(json.RawMessage(`{"command": "add-entry", "title": "-x", "level": 2, "end": true, "tag": ["a"], "quiet": true}`))
	if got := strings.Join(words, " "); err != nil || got != "--quiet add-entry --level 2 --end --tag a -- -x" {
		t.Error(got, err)
	}
}

const typerSample = `
import typer
from enum import Enum
from pathlib import Path
from typing import Annotated, List, Literal, Optional

app = typer.Typer(help="Keeps a list.")

class Kind(str, Enum):
    a = "a"
    b = "b"

@app.command()
def add_entry(
    title: str,
    notes: Optional[List[str]] = typer.Argument(None, help="more"),
    kind: Kind = Kind.a,
    out: Path = typer.Option(..., "--out", "-o", help="where to"),
    times: Annotated[int, typer.Option(help="how often")] = 1,
    force: bool = False,
    dry: bool = typer.Option(False, "--dry"),
    tag: Annotated[Optional[list[str]], typer.Option()] = None,
    mode: Literal["x", "y"] = "x",
):
    """Adds an entry."""

@app.command("list")
def show(ctx: typer.Context):
    pass

if __name__ == "__main__":
    app()
`

func TestTyper(t *testing.T) {
	u := of(t, typerSample)
	want := []Parameter{
		{Key: "title", Kind: Value, Type: String, Min: 1, Max: 1, Required: true},
		{Key: "notes", Kind: Value, Type: String, Max: -1, Help: "more"},
		{Key: "kind", Names: []string{"--kind"}, Kind: Value, Type: String, Min: 1, Max: 1, Choices: []any{"a", "b"}, Default: "a"},
		{Key: "out", Names: []string{"--out", "-o"}, Kind: Value, Type: String, Min: 1, Max: 1, Required: true, Help: "where to"},
		{Key: "times", Names: []string{"--times"}, Kind: Value, Type: Integer, Min: 1, Max: 1, Default: int64(1), Help: "how often"},
		{Key: "force", Names: []string{"--force", "--no-force"}, Kind: Flag, Type: Boolean, Default: false},
		{Key: "dry", Names: []string{"--dry"}, Kind: Flag, Type: Boolean, Default: false},
		{Key: "tag", Names: []string{"--tag"}, Kind: List, Type: String, Min: 1, Max: 1},
		{Key: "mode", Names: []string{"--mode"}, Kind: Value, Type: String, Min: 1, Max: 1, Choices: []any{"x", "y"}, Default: "x"},
	}
	if len(u.Commands) != 2 || u.Commands[0].Name != "add-entry" || u.Commands[1].Name != "list" || u.Partial {
		t.Fatalf("%+v", u)
	}
	if diff := cmp.Diff(want, u.Commands[0].Usage.parameters(), ignoreUnexported, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	one := of(t, "import typer\ndef main(name: str, loud: bool = False):\n    pass\ntyper.run(main)\n")
	if got := one.Line("x.py"); got != "x.py [--loud] NAME" {
		t.Error(got)
	}
}

func TestClickUncertain(t *testing.T) {
	for name, src := range map[string]string{
		"unknown decorator":  "@click.command()\n@more.options\ndef main(): pass\nmain()",
		"unknown name":       "@click.command()\n@click.option(name())\ndef main(): pass\nmain()",
		"own class":          "@click.command(cls=Own)\ndef main(): pass\nmain()",
		"words":              "app = typer.Typer()\n@app.command()\ndef main(*words): pass\napp()",
		"other applications": "app = typer.Typer()\napp.add_typer(library.app, name='x')\n@app.command()\ndef main(): pass\napp()",
	} {
		t.Run(name, func(t *testing.T) {
			if u := of(t, "import click, typer\n"+src); !u.Partial {
				t.Errorf("certain: %+v", u)
			}
		})
	}
}
