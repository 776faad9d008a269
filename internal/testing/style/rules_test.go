package style

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// The rules need the syntax only, not the types, so that all files of all
// systems are checked within a second. Where a rule would need a type, it reports
// the forms in which the type can be seen, and misses the others.

// Limits of the rules.
const (
	maxOperands = 3   // of a condition without names
	maxUnkeyed  = 3   // fields of a struct literal without keys
	maxFile     = 500 // lines of a file
	maxSilent   = 150 // lines of a file without an opening comment
	maxFunction = 60  // lines of a function that is no table
	maxFields   = 15  // fields of a struct without groups
	maxMethods  = 25  // methods of a type
	maxFiles    = 40  // files of a package, except the one of the rules
)

// manyFiles is the package that has a file for each of many things.
const manyFiles = "rules"

// checker collects the problems of one package.
type checker struct {
	set      *token.FileSet
	methods  map[string]int         // number by type
	reported map[*ast.CallExpr]bool // calls of cmp.Or
	errors   map[string]bool        // names of the current function's variables of type error
	problems []string
}

// check returns the problems of the files of one package, which are given by path.
func check(files map[string]string) []string {
	c := &checker{set: token.NewFileSet(), methods: map[string]int{}, reported: map[*ast.CallExpr]bool{}}
	folder, pkg := "", ""
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, err := parser.ParseFile(c.set, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return []string{err.Error()}
		}
		folder, pkg = path.Dir(name), file.Name.Name
		c.file(file)
	}
	if len(files) > maxFiles && pkg != manyFiles {
		c.problems = append(c.problems, fmt.Sprintf("%s: %d files, more than %d", folder, len(files), maxFiles))
	}
	for _, name := range slices.Sorted(maps.Keys(c.methods)) {
		if n := c.methods[name]; n > maxMethods {
			c.problems = append(c.problems, fmt.Sprintf("%s: %s has %d methods, more than %d: give a part of them a type of its own", folder, name, n, maxMethods))
		}
	}
	return c.problems
}

// checkHeaders returns the problems of the headers in one file.
func checkHeaders(name, text string) []string {
	c := &checker{set: token.NewFileSet()}
	file, err := parser.ParseFile(c.set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	c.headers(file)
	return c.problems
}

func (c *checker) report(at token.Pos, format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf("%s: %s", c.set.Position(at), fmt.Sprintf(format, args...)))
}

// lines returns the number of lines from one position to another.
func (c *checker) lines(from, to token.Pos) int {
	return c.set.Position(to).Line - c.set.Position(from).Line
}

// headers reports the changes in all headers of a file.
func (c *checker) headers(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			c.header(n.Init, "an if")
		case *ast.SwitchStmt:
			c.header(n.Init, "a switch")
		case *ast.TypeSwitchStmt:
			c.header(n.Init, "a switch")
		}
		return true
	})
}

func (c *checker) file(file *ast.File) {
	c.headers(file)
	lines := c.set.Position(file.FileEnd).Line - 1
	if lines > maxFile {
		c.report(file.Package, "%d lines, more than %d", lines, maxFile)
	}
	if lines > maxSilent && !opens(file) {
		c.report(file.Package, "%d lines without an opening comment that states the file's idea", lines)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			c.condition(n.Cond)
		case *ast.SwitchStmt:
			if n.Tag == nil {
				c.cases(n)
			}
		case *ast.ForStmt:
			c.condition(n.Cond)
		case *ast.CallExpr:
			if slices.ContainsFunc(n.Args, c.isError) {
				c.choice(n)
			}
		case *ast.AssignStmt:
			if len(n.Rhs) == 1 && c.isError(n.Lhs[len(n.Lhs)-1]) {
				c.choice(n.Rhs[0])
			}
		case *ast.BinaryExpr:
			if right, ok := n.Y.(*ast.Ident); ok && right.Name == "nil" {
				c.choice(n.X)
			}
		case *ast.CompositeLit:
			c.literal(n)
		case *ast.StructType:
			c.fields(n)
		case *ast.FuncLit:
			c.function("a function literal", n, n.Body)
			c.returned(n.Type, n.Body)
		case *ast.FuncDecl:
			c.errors = errorsOf(n)
			c.function(n.Name.Name, n, n.Body)
			c.returned(n.Type, n.Body)
			if n.Recv != nil {
				c.methods[receiver(n.Recv.List[0].Type)]++
			}
		}
		return true
	})
}

// opens reports whether a file begins with a comment about its subject: the
// package's comment, or one that stands alone before the first declaration. A
// declaration's own comment does not count, as it is about the declaration.
func opens(file *ast.File) bool {
	if file.Doc.Text() != "" {
		return true
	}
	end := file.FileEnd // of the part before the first declaration
	var imports []ast.Node
	for _, decl := range slices.Backward(file.Decls) {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
			imports = append(imports, decl)
			continue
		}
		end = decl.Pos()
		if doc := docOf(decl); doc != nil {
			end = doc.Pos()
		}
	}
	for _, group := range file.Comments {
		inImport := slices.ContainsFunc(imports, func(n ast.Node) bool {
			return n.Pos() <= group.Pos() && group.Pos() < n.End()
		})
		if group.Pos() < end && !inImport && group.Text() != "" {
			return true
		}
	}
	return false
}

