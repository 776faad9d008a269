package loader

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// About, embedded in a struct, carries the frontmatter of a skill in its tags:
//
//	loader.About `name:"unit-converter" description:"Converts lengths. Use when …" license:"MIT"`
//
// with the keys name, description, license, compatibility and allowed-tools.
type About struct{}

// Method, as a blank field, marks a method of the struct as a resource or a
// script, for Go's methods carry no tags themselves:
//
//	_ loader.Method `script:"convert" method:"Convert" desc:"Multiplies a value by a factor"`
type Method struct{}

// FromStruct makes a skill of a struct, or a pointer to one, in which tags say
// what is what:
//
//   - the embedded [About] has the frontmatter;
//   - the field of type string with the tag `instructions:""` holds the
//     instructions;
//   - a field with the tag `resource:"NAME"` is a resource: a value as [Value]
//     takes it, or a func(context.Context) (T, error) as [Computed] does;
//   - a field with the tag `script:"NAME"` is a script, a function as [Function]
//     takes it;
//   - a blank field of type [Method] with one of the two tags and
//     `method:"METHOD"` says the same of an exported method.
//
// `desc:"…"` describes resources and scripts. The fields of embedded structs
// count as the struct's own. Values are those at the time of the call; methods
// see the struct as it is when they are called. What is wrong is an error as it
// is with [Inline], and so are tags that mark what cannot be what they say, or
// one thing as two, or two as what there is one of.
func FromStruct(v any) (*Skill, error) {
	holder := reflect.ValueOf(v)
	value := holder
	if value.Kind() == reflect.Pointer && !value.IsNil() {
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct {
		return nil, fmt.Errorf("making a skill of %T: it is no struct", v)
	}
	s := structSkill{holder: holder}
	s.walk(value, nil)
	if s.about == 0 {
		s.errs = append(s.errs, errors.New("it does not embed loader.About with the skill's name and description"))
	}
	if len(s.errs) > 0 {
		return nil, fmt.Errorf("making a skill of %T: %w", v, errors.Join(s.errs...))
	}
	return Inline(s.frontmatter, s.instructions, s.parts...)
}

type structSkill struct {
	holder       reflect.Value
	about        int // how many there are
	frontmatter  Frontmatter
	told         string // the field with the instructions, "" for none yet
	instructions string
	parts        []Part
	errs         []error
}

// walk takes what the fields of a struct say, those of embedded ones included.
// within are the structs around it.
func (s *structSkill) walk(value reflect.Value, within []reflect.Type) {
	within = append(slices.Clip(within), value.Type())
	for i := range value.NumField() {
		f, v := value.Type().Field(i), value.Field(i)
		if err := s.field(f, v); err != nil {
			s.errs = append(s.errs, err)
			continue
		}
		if inner, ok := embedded(f); ok && !slices.Contains(within, inner) {
			if v.Kind() == reflect.Pointer {
				v = v.Elem()
			}
			switch {
			case !marks(inner, within): // and there may be nothing, or nothing that can be looked at
			case mark(f.Tag) != "":
				s.errs = append(s.errs, fmt.Errorf("field %s is marked as %s, and so are fields in it", f.Name, mark(f.Tag)))
			case !v.IsValid():
				s.errs = append(s.errs, fmt.Errorf("the embedded %s is nil, but fields in it are marked", f.Name))
			default:
				s.walk(v, within)
			}
		}
	}
}

// field takes what one field says.
func (s *structSkill) field(f reflect.StructField, v reflect.Value) error {
	tag := f.Tag
	kind := mark(tag)
	if f.Type == reflect.TypeFor[About]() {
		return s.frontmatterOf(f)
	}
	_, hasMethod := tag.Lookup("method")
	isMethod := f.Type == reflect.TypeFor[Method]()
	switch {
	case kind == "":
		if isMethod {
			return fmt.Errorf("a Method with the tag %q is marked neither as script nor as resource", tag)
		}
		return nil
	case strings.Contains(kind, " and "):
		return fmt.Errorf("field %s is marked as %s", f.Name, kind)
	case !isMethod && hasMethod:
		return fmt.Errorf("field %s is marked as %s and names a method; only a loader.Method does that", f.Name, kind)
	case !isMethod && !f.IsExported():
		return fmt.Errorf("field %s is marked but not exported", f.Name)
	case kind == "instructions":
		if f.Type.Kind() != reflect.String {
			return fmt.Errorf("field %s holds the instructions but is no string", f.Name)
		}
		if s.told != "" {
			return fmt.Errorf("fields %s and %s are both marked as instructions", s.told, f.Name)
		}
		s.told, s.instructions = f.Name, v.String()
		return nil
	}
	if isMethod {
		name := tag.Get("method")
		if v = s.holder.MethodByName(name); !v.IsValid() {
			return fmt.Errorf("%s has no exported method %q%s", s.holder.Type(), name, pointerHint(s.holder, name))
		}
	}
	if script, ok := tag.Lookup("script"); ok {
		s.parts = append(s.parts, Part{script, func() (*Resource, *Script, error) { return function(script, tag.Get("desc"), v) }})
		return nil
	}
	s.parts = append(s.parts, resourceOf(tag.Get("resource"), tag.Get("desc"), v))
	return nil
}

// pointerHint says that a method is there for the pointer.
func pointerHint(holder reflect.Value, name string) string {
	if _, ok := reflect.PointerTo(holder.Type()).MethodByName(name); ok {
		return "; its pointer has: hand that over"
	}
	return ""
}

// resourceOf makes a resource of a value or of a function.
func resourceOf(name, description string, v reflect.Value) Part {
	t := v.Type()
	if t.Kind() != reflect.Func {
		return Value(name, description, v.Interface())
	}
	if t.NumIn() != 1 || t.In(0) != contextType || t.NumOut() != 2 || t.Out(1) != errorType {
		return Part{name, func() (*Resource, *Script, error) {
			return nil, nil, fmt.Errorf("resource %q is of type %s, not func(context.Context) (T, error)", name, t)
		}}
	}
	if v.IsNil() {
		return Computed[any](name, description, nil)
	}
	return Computed(name, description, func(ctx context.Context) (any, error) {
		out := v.Call([]reflect.Value{reflect.ValueOf(&ctx).Elem()})
		err, _ := out[1].Interface().(error)
		return out[0].Interface(), err
	})
}
