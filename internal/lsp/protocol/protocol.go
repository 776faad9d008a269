// Package protocol is the part of the Language Server Protocol 3.17 that the server speaks:
// its messages as structs, their frames, and positions in texts.
package protocol

import "encoding/json"

// Codes of errors that JSON-RPC itself does not have.
const (
	CodeNotInitialized = -32002
	CodeCancelled      = -32800
	CodeRequestFailed  = -32803
)

// Position is a place in a text, from 0. The unit of Character depends on the encoding.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is a part of a text; End is just past its last character.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a range in a file.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// Folder is a folder of the workspace.
type Folder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// InitializeParams are the parameters of initialize.
type InitializeParams struct {
	ProcessID    *int               `json:"processId"`
	RootURI      string             `json:"rootUri"`
	RootPath     string             `json:"rootPath"`
	Folders      []Folder           `json:"workspaceFolders"`
	Capabilities ClientCapabilities `json:"capabilities"`
	Options      json.RawMessage    `json:"initializationOptions"`
}

// ClientCapabilities are what the server uses of a client.
type ClientCapabilities struct {
	General struct {
		PositionEncodings []Encoding `json:"positionEncodings"`
	} `json:"general"`
	Workspace struct {
		Configuration    bool `json:"configuration"`
		WorkspaceFolders bool `json:"workspaceFolders"`
		WorkspaceEdit    struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
		} `json:"workspaceEdit"`
		DidChangeWatchedFiles struct {
			DynamicRegistration    bool `json:"dynamicRegistration"`
			RelativePatternSupport bool `json:"relativePatternSupport"`
		} `json:"didChangeWatchedFiles"`
		InlayHint struct {
			RefreshSupport bool `json:"refreshSupport"`
		} `json:"inlayHint"`
	} `json:"workspace"`
	Window struct {
		ShowDocument struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	TextDocument struct {
		CodeAction struct {
			Literals json.RawMessage `json:"codeActionLiteralSupport"`
		} `json:"codeAction"`
		Hover struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
		DocumentSymbol struct {
			Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
		} `json:"documentSymbol"`
	} `json:"textDocument"`
}

// InitializeResult is the result of initialize.
type InitializeResult struct {
	Capabilities map[string]any `json:"capabilities"`
	ServerInfo   ServerInfo     `json:"serverInfo"`
}

// ServerInfo names the server.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// DocumentID names a document.
type DocumentID struct {
	URI string `json:"uri"`
}

// VersionedID names a version of a document; null is that on disk.
type VersionedID struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version"`
}

// DidOpenParams are the parameters of textDocument/didOpen.
type DidOpenParams struct {
	Document struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int32  `json:"version"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

// DidChangeParams are the parameters of textDocument/didChange.
type DidChangeParams struct {
	Document VersionedID     `json:"textDocument"`
	Changes  []ContentChange `json:"contentChanges"`
}

// ContentChange is a change of a range, or of the whole text without one.
type ContentChange struct {
	Range *Range `json:"range"`
	Text  string `json:"text"`
}

// DocumentParams are the parameters of requests and notifications about a document.
type DocumentParams struct {
	Document DocumentID `json:"textDocument"`
}

// PositionParams are the parameters of requests about a place in a document.
type PositionParams struct {
	Document DocumentID `json:"textDocument"`
	Position Position   `json:"position"`
}

// WatchedFilesParams are the parameters of workspace/didChangeWatchedFiles.
type WatchedFilesParams struct {
	Changes []FileEvent `json:"changes"`
}

// FileEvent is a change of a file on disk.
type FileEvent struct {
	URI  string `json:"uri"`
	Type int    `json:"type"` // 1 created, 2 changed, 3 deleted
}

// FoldersParams are the parameters of workspace/didChangeWorkspaceFolders.
type FoldersParams struct {
	Event struct {
		Added   []Folder `json:"added"`
		Removed []Folder `json:"removed"`
	} `json:"event"`
}

// ConfigurationParams are the parameters of workspace/didChangeConfiguration.
type ConfigurationParams struct {
	Settings json.RawMessage `json:"settings"`
}

// CancelParams are the parameters of $/cancelRequest.
type CancelParams struct {
	ID json.RawMessage `json:"id"`
}

// Severity is the severity of a diagnostic.
type Severity int

// The severities.
const (
	SeverityError   Severity = 1
	SeverityWarning Severity = 2
	SeverityInfo    Severity = 3
	SeverityHint    Severity = 4
)

// Diagnostic is a finding in a document.
type Diagnostic struct {
	Range       Range            `json:"range"`
	Severity    Severity         `json:"severity"`
	Code        string           `json:"code,omitempty"`
	Description *CodeDescription `json:"codeDescription,omitempty"`
	Source      string           `json:"source"`
	Message     string           `json:"message"`
}

// CodeDescription is the page of a rule.
type CodeDescription struct {
	Href string `json:"href"`
}

// PublishParams are the parameters of textDocument/publishDiagnostics.
type PublishParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// MessageParams are the parameters of window/showMessage and window/logMessage.
type MessageParams struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}

// The types of messages.
const (
	MessageError   = 1
	MessageWarning = 2
	MessageInfo    = 3
	MessageLog     = 4
)

// Registration asks the client for notifications.
type Registration struct {
	ID      string `json:"id"`
	Method  string `json:"method"`
	Options any    `json:"registerOptions,omitempty"`
}

// RegistrationParams are the parameters of client/registerCapability.
type RegistrationParams struct {
	Registrations []Registration `json:"registrations"`
}

// Unregistration ends a registration.
type Unregistration struct {
	ID     string `json:"id"`
	Method string `json:"method"`
}

// UnregistrationParams are the parameters of client/unregisterCapability, with the name
// that the protocol gives them.
type UnregistrationParams struct {
	Unregistrations []Unregistration `json:"unregisterations"`
}

// WatchOptions are the options of a registration for watched files.
type WatchOptions struct {
	Watchers []Watcher `json:"watchers"`
}

// Watcher is a pattern of files to watch: a string or a RelativePattern.
type Watcher struct {
	Pattern any `json:"globPattern"`
}

// RelativePattern is a pattern below a folder.
type RelativePattern struct {
	Base    string `json:"baseUri"`
	Pattern string `json:"pattern"`
}
