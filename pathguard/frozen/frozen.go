package frozen

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/resolve"
)

// A Frozen is a plan without its files, with what else its verdict depended on but the policy.
type Frozen struct {
	Plan    *resolve.Plan
	Answers resolve.Answers
	Undo    Undo
	Call    resolve.Call
	Lines   bool   // it was a shell that asks again about each of its lines
	Rules   string // the configuration in its workspace
	// a credential in it is hidden: its words, and what they name, are not those that were judged
	Hidden bool
	// a person had accepted what those rules allow
	Accepted bool

	// Programs are the policy's own entries about programs, as text: the commands were read with
	// them.
	Programs string

	unanswered *bool
}

// Undo is what undo could do for the run, apart from what the policy says.
type Undo struct {
	Not     string // why it keeps nothing; "" if it could
	Session bool   // the run was a session
	Quota   int64  // for which it was looked whether there is room
}

// Max bounds a frozen plan, in bytes. Larger ones are not kept.
const Max = 256 << 10

// ErrOther is returned for a plan that was written by a version with other fields.
var ErrOther = errors.New("another version of tada-run wrote the plan")

// head is the first line of a frozen plan of this version. Its digits are those of [fieldsSum],
// which every start would have to compute: a test compares them.
const head = "tada-plan/1 fd2af1b04d17e029\n"

// Freeze returns the bytes of a plan. Each text is passed through tell, which hides what must not
// be stored; nil hides nothing.
func Freeze(f Frozen, tell func(string) string) []byte {
	f.Plan = bare(f.Plan, true)
	e := encoder{out: make([]byte, 0, 4096), texts: map[string]uint64{}, tell: tell}
	e.out = append(e.out, head...)
	e.value(reflect.ValueOf(f))
	return e.out
}

// bare is a copy of a plan without what is not stored.
func bare(p *resolve.Plan, outer bool) *resolve.Plan {
	q, s := *p, *p.Script
	s.Argv = nil
	q.Script = &s
	q.Caller.Env, q.Caller.Undo = nil, resolve.Kept{}
	if outer {
		q.Caller.Env = repositories(p.Caller.Env)
	} else {
		s.Text, s.Canonical, q.Caller, q.Workspace, q.Dir = "", "", resolve.Caller{}, "", ""
	}
	self := p.Caller.Self
	q.Targets = own(p.Targets, func(t *resolve.Target) { t.WithoutInodes(self) })
	q.Programs = own(p.Programs, func(g *resolve.Program) {
		g.Bound = resolve.Bound{ID: g.ID, Size: g.Size}
		g.WithoutInode(self)
	})
	q.Contents = own(p.Contents, func(c *resolve.Content) { c.ModTime = 0 })
	q.Inner = own(p.Inner, func(in *resolve.Inner) { in.Plan = bare(in.Plan, false) })
	return &q
}

// own is a copy of a list in which elements may be changed.
func own[T any](list []T, change func(*T)) []T {
	list = slices.Clone(list)
	for i := range list {
		change(&list[i])
	}
	return list
}

// repositories are the variables that tell git of a repository, without their values: that there is
// one is what matters.
func repositories(env map[string]string) map[string]string {
	var names map[string]string
	for name := range env {
		if strings.HasPrefix(name, "GIT_") {
			if names == nil {
				names = map[string]string{}
			}
			names[name] = ""
		}
	}
	return names
}

// Thaw reads what [Freeze] wrote. The error is [ErrOther], or says that the bytes are damaged.
func Thaw(b []byte) (*Frozen, error) {
	line, body, ok := bytes.Cut(b, []byte("\n"))
	switch {
	case !ok || !bytes.HasPrefix(line, []byte("tada-plan/")):
		return nil, errDamaged
	case string(line)+"\n" != head:
		return nil, ErrOther
	case len(b) > Max:
		return nil, errDamaged
	}
	f := &Frozen{unanswered: new(bool)}
	d := decoder{in: body, left: len(body)}
	d.value(reflect.ValueOf(f).Elem())
	if err := d.whole(); err != nil {
		return nil, err
	}
	if !whole(f.Plan) {
		return nil, errDamaged
	}
	f.Plan.Repeat(f.Answers, f.unanswered)
	return f, nil
}

// Kept fits what undo keeps, under some policy, to the plan. Whether there was room was asked for
// one quota alone: what fits there fits into a larger one.
func (f *Frozen) Kept(k resolve.Kept) resolve.Kept {
	if k.Unsure == nil {
		return k
	}
	answers := f.Answers
	if u := answers.Unsure; u != nil && k.Room != f.Undo.Quota &&
		(*u != "" || k.Room < f.Undo.Quota) {
		answers.Unsure = nil
	}
	k.Unsure = answers.Certain(f.unanswered)
	return k
}

// Unanswered reports whether a judgement since [Thaw], or since the last call, asked what nobody
// had asked when the plan was made. Its verdict then means nothing.
func (f *Frozen) Unanswered() bool {
	was := *f.unanswered
	*f.unanswered = false
	return was
}
