package protocol

import "encoding/json"

// Markup is a text for people.
type Markup struct {
	Kind  string `json:"kind"` // plaintext or markdown
	Value string `json:"value"`
}

// Hover is the result of textDocument/hover.
type Hover struct {
	Contents Markup `json:"contents"`
}

// CodeActionParams are the parameters of textDocument/codeAction.
type CodeActionParams struct {
	Document DocumentID `json:"textDocument"`
	Range    Range      `json:"range"`
	Context  struct {
		Only []string `json:"only"`
	} `json:"context"`
}

// CodeAction is a change that the client offers. The edit is applied before the command
// runs.
type CodeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []Diagnostic   `json:"diagnostics,omitempty"`
	Preferred   bool           `json:"isPreferred,omitempty"`
	Edit        *WorkspaceEdit `json:"edit,omitempty"`
	Command     *Command       `json:"command,omitempty"`
}

// Command is a command of the server.
type Command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

// CommandParams are the parameters of workspace/executeCommand.
type CommandParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// TextEdit replaces a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// WorkspaceEdit changes files: by DocumentChanges, or by Changes for older clients.
type WorkspaceEdit struct {
	Changes         map[string][]TextEdit `json:"changes,omitempty"`
	DocumentChanges []any                 `json:"documentChanges,omitempty"` // TextDocumentEdit and RenameFile
}

// TextDocumentEdit changes the text of one version of a file.
type TextDocumentEdit struct {
	Document VersionedID `json:"textDocument"`
	Edits    []TextEdit  `json:"edits"`
}

// RenameFile renames a file; Kind is rename.
type RenameFile struct {
	Kind   string `json:"kind"`
	OldURI string `json:"oldUri"`
	NewURI string `json:"newUri"`
}

// RenameParams are the parameters of textDocument/rename.
type RenameParams struct {
	PositionParams
	NewName string `json:"newName"`
}

// PreparedRename is the result of textDocument/prepareRename.
type PreparedRename struct {
	Range       Range  `json:"range"`
	Placeholder string `json:"placeholder"`
}

// RenameFilesParams are the parameters of workspace/willRenameFiles.
type RenameFilesParams struct {
	Files []struct {
		OldURI string `json:"oldUri"`
		NewURI string `json:"newUri"`
	} `json:"files"`
}

// CompletionItem is something that can be written.
type CompletionItem struct {
	Label         string    `json:"label"`
	Kind          int       `json:"kind"`
	Detail        string    `json:"detail,omitempty"`
	Documentation *Markup   `json:"documentation,omitempty"`
	Sort          string    `json:"sortText,omitempty"`
	Filter        string    `json:"filterText,omitempty"`
	Edit          *TextEdit `json:"textEdit,omitempty"`
}

// Symbol is a part of a document.
type Symbol struct {
	Name      string    `json:"name"`
	Detail    string    `json:"detail,omitempty"`
	Kind      int       `json:"kind"`
	Range     Range     `json:"range"`
	Selection Range     `json:"selectionRange"`
	Nested    []*Symbol `json:"children,omitempty"`
}

// FlatSymbol is a symbol for clients without hierarchies.
type FlatSymbol struct {
	Name     string   `json:"name"`
	Kind     int      `json:"kind"`
	Location Location `json:"location"`
}

// RangeParams are the parameters of requests about a part of a document.
type RangeParams struct {
	Document DocumentID `json:"textDocument"`
	Range    Range      `json:"range"`
}

// InlayHint is a text that the client shows within a line.
type InlayHint struct {
	Position    Position `json:"position"`
	Label       string   `json:"label"`
	Tooltip     *Markup  `json:"tooltip,omitempty"`
	PaddingLeft bool     `json:"paddingLeft"`
}
