package loader

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// mark says what a field's tag marks it as: "" for nothing, several joined by
// "and".
func mark(tag reflect.StructTag) string {
	var as []string
	if _, ok := tag.Lookup("instructions"); ok {
		as = append(as, "instructions")
	}
	for _, kind := range []string{"resource", "script"} {
		if name, ok := tag.Lookup(kind); ok {
			as = append(as, fmt.Sprintf("%s %q", kind, name))
		}
	}
	return strings.Join(as, " and as ")
}

// frontmatterOf takes what the tag of an [About] says.
func (s *structSkill) frontmatterOf(f reflect.StructField) error {
	tag := f.Tag
	switch s.about++; {
	case !f.Anonymous:
		return fmt.Errorf("field %s is a loader.About that is not embedded; leave its name out", f.Name)
	case mark(tag) != "":
		return fmt.Errorf("the loader.About is marked as %s, which it cannot be", mark(tag))
	case s.about > 1:
		return errors.New("there are two loader.About; a skill has one frontmatter")
	}
	s.frontmatter = Frontmatter{
		Name: tag.Get("name"), Description: tag.Get("description"), License: tag.Get("license"),
		Compatibility: tag.Get("compatibility"), AllowedTools: tag.Get("allowed-tools"),
	}
	return nil
}

// embedded returns the struct that a field embeds, itself or by a pointer.
func embedded(f reflect.StructField) (inner reflect.Type, ok bool) {
	inner = f.Type
	if inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	return inner, f.Anonymous && inner.Kind() == reflect.Struct && inner != reflect.TypeFor[About]()
}

// marks reports whether fields of a struct, or of those that it embeds, are
// marked. within are the structs around it.
func marks(t reflect.Type, within []reflect.Type) bool {
	within = append(slices.Clip(within), t)
	for i := range t.NumField() {
		f := t.Field(i)
		if mark(f.Tag) != "" || f.Type == reflect.TypeFor[About]() || f.Type == reflect.TypeFor[Method]() {
			return true
		}
		if inner, ok := embedded(f); ok && !slices.Contains(within, inner) && marks(inner, within) {
			return true
		}
	}
	return false
}
