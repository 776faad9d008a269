package loader

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// About, embedded in a struct, has the frontmatter of a skill in its tag:
//
//	loader.About `name:"unit-converter" description:"Converts lengths. Use when …" license:"MIT"`
//
// with the keys name, description, license, compatibility and allowed-tools.
type About struct{}

// Method, as a blank field, marks a method of the struct as a resource or a
// script, because Go's methods have no tags themselves:
//
//	_ loader.Method `script:"convert" method:"Convert" desc:"Multiplies a value by a factor"`
type Method struct{}

// FromStruct makes a skill of a struct, or a pointer to one, by its tags:
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
// count as the struct's own. Errors are those of [Inline], and tags that do not
// fit their field.
func FromStruct(v any) (*Skill, error) {
	holder := reflect.ValueOf(v)
	value := reflect.Indirect(holder)
	if value.Kind() != reflect.Struct {
		return nil, fmt.Errorf("making a skill of %T: not a struct", v)
	}
	s := structSkill{holder: holder}
	s.walk(value)
	if s.about == 0 {
		s.errorf("it does not embed loader.About with the skill's name and description")
	}
	if len(s.errs) > 0 {
		return nil, fmt.Errorf("making a skill of %T: %w", v, errors.Join(s.errs...))
	}
	return Inline(s.frontmatter, s.instructions, s.parts...)
}

// structSkill collects what the fields of a struct declare.
type structSkill struct {
	holder       reflect.Value
	about        int // how many there are
	frontmatter  Frontmatter
	instructed   string // the field with the instructions, "" for none yet
	instructions string
	parts        []Part
	errs         []error
}

func (s *structSkill) errorf(format string, args ...any) {
	s.errs = append(s.errs, fmt.Errorf(format, args...))
}

// walk reads the fields of a struct and of those that it embeds.
func (s *structSkill) walk(value reflect.Value) {
	for i := range value.NumField() {
		f, v := value.Type().Field(i), value.Field(i)
		switch {
		case f.Type == reflect.TypeFor[About]():
			s.describe(f)
		case f.Anonymous && f.Type.Kind() == reflect.Struct && len(marks(f.Tag)) == 0:
			s.walk(v)
		default:
			s.field(f, v)
		}
	}
}

// marks names what a field's tag marks it as.
func marks(tag reflect.StructTag) (as []string) {
	if _, ok := tag.Lookup("instructions"); ok {
		as = append(as, "instructions")
	}
	for _, kind := range []string{"resource", "script"} {
		if name, ok := tag.Lookup(kind); ok {
			as = append(as, fmt.Sprintf("%s %q", kind, name))
		}
	}
	return as
}

// describe reads the tag of an [About].
func (s *structSkill) describe(f reflect.StructField) {
	tag := f.Tag
	if s.about++; s.about > 1 || !f.Anonymous {
		s.errorf("field %s: a skill has one loader.About, which is embedded", f.Name)
	}
	s.frontmatter = Frontmatter{
		Name: tag.Get("name"), Description: tag.Get("description"), License: tag.Get("license"),
		Compatibility: tag.Get("compatibility"), AllowedTools: tag.Get("allowed-tools"),
	}
}

// field reads the tag of any other field.
func (s *structSkill) field(f reflect.StructField, v reflect.Value) {
	tag, as := f.Tag, marks(f.Tag)
	method := tag.Get("method")
	isMethod := f.Type == reflect.TypeFor[Method]()
	switch {
	case len(as) == 0:
		if isMethod {
			s.errorf("a Method with the tag %q is marked neither as script nor as resource", tag)
		}
		return
	case len(as) > 1:
		s.errorf("field %s is marked as %s", f.Name, strings.Join(as, " and as "))
		return
	case !isMethod && method != "":
		s.errorf("field %s is marked as %s and names a method; only a loader.Method can", f.Name, as[0])
		return
	case !isMethod && !f.IsExported():
		s.errorf("field %s is marked but not exported", f.Name)
		return
	case as[0] == "instructions":
		s.instruct(f, v)
		return
	}
	if isMethod {
		if v = s.holder.MethodByName(method); !v.IsValid() {
			s.errorf("%s has no exported method %q", s.holder.Type(), method)
			return
		}
	}
	if script, ok := tag.Lookup("script"); ok {
		s.parts = append(s.parts, function(script, tag.Get("desc"), v))
		return
	}
	s.parts = append(s.parts, resourceOf(tag.Get("resource"), tag.Get("desc"), v))
}

// instruct takes the instructions from a field.
func (s *structSkill) instruct(f reflect.StructField, v reflect.Value) {
	switch {
	case f.Type.Kind() != reflect.String:
		s.errorf("field %s is marked as instructions but not a string", f.Name)
	case s.instructed != "":
		s.errorf("fields %s and %s are both marked as instructions", s.instructed, f.Name)
	}
	s.instructed, s.instructions = f.Name, v.String()
}

// resourceOf makes a resource of a value or of a function.
func resourceOf(name, description string, v reflect.Value) Part {
	switch {
	case v.Kind() != reflect.Func:
		return Value(name, description, v.Interface())
	case !isFunction(v.Type(), 1):
		return badPart("resource %q is of type %s, not func(context.Context) (T, error)", name, v.Type())
	case v.IsNil():
		return Computed[any](name, description, nil)
	}
	return Computed(name, description, func(ctx context.Context) (any, error) { return callFunction(ctx, v) })
}
