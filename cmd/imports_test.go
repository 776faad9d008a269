package cmd

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"skills/internal/eval/suite"
	"skills/internal/spec"
)

// restricted are standard packages that only some packages may use: starting
// programs is audited in one place, and templates double the binary.
var restricted = map[string][]string{
	"os/exec":       {"lint/git", "script", "script/supervisor"},
	"text/template": nil,
	"html/template": nil,
	"net/http":      {"run", "agent/model", "testing/openaitest", "agent/replay", "httpclient", "loader", "mcp/client", "mcp/server", "traces"},
}

// row is a row of the table of packages in docs/design.md.
type row struct {
	leaf    bool     // any package may import it
	all     bool     // it may import any package of this module
	imports []string // packages of this module
	modules []string // third-party modules
}

// TestImports compares the table of packages in docs/design.md with the imports
// of all packages without tests.
func TestImports(t *testing.T) {
	rows := designTable(t)
	actual := packageImports(t)
	for name := range rows {
		if actual[name] == nil {
			t.Errorf("docs/design.md has a row for %s, which does not exist", name)
		}
	}
	for name, imports := range actual {
		r, ok := rows[name]
		if !ok {
			t.Errorf("docs/design.md has no row for %s", name)
			continue
		}
		var want row
		for path := range imports {
			if users, ok := restricted[path]; ok && !slices.Contains(users, name) {
				t.Errorf("%s: only %q may import %s", name, users, path)
			}
			switch local, isLocal := localName(path); {
			case isLocal && !rows[local].leaf:
				want.imports = append(want.imports, local)
			case !isLocal && strings.Contains(strings.Split(path, "/")[0], "."):
				module := path
				for _, m := range r.modules {
					if strings.HasPrefix(path, m+"/") {
						module = m
					}
				}
				want.modules = append(want.modules, module)
			}
		}
		if got, want := sorted(r.imports), sorted(want.imports); !r.all && !slices.Equal(got, want) {
			t.Errorf("%s: docs/design.md has the imports %q, but they are %q", name, got, want)
		}
		if got, want := sorted(r.modules), sorted(want.modules); !slices.Equal(got, want) {
			t.Errorf("%s: docs/design.md has the libraries %q, but they are %q", name, got, want)
		}
	}
}

// TestDiagram checks that the diagram in docs/design.md has every package once,
// and that packages import only those in lower lines.
func TestDiagram(t *testing.T) {
	actual := packageImports(t)
	line := map[string]int{}
	for i, text := range strings.Split(designSection(t, "diagram"), "\n") {
		for _, name := range regexp.MustCompile(`[a-z][a-z/]*`).FindAllString(strings.TrimPrefix(text, "```text"), -1) {
			switch {
			case actual[name] == nil:
				t.Errorf("the diagram has %s, which is not a package", name)
			case line[name] != 0:
				t.Errorf("the diagram has %s twice", name)
			}
			line[name] = i
		}
	}
	for name, imports := range actual {
		if line[name] == 0 {
			t.Errorf("the diagram lacks %s", name)
		}
		for path := range imports {
			if local, ok := localName(path); ok && line[local] <= line[name] {
				t.Errorf("%s imports %s, which the diagram does not have in a lower line", name, local)
			}
		}
	}
}

// withoutAgent are the commands that work on files alone.
var withoutAgent = []string{"validate", "list", "rules", "audit", "pack", "index", "new", "to-prompt", "read-properties"}

// ofAgent are the packages that talk to a model or run what it asks for, with those below
// them.
var ofAgent = []string{"agent", "approve", "console", "run", "hook", "todo", "mcp", "eval"}

