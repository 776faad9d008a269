package loader

import (
	"context"
	"errors"
	"fmt"
	"reflect"
)

// About, embedded in a struct, declares the frontmatter of a skill in its tag:
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

// FromStruct creates a skill from a struct, or a pointer to one, by its tags:
//
//   - the embedded [About] declares the frontmatter;
//   - the string field with the tag `instructions:""` holds the instructions;
//   - a field with the tag `resource:"NAME"` is a resource: a value for [Value],
//     or a func(context.Context) (T, error) for [Computed];
//   - a field with the tag `script:"NAME"` is a script: a function for
//     [Function];
//   - a blank field of type [Method] with one of these two tags and
//     `method:"METHOD"` declares an exported method as such.
//
// The linker keeps every exported method of a program that calls FromStruct, since
// methods are looked up by name: 16 MB here, so the built-in skills do not use it.
//
// `desc:"…"` describes resources and scripts. The fields of embedded structs
// count as the struct's own. Errors are those of [Inline], and tags that do not
// match their field.
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
	about        int // number of About fields
	frontmatter  Frontmatter
	instructed   string // name of the field with the instructions, or ""
	instructions string
	parts        []Part
	errs         []error
}

func (s *structSkill) errorf(format string, args ...any) {
	s.errs = append(s.errs, fmt.Errorf(format, args...))
}

// walk reads the fields of a struct and of its embedded structs.
func (s *structSkill) walk(value reflect.Value) {
	for i := range value.NumField() {
		f, v := value.Type().Field(i), value.Field(i)
		switch {
		case f.Type == reflect.TypeFor[About]():
			s.describe(f)
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			s.walk(v)
		default:
			s.field(f, v)
		}
	}
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

// field reads the tags of any other field.
func (s *structSkill) field(f reflect.StructField, v reflect.Value) {
	tag := f.Tag
	_, instructions := tag.Lookup("instructions")
	resource, isResource := tag.Lookup("resource")
	script, isScript := tag.Lookup("script")
	switch {
	case f.Type == reflect.TypeFor[Method]():
		method := tag.Get("method")
		if v = s.holder.MethodByName(method); !v.IsValid() || !isResource && !isScript {
			s.errorf("a Method with the tag %q has to be a script or a resource; %s has no exported method %q", tag, s.holder.Type(), method)
			return
		}
	case (instructions || isResource || isScript) && !f.IsExported():
		s.errorf("field %s is marked but not exported", f.Name)
		return
	}
	switch {
	case instructions && v.Kind() != reflect.String:
		s.errorf("field %s is marked as instructions but not a string", f.Name)
	case instructions && s.instructed != "":
		s.errorf("fields %s and %s are both marked as instructions", s.instructed, f.Name)
	case instructions:
		s.instructed, s.instructions = f.Name, v.String()
	case isResource:
		s.parts = append(s.parts, resourceOf(resource, tag.Get("desc"), v))
	case isScript:
		s.parts = append(s.parts, function(script, tag.Get("desc"), v))
	}
}

// resourceOf creates a resource from a value or a function.
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