func docOf(decl ast.Decl) *ast.CommentGroup {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

// header reports a change of an existing variable before a condition or a value.
func (c *checker) header(init ast.Stmt, of string) {
	assign, isAssign := init.(*ast.AssignStmt)
	_, isCount := init.(*ast.IncDecStmt)
	if isCount || isAssign && assign.Tok != token.DEFINE {
		c.report(init.Pos(), "assignment in the header of %s: make it a statement of its own", of)
	}
}

// cases checks the conditions of a switch without a value.
func (c *checker) cases(s *ast.SwitchStmt) {
	for _, clause := range s.Body.List {
		for _, e := range clause.(*ast.CaseClause).List {
			c.condition(e)
		}
	}
}

// condition reports a condition of too many operands.
func (c *checker) condition(e ast.Expr) {
	if n := operands(e); n > maxOperands {
		c.report(e.Pos(), "a condition of %d operands: give its parts names", n)
	}
}

func operands(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return operands(e.X) + operands(e.Y)
		}
	case *ast.ParenExpr:
		return operands(e.X)
	case *ast.UnaryExpr:
		return operands(e.X)
	}
	return 1
}

// Go evaluates all arguments of cmp.Or, so it chooses between values. Between
// calls it reads as if it tried one step after the other, and it makes them all.
// That it chooses between errors is seen where a variable among its arguments is named
// or declared as one, and where its result is returned as an error, assigned to one, or
// compared with nil.

// choice reports a cmp.Or of errors, some of which are results of calls.
func (c *checker) choice(e ast.Expr) {
	call, ok := e.(*ast.CallExpr)
	if !ok || c.reported[call] || !isSelector(call.Fun, "cmp", "Or") {
		return
	}
	if slices.ContainsFunc(call.Args, isStep) {
		c.reported[call] = true
		c.report(call.Pos(), "cmp.Or of calls: it makes them all, so write them as statements")
	}
}

// isStep reports whether an expression is a call, apart from those that make an
// error or return one that has occurred.
func isStep(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return true
	}
	pkg, _ := method.X.(*ast.Ident)
	makes := pkg != nil && slices.Contains(makers, pkg.Name+"."+method.Sel.Name)
	return !makes && method.Sel.Name != "Err"
}

// makers are functions that only make an error, or return one that has occurred.
var makers = []string{"errors.New", "fmt.Errorf", "context.Cause", "fault.Usage", "fault.UsageIf", "fault.AsUsage", "fault.AsUsageIfHinted"}

func (c *checker) isError(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && (name.Name == "err" || strings.HasSuffix(name.Name, "Err") || c.errors[name.Name])
}

// errorsOf returns the names that a function declares with the type error: parameters,
// results and variables, also of the functions in it.
func errorsOf(f *ast.FuncDecl) map[string]bool {
	out := map[string]bool{}
	add := func(t ast.Expr, names []*ast.Ident) {
		if t, ok := t.(*ast.Ident); ok && t.Name == "error" {
			for _, name := range names {
				out[name.Name] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			add(n.Type, n.Names)
		case *ast.ValueSpec:
			add(n.Type, n.Names)
		}
		return true
	})
	return out
}

// returned checks every cmp.Or that a function returns as its error.
func (c *checker) returned(t *ast.FuncType, body *ast.BlockStmt) {
	if body == nil || t.Results == nil {
		return
	}
	last, ok := t.Results.List[len(t.Results.List)-1].Type.(*ast.Ident)
	if !ok || last.Name != "error" {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
			c.choice(r.Results[len(r.Results)-1])
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
}

func isSelector(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg
}

// literal reports a long struct literal without keys, alone or in a list or map
// whose elements do not repeat their type. A named type is taken for a struct.
func (c *checker) literal(l *ast.CompositeLit) {
	var element ast.Expr
	switch t := l.Type.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.StructType:
		c.unkeyed(l)
	case *ast.ArrayType:
		element = t.Elt
	case *ast.MapType:
		element = t.Value
	}
	switch element.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.StructType, *ast.StarExpr:
	default:
		return
	}
	for _, e := range l.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		if inner, ok := e.(*ast.CompositeLit); ok && inner.Type == nil {
			c.unkeyed(inner)
		}
	}
}

func (c *checker) unkeyed(l *ast.CompositeLit) {
	if len(l.Elts) <= maxUnkeyed {
		return
	}
	if _, ok := l.Elts[0].(*ast.KeyValueExpr); !ok {
		c.report(l.Pos(), "a struct literal of %d fields without keys", len(l.Elts))
	}
}

// fields reports a struct with too many fields. Fields that belong together are
// one field, or one embedded struct, whose type has them.
func (c *checker) fields(s *ast.StructType) {
	n := 0
	for _, f := range s.Fields.List {
		n += max(1, len(f.Names))
	}
	if n > maxFields {
		c.report(s.Pos(), "a struct of %d fields: group them", n)
	}
}

// function reports a long function, unless it is a table, most lines of which
// are composite literals. The functions in these are no part of the table.
func (c *checker) function(name string, f ast.Node, body *ast.BlockStmt) {
	n := c.lines(f.Pos(), f.End()) + 1
	if body == nil || n <= maxFunction {
		return
	}
	table := 0
	ast.Inspect(body, func(node ast.Node) bool {
		l, ok := node.(*ast.CompositeLit)
		if ok {
			table += c.lines(l.Pos(), l.End()) - c.code(l)
		}
		return !ok
	})
	if table <= n/2 {
		c.report(f.Pos(), "%s has %d lines, more than %d, and is no table: make it two functions", name, n, maxFunction)
	}
}

// code returns the number of lines that the functions in a literal have.
func (c *checker) code(l *ast.CompositeLit) (lines int) {
	ast.Inspect(l, func(node ast.Node) bool {
		f, ok := node.(*ast.FuncLit)
		if ok {
			lines += c.lines(f.Pos(), f.End())
		}
		return !ok
	})
	return lines
}

// receiver returns the name of the type that a method is of.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}
