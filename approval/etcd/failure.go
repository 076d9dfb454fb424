package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tada-run/tada-run/approval"
)

// A place is the name of a database, in its errors.
type place string

// errTooLong is the error for changes that do not fit.
var errTooLong = errors.New("too much for one change")

// health is the command that shows why servers do not answer.
const health = "see whether they run: etcdctl endpoint health"

func (p place) fail(err error, hint string) error {
	return &approval.FileError{Path: string(p), Err: err, Hint: hint}
}

// finals are the codes of answers that a server gave instead of doing what was asked. An answer
// that only says that it could not tell, or not now, is none.
var finals = []codes.Code{codes.InvalidArgument, codes.PermissionDenied, codes.Unauthenticated,
	codes.OutOfRange, codes.ResourceExhausted, codes.Unimplemented}

// final reports whether an error says that nothing was done and that asking again is useless.
func final(err error) bool { return slices.Contains(finals, codeOf(err)) }

func codeOf(err error) codes.Code {
	if e, ok := errors.AsType[rpctypes.EtcdError](err); ok {
		return e.Code()
	}
	return status.Code(err)
}

// away is the error of a request that was not answered in time. A caller who gave up gets the error
// of the context.
func (p place) away(ctx context.Context, last error) error {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return ctx.Err()
	}
	why, hint := approval.ErrAway, health
	if last != nil {
		hint = fmt.Sprintf("%v; %s", last, health)
	}
	if ctx.Err() != nil { // perhaps the caller's own limit: it can see that
		why = fmt.Errorf("%w: %w", approval.ErrAway, ctx.Err())
	}
	return p.fail(why, hint)
}

// explain returns what a final answer means for a person.
func (p place) explain(err error) error {
	switch code := codeOf(err); {
	case forgotten(err):
		return err // its caller reads what is there now
	case errors.Is(err, rpctypes.ErrNoSpace):
		return p.fail(approval.ErrAway, "etcd has no space left; compact and defragment it, then: "+
			"etcdctl alarm disarm")
	case code == codes.PermissionDenied || code == codes.Unauthenticated:
		return p.fail(approval.ErrMeddled, fmt.Sprintf("%v; give this machine's user the right "+
			"readwrite for its prefix: etcdctl role grant-permission", err))
	default:
		return p.fail(approval.ErrAway, fmt.Sprintf("%v; %s", err, health))
	}
}

// forgotten reports whether a read failed because its revision was compacted in the meantime.
func forgotten(err error) bool { return errors.Is(err, rpctypes.ErrCompacted) }

// corrupt is the error for values that are not what this store has written.
func (p place) corrupt(format string, args ...any) error {
	return p.fail(approval.ErrCorrupt, fmt.Sprintf(format, args...)+
		"; restore the prefix, or rebuild it from the record: tadactl approvals rebuild")
}

// behind is the error for an older copy that was put back.
func (p place) behind(what string) error {
	return p.fail(approval.ErrBehind, what+
		"; restore the prefix, or rebuild it from the record: tadactl approvals rebuild")
}

// unsure is the error for a commit of which no one knows whether it was stored.
func (p place) unsure(sent, asked error) error {
	return p.fail(approval.ErrUnsure, fmt.Sprintf("%v, and then %v; look whether the question is "+
		"still open, then ask again", cmp.Or(sent, errNoAnswer), asked))
}

var errNoAnswer = errors.New("no answer")
