package server

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent/skills"
	"skills/internal/loader"
)

type source func() ([]*loader.Skill, error)

func (s source) Skills(context.Context) ([]*loader.Skill, error) { return s() }

// TestInternalError: an error that is not the client's has the protocol's code for it.
func TestInternalError(t *testing.T) {
	var failure error
	from := source(func() ([]*loader.Skill, error) { return nil, failure })
	provider, err := skills.New(skills.Options{Source: from})
	if err != nil {
		t.Fatal(err)
	}
	served, err := New(t.Context(), Options{Source: from, Provider: provider, Mask: func(s string) string { return s }})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := served.Connect(t.Context(), ours); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	failure = errors.New("the disk is gone")
	_, err = session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://a/SKILL.md"})
	if coded := (*jsonrpc.Error)(nil); !errors.As(err, &coded) || coded.Code != -32603 || !strings.Contains(coded.Message, "the disk is gone") {
		t.Errorf("got %#v", err)
	}
}
