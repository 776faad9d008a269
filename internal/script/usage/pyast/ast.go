// Package pyast parses the text of a Python file into statements and expressions, as far
// as the analysis of a script's arguments needs them. It never runs anything.
//
// The parser accepts more than Python does: it does not check assignments, the order of
// arguments or the place of a yield. A statement that it cannot parse becomes [Bad] and
// the next line is parsed as usual, so a new syntax costs one statement.
package pyast

// Expr is an expression. Position and parentheses are not kept.
type Expr interface{}

// The kinds of expressions.
type (
	// Name is a variable.
	Name string
	// Const is None (nil), a bool, int64, float64 or string.
	Const struct{ Value any }
	// Format is an f-string: texts (Const) and expressions in order. An expression
	// with a conversion or a format is an [Other].
	Format struct{ Parts []Expr }
	// Sequence is a list "[", a tuple "(" or a set "{".
	Sequence struct {
		Kind  byte
		Items []Expr
	}
	// Dict is a dictionary; a nil key is **value.
	Dict struct{ Keys, Values []Expr }
	// Attr is X.Name.
	Attr struct {
		X    Expr
		Name string
	}
	// Index is X[Key].
	Index struct{ X, Key Expr }
	// Slice is the key in X[Low:High]; a step makes it [Other].
	Slice struct{ Low, High Expr }
	// Call is Func(Args).
	Call struct {
		Func Expr
		Args []Arg
	}
	// Arg is an argument of a call; Star is the number of asterisks before it.
	Arg struct {
		Name  string
		Star  int
		Value Expr
	}
	// Unary is an operator before X: "not", "-", "+", "~".
	Unary struct {
		Op string
		X  Expr
	}
	// Binary is X Op Y. Comparisons and "and" and "or" too; a chain of comparisons is
	// joined by "and".
	Binary struct {
		Op   string
		X, Y Expr
	}
	// Cond is Then if Test else Else.
	Cond struct{ Test, Then, Else Expr }
	// Lambda is a function without a name; its body is not kept.
	Lambda struct{}
	// Comprehension is Value (with Key in a dictionary) for each Target in Iter where
	// Tests are true. Kind is as in Sequence, ':' for a dictionary. Further clauses make
	// it [Other].
	Comprehension struct {
		Kind       byte
		Key, Value Expr
		Target     Expr
		Iter       Expr
		Tests      []Expr
	}
	// Star is *X outside of a call.
	Star struct{ X Expr }
	// Walrus is Name := X.
	Walrus struct {
		Name string
		X    Expr
	}
	// Other is an expression whose value is never known. Parts may have effects.
	Other struct{ Parts []Expr }
)

// Stmt is a statement.
type Stmt interface{}

// The kinds of statements.
type (
	// ExprStmt is an expression for its effect.
	ExprStmt struct{ X Expr }
	// Assign assigns Value to each target. Op is "=" or an operator such as "+". A nil
	// Value is an annotation alone.
	Assign struct {
		Op         string
		Targets    []Expr
		Value      Expr
		Annotation Expr
	}
	// Return ends a function; X may be nil.
	Return struct{ X Expr }
	// Raise raises an exception.
	Raise struct{}
	// Break and Continue end a loop or one round of it.
	Break    struct{}
	Continue struct{}
	// If is one branch with its alternative.
	If struct {
		Test       Expr
		Then, Else []Stmt
	}
	// For is a loop over Iter.
	For struct {
		Target, Iter Expr
		Body, Else   []Stmt
	}
	// While is a loop with a condition.
	While struct {
		Test       Expr
		Body, Else []Stmt
	}
	// Try is a body with handlers. Else follows the body.
	Try struct {
		Body, Else, Finally []Stmt
		Handlers            [][]Stmt
	}
	// With runs Body with resources: Items are expressions, Targets their names or nil.
	With struct {
		Items, Targets []Expr
		Body           []Stmt
	}
	// Match is a match statement without its patterns.
	Match struct {
		X     Expr
		Cases [][]Stmt
	}
	// Def is a function.
	Def struct {
		Name       string
		Params     []Param
		Body       []Stmt
		Decorators []Expr
		Doc        string
		Generator  bool
	}
	// Param is a parameter of a function; Star is the number of asterisks before it.
	Param struct {
		Name       string
		Star       int
		Annotation Expr
		Default    Expr // nil if it has none
	}
	// Class is a class.
	Class struct {
		Name       string
		Bases      []Arg
		Body       []Stmt
		Decorators []Expr
	}
	// Import binds Names to modules or their members, with dotted paths.
	Import struct{ Names, Paths []string }
	// Global declares names of the module or of an enclosing function.
	Global struct{ Names []string }
	// Pass has no effect: pass, del, assert.
	Pass struct{}
	// Bad is what could not be parsed, with its text.
	Bad struct{ Text string }
)
