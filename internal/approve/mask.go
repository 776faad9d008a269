package approve

import (
	"bytes"
	"slices"

	"skills/internal/printable"
)

// Masked returns a request without the keys that mask removes from a text.
func Masked(req Request, mask func(text string) string) Request {
	a := *req.Approval
	if source := a.Source; source != nil {
		a.Source = func() (string, error) {
			text, err := source()
			return mask(text), err
		}
	}
	for _, text := range []*string{&a.Action.Owner, &a.Action.Name, &a.Action.Line, &a.Dir, &a.Note} {
		*text = mask(*text)
	}
	a.Action.Arguments = []byte(mask(string(bytes.Clone(a.Action.Arguments))))
	a.Action.Command, a.Args = printable.Map(a.Action.Command, mask), printable.Map(a.Args, mask)
	for _, list := range []*[]string{&req.NotEnforced, &req.ChangedFiles, &req.Unseen} {
		*list = printable.Map(*list, mask)
	}
	a.Preview = printable.Map(a.Preview, mask)
	a.Allowed = slices.Clone(a.Allowed)
	for i := range a.Allowed {
		a.Allowed[i].Tools = mask(a.Allowed[i].Tools)
	}
	a.Facts = slices.Clone(a.Facts)
	for i := range a.Facts {
		a.Facts[i].Value = mask(a.Facts[i].Value)
	}
	req.Approval = &a
	return req
}
