package launcher

// Judged is what the record has of a judgement besides its verdict, so that another policy can be
// tried on it.
type Judged struct {
	plan   string // its name in the record; "" if it is not kept
	policy string // the digest
	dir    string
	rules  []string
	shadow object // nil if no shadow policy is tried
}

// Judged stores the plan of what was judged, and returns what an entry says of it. It is for calls
// of which the record has no run.
func (l *Launcher) Judged(j *Judgement) (*Judged, error) {
	plan, err := l.storePlan(j)
	if err != nil {
		return nil, err
	}
	return &Judged{plan: plan, policy: j.policy.Digest(), dir: j.Plan.Dir,
		rules:  rulesOf(j.Verdict),
		shadow: l.shadowed(j)}, nil
}

// in adds it to the body of an entry.
func (d *Judged) in(body object) {
	if d == nil {
		return
	}
	body["plan"], body["policy"], body["cwd"], body["rules"] = d.plan, d.policy, d.dir, d.rules
	if d.shadow != nil {
		body["shadow"] = d.shadow
	}
}
