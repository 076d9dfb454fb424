package pathguard

import (
	"slices"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// verdict sorts the reasons, drops duplicates, and takes the strictest.
func (j *judgement) verdict() Verdict {
	slices.SortStableFunc(j.reasons, func(a, b Reason) int {
		switch {
		case a.Decision != b.Decision:
			return int(a.Decision) - int(b.Decision)
		case a.Risk != b.Risk:
			return b.Risk - a.Risk
		}
		return a.Span.Start - b.Span.Start
	})
	v := Verdict{Decision: j.strictest(), Class: j.class(), Contained: j.contained,
		Standing: j.standing()}
	if len(j.reasons) == 0 {
		return v
	}
	type key struct {
		rule, path, message, file string
		span                      shellparse.Span
	}
	seen := make(map[key]bool, len(j.reasons))
	for _, r := range j.reasons {
		k := key{r.Rule, r.Path, r.Message, r.File, r.Span}
		if seen[k] {
			continue
		}
		seen[k] = true
		if r.File != "" && slices.ContainsFunc(j.reasons, func(o Reason) bool {
			return o.File == "" && o.Rule == r.Rule && o.Path == r.Path && o.Command == r.Command &&
				o.detail == r.detail
		}) {
			continue // the text of a file that the line writes itself
		}
		v.Risk = max(v.Risk, r.Risk)
		v.Reasons = append(v.Reasons, r)
	}
	v.Reasons = fold(v.Reasons)
	return v
}

// maxAlike is how many names one rule lists for one place of the text. The rest is a number: a
// reader of three matches of a pattern knows the pattern.
const maxAlike = 3

// fold counts what is more of the same.
func fold(reasons []Reason) []Reason {
	type key struct {
		rule, file string
		decision   Decision
		span       shellparse.Span
	}
	at := map[key][]int{}
	out := reasons[:0]
	for _, r := range reasons {
		k := key{r.Rule, r.File, r.Decision, r.Span}
		if same := at[k]; len(same) == maxAlike {
			last := &out[same[maxAlike-1]]
			last.More++
			last.Message = last.In(English)
			continue
		}
		at[k] = append(at[k], len(out))
		out = append(out, r)
	}
	return out
}

// class is read_only when every command is known to change nothing and every name is only
// read. An unknown program is side_effecting.
func (j *judgement) class() Class {
	s := j.script
	if s.Err != nil || len(s.Commands) == 0 {
		return SideEffecting
	}
	for _, c := range s.Commands {
		if !c.ReadOnly || !c.Known && !c.Builtin {
			return SideEffecting
		}
	}
	for i := range s.Effects {
		if e := &s.Effects[i]; e.Right != command.Read && !j.harmless(i) {
			return SideEffecting
		}
	}
	for _, o := range s.Opaque {
		if o.Place < shellparse.InOption {
			return SideEffecting
		}
	}
	for _, c := range s.Codes {
		if c.Source != shellparse.Literal {
			return SideEffecting
		}
	}
	return ReadOnly
}
