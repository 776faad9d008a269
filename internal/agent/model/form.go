package model

import "context"

// Form is how a request offers its tools, and how a reply contains calls. The conversation
// itself, sessions and recordings always have calls and results of the protocol: a form
// converts them on their way to the server and back.
type Form interface {
	// Encode returns the request as it is sent.
	Encode(Request) Request
	// Decode returns a reply with its calls. If the reply was meant as a call but is none,
	// fault says why, in sentences for the model, and the reply is unchanged.
	Decode(Reply) (decoded Reply, fault string)
	// Stream returns what receives the text of a reply while it arrives. It calls show with
	// what belongs to an answer.
	Stream(show func(text string)) Stream
}

// Stream receives the pieces of a streamed text, and at the end the text of the decoded
// reply.
type Stream interface {
	Write(piece string)
	End(text string)
}

// encoded returns the request as it is sent.
func (r Request) encoded() Request {
	if r.Form == nil {
		return r
	}
	return r.Form.Encode(r)
}

// Decoded returns a reply to the request of a context as the conversation has it.
func Decoded(ctx context.Context, reply Reply) Reply {
	r, ok := ctx.Value(requestKey{}).(Request)
	if ok && r.Form != nil {
		reply, _ = r.Form.Decode(reply)
	}
	return reply
}
