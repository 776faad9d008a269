package client

// A prompt of a server is used like a command: the person names it, with its arguments, and
// its text takes the place of the person's. What it says is from the server, so it loads no
// skills.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/printable"
	"skills/internal/script"
	"skills/internal/suggest"
)

const maxPrompts = 500 // that are looked through for a name

// IsPrompt splits text that begins with /SERVER:PROMPT, where SERVER is a server of the run.
func (c *Client) IsPrompt(text string) (server, prompt, rest string, ok bool) {
	text, slash := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), "/")
	word := text
	if end := strings.IndexAny(text, " \t\r\n"); end >= 0 {
		word, rest = text[:end], strings.TrimSpace(text[end:])
	}
	server, prompt, found := strings.Cut(word, ":")
	known := slices.ContainsFunc(c.servers, func(s *connection) bool { return s.Name == server })
	return server, prompt, rest, slash && found && prompt != "" && known
}

// Prompt returns a prompt of a server as text. rest is what the user wrote after its name:
// its arguments, as name=value or in their order, and then text.
func (c *Client) Prompt(ctx context.Context, server, name, rest string) (string, error) {
	i := slices.IndexFunc(c.servers, func(s *connection) bool { return s.Name == server })
	if i < 0 || c.servers[i].session == nil {
		return "", fmt.Errorf("the MCP server %s is not available", server)
	}
	s := c.servers[i]
	text := ""
	err := s.within(ctx, func(ctx context.Context) error {
		found, names, err := s.findPrompt(ctx, name)
		switch {
		case err != nil:
			return err
		case found == nil && len(names) == 0:
			return errors.New("it has no prompts")
		case found == nil:
			return fmt.Errorf("it has no prompt %s: %s", printable.Quote(name), suggest.Hint(name, names, ""))
		}
		arguments, after, err := promptArguments(found.Arguments, rest)
		if err != nil {
			return err
		}
		got, err := s.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: arguments})
		if err != nil {
			return err
		}
		text, err = s.promptText(got.Messages)
		if after != "" {
			text += "\n\n" + after
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("the MCP server %s: %w", server, err)
	}
	return text, nil
}

// findPrompt returns a prompt by its name, or else the names of all.
func (c *connection) findPrompt(ctx context.Context, name string) (*mcp.Prompt, []string, error) {
	var names []string
	for p, err := range c.session.Prompts(ctx, nil) {
		switch {
		case err != nil:
			return nil, nil, err
		case p == nil:
			continue
		case p.Name == name:
			return p, nil, nil
		case len(names) == maxPrompts:
			return nil, names, nil
		}
		names = append(names, oneLine(p.Name))
	}
	return nil, names, nil
}

// promptArguments reads the arguments of a prompt: words of the form name=value, and other
// words in the order of the arguments. The last argument gets all that is left.
func promptArguments(declared []*mcp.PromptArgument, text string) (arguments map[string]string, after string, err error) {
	arguments = map[string]string{}
	declared = slices.DeleteFunc(slices.Clone(declared), func(a *mcp.PromptArgument) bool { return a == nil })
	open := func() []*mcp.PromptArgument {
		return slices.DeleteFunc(slices.Clone(declared), func(a *mcp.PromptArgument) bool { _, given := arguments[a.Name]; return given })
	}
	for text != "" && len(open()) > 0 {
		word, rest, err := cutWord(text)
		if err != nil {
			return nil, "", err
		}
		name, value, named := strings.Cut(word, "=")
		named = named && slices.ContainsFunc(open(), func(a *mcp.PromptArgument) bool { return a.Name == name })
		switch left := open(); {
		case named:
			arguments[name], text = value, rest
		case len(left) == 1 && rest != "":
			arguments[left[0].Name], text = text, ""
		default:
			arguments[left[0].Name], text = word, rest
		}
	}
	for _, a := range open() {
		if a.Required {
			return nil, "", fmt.Errorf("the prompt needs the argument %s; write it after the prompt as %[1]s=VALUE", oneLine(a.Name))
		}
	}
	return arguments, text, nil
}

// cutWord splits off the first word; quotes keep blanks in it.
func cutWord(text string) (word, rest string, err error) {
	quote := rune(0)
	var b strings.Builder
	for i, r := range text {
		switch {
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case r == quote:
			quote = 0
		case quote == 0 && strings.ContainsRune(" \t\r\n", r):
			return b.String(), strings.TrimSpace(text[i:]), nil
		default:
			b.WriteRune(r)
		}
	}
	if quote != 0 {
		return "", "", fmt.Errorf("the quote %c has no end", quote)
	}
	return b.String(), "", nil
}

// promptText returns the messages of a prompt as one text, with their roles if there are
// several.
func (c *connection) promptText(messages []*mcp.PromptMessage) (string, error) {
	messages = slices.DeleteFunc(messages, func(m *mcp.PromptMessage) bool { return m == nil || m.Content == nil })
	others := slices.ContainsFunc(messages, func(m *mcp.PromptMessage) bool { return m.Role != "user" })
	var parts []string
	for _, m := range messages {
		part := c.describe(m.Content)
		if others {
			part = oneLine(string(m.Role)) + ": " + part
		}
		parts = append(parts, part)
	}
	text, _ := bounded(strings.Join(parts, "\n\n"), script.DefaultOutputLimit)
	if strings.TrimSpace(text) == "" {
		return "", errors.New("the prompt is empty")
	}
	return c.opt.Mask(text), nil
}
