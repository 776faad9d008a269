package textcalls

import "testing"

func TestDescribed(t *testing.T) {
	tools := Tools{{Name: "load_skill", Required: []string{"skillName"}, Aliases: []string{"units"}}, {Name: "read", Required: []string{"skillName", "resourceName"}, Optional: []string{"offset"}}}
	for text, want := range map[string]bool{
		"1. Read it:\n```json\n{\"offset\": 0, \"resourceName\": \"a\", \"skillName\": \"units\"}\n```\nThe answer is 2 lb.": true,
		"I call it:\n```\nload_skill(skillName=\"units\")\n```\nDone.":                                                       true,
		"The result:\n```json\n{\"name\": \"Ana\", \"lb\": 2}\n```":                                                          false,
		"Use ```load_skill``` for that.":                                                                                     false,
		"It is 2 lb.":                                                                                                        false,
		"```":                                                                                                                false,
	} {
		if got := Described(text, tools); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
