package eval

import "slices"

// settle drops equal states and joins the rest when they are too many.
func (w *environment) settle(ws worlds) worlds {
	if len(ws) < 2 {
		return ws
	}
	out := ws[:0:0]
next:
	for _, s := range ws {
		for _, t := range out {
			if s.ver == t.ver && s.jump == t.jump && s.levels == t.levels {
				if s.status != t.status {
					t.status = either
				}
				continue next
			}
		}
		out = append(out, s)
	}
	if len(out) > maxWorlds {
		return worlds{w.join(out)}
	}
	return out
}

// join returns one state that represents all of ws.
func (w *environment) join(ws worlds) *state {
	if len(ws) == 1 {
		return ws[0]
	}
	j := ws[0].fork()
	names := map[string]bool{}
	for _, s := range ws {
		for e := s.env; e != nil; e = e.parent {
			for n := range e.names {
				names[n] = true
			}
		}
	}
	for _, s := range ws[1:] {
		if s.dir != j.dir || s.near != j.near {
			j.dir, j.near = "", ""
		}
		if s.old != j.old {
			j.old = ""
		}
		if !slices.Equal(s.dirs, j.dirs) {
			j.dirs = nil
		}
		j.open = j.open || s.open
		j.noglob = j.noglob && s.noglob
		j.errexit = j.errexit && s.errexit
		j.nounset, j.inherit = j.nounset || s.nounset, j.inherit && s.inherit
		j.alias = j.alias || s.alias
		j.dotglob = j.dotglob || s.dotglob
		j.attrs = j.attrs || s.attrs
		j.argsOpen = j.argsOpen || s.argsOpen
		if !slices.EqualFunc(s.args, j.args, slices.Equal[value]) {
			j.args, j.argsOpen = nil, true
		}
		for _, f := range s.files {
			if !slices.ContainsFunc(j.files, func(g written) bool { return g.name == f.name }) {
				j.files = append(slices.Clip(j.files), f)
			}
		}
		if s.jump == onward || s.levels != j.levels {
			j.jump = onward
		}
		if !j.in.equal(s.in) {
			j.in = &stream{from: worse(j.in.source(), s.in.source()), why: "a part of the input"}
			if j.in.from == Literal {
				j.in.from = Unknown
			}
		}
		if !j.out.equal(s.out) {
			j.out = oneOutput(worlds{j, s})
		}
	}
	j.status = either
	w.joinNames(j, ws, names)
	w.touched(j)
	return j
}

// joinNames makes each name that is not the same in all states one whose value is not known.
func (w *environment) joinNames(j *state, ws worlds, names map[string]bool) {
	for n := range names {
		a, ok := ws[0].env.get(n)
		same, numbers, array, hash := true, true, false, false
		for _, s := range ws {
			b, okB := s.env.get(n)
			same = same && ok == okB && a.equal(b)
			numbers = numbers && b.numeric()
			array, hash = array || b.isList || b.isHash, hash || b.isHash
			a.exported, a.ref = a.exported || b.exported, a.ref || b.ref
			a.odd = a.odd || b.odd || a.integer != b.integer
		}
		if same {
			continue
		}
		a.val, a.set, a.fn, a.fixed = unknown("$"+n+" depends on what happens before", Unknown),
			true, nil, false
		switch {
		case array:
			a.isHash = hash
			a = a.vague(a.val.why())
		case numbers:
			a.val[0] = part{kind: number, why: a.val.why()}
		}
		w.restore(j, n, a)
	}
}
