package network

import (
	"context"
	"errors"
)

// Answer returns the answer to one DNS message of the child, or nil when there is none to give, and
// in v what was refused, for the record.
func (g *Gate) Answer(ctx context.Context, message []byte) (reply []byte, v Verdict) {
	v.OK = true
	q, err := parseQuestion(message)
	switch {
	case err == errMessage:
		return nil, v
	case q.flags&opcodeMask != 0:
		q.raw = nil
		return answerTo(q, codeNotImplemented, nil, false), v
	case err != nil:
		return answerTo(q, codeFormat, nil, false), v
	case q.class != classIN:
		return answerTo(q, codeRefused, nil, true), v
	}
	if q.name == "localhost" { // RFC 6761 §6.3: never looked up
		return answerTo(q, codeOK, loopbacks(), false), v
	}
	address := q.kind == typeA || q.kind == typeAAAA
	if v = g.Name(q.name); !v.OK {
		switch addrs := g.stand(q.name); {
		case addrs != nil && address:
			return answerTo(q, codeOK, addrs, false), Verdict{OK: true}
		case addrs != nil && (q.kind == typeSVCB || q.kind == typeHTTPS):
			return answerTo(q, codeOK, nil, false), Verdict{OK: true} // asked beside the addresses
		}
		if !address {
			v.Fix = "" // no rule gives it what it asks for
		}
		return answerTo(q, codeNoName, nil, true), v
	}
	if !address {
		return answerTo(q, codeOK, nil, false), v // the name is there, and has nothing of this kind
	}
	addrs, v, err := g.Lookup(ctx, q.name)
	switch {
	case errors.Is(err, ErrNoName):
		return answerTo(q, codeNoName, nil, false), v
	case err != nil:
		return answerTo(q, codeServer, nil, false), v
	}
	return answerTo(q, codeOK, addrs, !v.OK), v
}
