package strictyaml

// Kind tells the nodes apart.
type Kind uint8

const (
	Scalar   Kind = iota // a string, in Text
	Mapping              // Pairs in file order; keys are scalars and unique
	Sequence             // Items
	// Opaque is an unquoted << or = that stands for a value. YAML 1.1 gives
	// these two a type that StrictYAML does not turn into a string: for the
	// reference library the value is neither text nor list nor mapping.
	// Text holds what was written.
	Opaque
)

// String names the kind as messages do.
func (k Kind) String() string {
	switch k {
	case Scalar:
		return "scalar"
	case Mapping:
		return "mapping"
	case Sequence:
		return "sequence"
	}
	return "opaque"
}

// Node is one value of the document.
type Node struct {
	Kind Kind
	// Text is the value of a scalar. A surrogate that an escape such as
	// "\ud800" asks for stands as U+FFFD: one character there, one here.
	Text  string
	Pairs []Pair
	Items []*Node
	// Line and Column say where the value starts, from 1, the column in code
	// points. An absent value is where it would stand.
	Line, Column int
}

// Pair is one entry of a mapping.
type Pair struct{ Key, Value *Node }

// Get returns the value of key in a mapping, nil where there is none.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for _, p := range n.Pairs {
		if p.Key.Text == key {
			return p.Value
		}
	}
	return nil
}