// TestCommandsWithoutAgent checks that these commands reach nothing of the agent. All
// commands are in one package, so it follows the code of each from its constructor through
// the functions, methods and types of this package that it mentions, and from the packages
// that those mention through all imports.
func TestCommandsWithoutAgent(t *testing.T) {
	declared, imports := declarations(t), packageImports(t)
	banned := func(name string) bool {
		room, _, below := strings.Cut(name, "/")
		return slices.Contains(ofAgent, room) && (room != "eval" || !below) // the format of eval files is not the agent's
	}
	for _, command := range withoutAgent {
		words := strings.Split(command, "-")
		for i, word := range words[1:] {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
		constructor := strings.Join(words, "") + "Command"
		if declared[constructor].names == nil {
			t.Fatalf("package cmd has no function %s", constructor)
		}
		packages := map[string]string{} // the name in this package that mentions it
		reached := map[string]bool{constructor: true}
		for queue := []string{constructor}; len(queue) > 0; queue = queue[1:] {
			d := declared[queue[0]]
			for path := range d.packages {
				packages[path] = queue[0]
			}
			for name := range d.names {
				if _, here := declared[name]; here && !reached[name] {
					reached[name] = true
					queue = append(queue, name)
				}
			}
		}
		for path, by := range packages {
			queue, seen := []string{path}, map[string]bool{}
			for ; len(queue) > 0; queue = queue[1:] {
				local, ok := localName(queue[0])
				if !ok || seen[local] {
					continue
				}
				seen[local] = true
				if banned(local) {
					t.Errorf("%s: %s mentions %s, which leads to %s", command, by, path, local)
					break
				}
				queue = slices.AppendSeq(queue, maps.Keys(imports[local]))
			}
		}
	}
}

// mentions is what a declaration of package cmd mentions.
type mentions struct {
	names    map[string]bool // declared in the package; methods of app begin with a dot
	packages map[string]bool // by import path
}

// declarations returns the functions, types, variables and constants of package cmd by
// name. The methods of app, of which each command uses a few, are declarations too; those
// of other types belong to their type.
func declarations(t *testing.T) map[string]mentions {
	t.Helper()
	out := map[string]mentions{}
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		imported := map[string]string{} // paths by name
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			imported[path[strings.LastIndex(path, "/")+1:]] = path
		}
		for _, decl := range file.Decls {
			for name, node := range parts(decl) {
				if out[name].names == nil {
					out[name] = mentions{map[string]bool{}, map[string]bool{}}
				}
				out[name].add(node, imported)
			}
		}
	}
	return out
}

// parts returns what a declaration declares, by name. A function is without its receiver
// and without the app, whose fields it need not use.
func parts(decl ast.Decl) map[string]ast.Node {
	out := map[string]ast.Node{}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			receiver := d.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			name = receiver.(*ast.Ident).Name
			if name == "app" {
				name = "." + d.Name.Name
			}
		}
		params := slices.DeleteFunc(slices.Clone(d.Type.Params.List), func(f *ast.Field) bool {
			pointer, ok := f.Type.(*ast.StarExpr)
			if !ok {
				return false
			}
			to, ok := pointer.X.(*ast.Ident)
			return ok && to.Name == "app"
		})
		out[name] = &ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{List: params}, Results: d.Type.Results}, Body: d.Body}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				out[spec.Name.Name] = spec.Type
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					out[name.Name] = spec
				}
			}
		}
	}
	return out
}

// add adds what a part of a file mentions, which imports packages by these names.
func (m mentions) add(node ast.Node, imported map[string]string) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, simple := n.X.(*ast.Ident)
			switch {
			case simple && imported[x.Name] != "":
				m.packages[imported[x.Name]] = true
			case simple && x.Name != "a": // a field, or a method of another type
				m.names[x.Name] = true
			default:
				m.names["."+n.Sel.Name] = true
				m.add(n.X, imported)
			}
			return false
		case *ast.KeyValueExpr:
			if _, field := n.Key.(*ast.Ident); field {
				m.add(n.Value, imported)
				return false
			}
		case *ast.Ident:
			m.names[n.Name] = true
		}
		return true
	})
}

// designSection returns what is between <!-- name --> and <!-- end --> in
// docs/design.md.
func designSection(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "<!-- "+name+" -->")
	section, _, closed := strings.Cut(section, "<!-- end -->")
	if !ok || !closed {
		t.Fatalf("docs/design.md has no section %s", name)
	}
	return section
}

func designTable(t *testing.T) map[string]row {
	t.Helper()
	names := func(cell string) (out []string) {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			out = append(out, m[1])
		}
		return out
	}
	rows := map[string]row{}
	for line := range strings.Lines(designSection(t, "packages")) {
		cells := strings.Split(line, " | ")
		if name := names(cells[0]); len(cells) == 4 && len(name) == 1 {
			rows[name[0]] = row{cells[2] == "leaf", cells[2] == "all", names(cells[2]), names(cells[3])}
		}
	}
	return rows
}

