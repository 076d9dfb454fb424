package pathguard

import "slices"

// gateRule is what makes an interactive shell a question: its input cannot be known in advance.
const gateRule = "code.stdin"

// LineByLine is the verdict on a shell that asks about each line before it runs it: that its input
// cannot be seen now is no reason any more.
func (v Verdict) LineByLine() Verdict {
	v.Reasons = slices.DeleteFunc(slices.Clone(v.Reasons),
		func(r Reason) bool { return r.Rule == gateRule })
	v.Risk, v.Contained = 0, true
	decision := Allow
	for _, r := range v.Reasons { // the strictest is first
		v.Risk = max(v.Risk, r.Risk)
		if decision == Allow {
			decision = r.Decision
		}
	}
	if v.Decision != Deny {
		v.Decision = decision
	}
	return v
}
