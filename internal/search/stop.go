package search

import "strings"

// stopWords say nothing about a skill: they are grammar, or the words of any request.
var stopWords = set(`a about above after again all also am an and any anybody anyone anything are as at be because been
before being below between both but by can cannot could did do does doing done down during each either else etc ever every
few for from had has have having he her here hers him his how i if in into is it its itself just let lets like me more most
my myself no nor not now of off on once only or other our ours out over own please shall she should so some somebody someone
something still such than that the their theirs them then there these they this those through to too under until up us very
want wants was we were what when where which while who whom whose why will with without would yes yet you your yours
im ive id ill dont doesnt didnt cant wont isnt arent wasnt werent youre theyre thats whats
need needs help skill skills thing things way ways somehow got get gets getting`)

func set(text string) map[string]bool {
	found := map[string]bool{}
	for _, w := range strings.Fields(text) {
		found[w] = true
	}
	return found
}