// TestToolNames checks that the name of a tool is written only in the package of the
// tool, and in that of the texts for the model: others read what a call does from its
// action.
func TestToolNames(t *testing.T) {
	tools := []string{
		"find_skills", "load_skill", "read_skill_resource", "run_skill_script", "todos_add", "todos_complete", "todos_remove", "todos_get_remaining", "todos_get_all",
	}
	packages := []string{"agent/skills", "todo", "prompt"}
	found := map[string]bool{}
	err := eachFile(func(path string) error {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, _ := localName("skills/" + filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator))))
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil || !slices.Contains(tools, text) {
				return true
			}
			found[text] = true
			check := name == "eval/suite" && text == suite.TodosComplete // the name of a check
			if !check && !slices.Contains(packages, name) {
				t.Errorf("%s: the name of the tool %s", fset.Position(literal.Pos()), text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		if !found[tool] {
			t.Errorf("no package has the tool %s", tool)
		}
	}
}

// packageImports returns what each package imports in any of its files, for all
// systems and without tests.
func packageImports(t *testing.T) map[string]map[string]bool {
	t.Helper()
	out := map[string]map[string]bool{}
	err := eachFile(func(path string) error {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel("..", filepath.Dir(path))
		if err != nil {
			return err
		}
		name, _ := localName("skills/" + filepath.ToSlash(dir))
		if out[name] == nil {
			out[name] = map[string]bool{}
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			out[name][imported] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// eachFile calls a function with each file of Go code that is not a test.
func eachFile(do func(path string) error) error {
	return filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return do(path)
	})
}

// localName returns the name in docs/design.md of a package of this module.
func localName(path string) (name string, ok bool) {
	name, ok = strings.CutPrefix(path, "skills/")
	if name == "." {
		return "main", ok
	}
	return strings.TrimPrefix(name, "internal/"), ok
}

func sorted(names []string) []string {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// clientUsers are the packages that make HTTP clients. TestRedirectsOfAllClients must have
// a row for each that talks to a server of the user.
var clientUsers = []string{"agent/model", "mcp/client", "testing/openaitest", "traces"}

// TestHTTPClients checks that every HTTP client comes from internal/httpclient, which has
// the rule for redirects.
func TestHTTPClients(t *testing.T) {
	own := []string{"Client", "Transport", "DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm"}
	users := map[string]bool{}
	err := eachFile(func(path string) error {
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, path, nil, 0)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel("..", filepath.Dir(path))
		if err != nil {
			return err
		}
		name, _ := localName("skills/" + filepath.ToSlash(dir))
		imported := map[string]string{} // package path by its name in the file
		for _, spec := range file.Imports {
			from, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			as := from[strings.LastIndex(from, "/")+1:]
			if spec.Name != nil {
				as = spec.Name.Name
			}
			imported[as] = from
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if star, ok := n.(*ast.StarExpr); ok { // *http.Client only names the type
				if s, ok := star.X.(*ast.SelectorExpr); ok && (s.Sel.Name == "Client" || s.Sel.Name == "Transport") {
					return false
				}
			}
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			ident, ok := selector.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch from := imported[ident.Name]; {
			case from == "net/http" && slices.Contains(own, selector.Sel.Name) && name != "httpclient":
				t.Errorf("%s: http.%s: use internal/httpclient", positions.Position(n.Pos()), selector.Sel.Name)
			case from == "skills/internal/httpclient" && selector.Sel.Name == "New":
				users[name] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(users)); !slices.Equal(got, clientUsers) {
		t.Errorf("%q make HTTP clients, want %q", got, clientUsers)
	}
}

// TestNoPagesInMessages checks that no message names a page of docs/, which whoever has only
// the program does not have.
func TestNoPagesInMessages(t *testing.T) {
	page := regexp.MustCompile(`docs/[a-z-]+\.md`)
	err := eachFile(func(path string) error {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if ok && text.Kind == token.STRING && page.MatchString(text.Value) {
				t.Errorf("%s names a page in %s", path, text.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLimitsOnce checks that messages take the limits of the format from package spec. What
// a client or an issuer of keys limits is a fact of its own; and a tag, which cannot be put
// together, has to agree.
func TestLimitsOnce(t *testing.T) {
	own := []string{"../internal/clients/table.go", "../internal/spec/secrets/issuers.go"}
	literal := regexp.MustCompile(`\b(?:1024|1,024|64 character|500 (?:lines|characters)|5000 tokens)`)
	agrees := regexp.MustCompile(fmt.Sprintf(`^json:"description" .*at most %d characters`, spec.MaxDescription))
	err := eachFile(func(path string) error {
		if slices.Contains(own, filepath.ToSlash(path)) {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if ok && text.Kind == token.STRING && literal.MatchString(text.Value) && !agrees.MatchString(strings.Trim(text.Value, "`")) {
				t.Errorf("%s has a limit of the format in %s; use the constants of spec", path, text.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
