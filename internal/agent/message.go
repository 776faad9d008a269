package agent

import "skills/internal/agent/model"

// The conversation is made of the model's own types.
type (
	Message  = model.Message
	ToolCall = model.ToolCall
	Usage    = model.Usage
	Role     = model.Role
	Source   = model.Source

	// Request is one request to the model.
	Request = model.Request
	// RequestTool is a tool as a request offers it.
	RequestTool = model.Tool
	// Server says where a chat-completions server is and how to talk to it.
	Server = model.Server
	// Error is a failure of the server or of the way to it.
	Error = model.Error
)

// The roles and sources of messages.
const (
	System    = model.System
	User      = model.User
	Assistant = model.Assistant
	ToolRole  = model.ToolRole

	FromUser    = model.FromUser
	FromContext = model.FromContext
	FromHistory = model.FromHistory
	FromModel   = model.FromModel
	FromTool    = model.FromTool
)
