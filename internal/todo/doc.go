// Package todo is the todo list of a run: a context provider with five tools
// that the model plans its work with, and the list as it stands, shown to the
// model at the end of every request.
//
// The list lives in the session. Names of the tools and their parameters, the
// results and the form of the list message are those of the framework's
// document on its todo provider; what is added is named where it is: titles and
// reasons may not be blank, texts have a length they may not exceed, reasons
// are kept, and IDs that could not be used are named beside the number of those
// that could. [Finish] asks a model that stops with open items to go on.
//
// The package must not know of skills, terminals or files.
package todo
