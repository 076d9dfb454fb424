package wrapper

import "strings"

// keeping follows how a text saves variables and sets them again, and collects the statements that
// only do that.
//
// Such statements are passed over when a text is followed, so each must leave every variable as the
// text before it has left it. That holds while the text has done nothing but housekeeping, and
// where each variable gets back its own value: what was saved of one and given to another, or saved
// behind an assignment, is a way to bring in any text.
type keeping struct {
	mark string // what the names of the variables begin with in which others are saved

	top  []span
	only []bool

	over  bool              // something else was there
	flag  map[string]string // the variable whose being set another one records
	saved map[string]string // the variable whose value another one has
}

// check returns the role of a piece, none if the piece does not keep what its line says it keeps.
func (k *keeping) check(p *piece, r role) role {
	if r == none || r == carries {
		k.over = true
		return r
	}
	if r.isKeep() && (k.over || !k.keeps(p, r)) {
		k.over = true
		return none
	}
	return r
}

func (k *keeping) keeps(p *piece, r role) bool {
	if k.flag == nil {
		k.flag, k.saved = map[string]string{}, map[string]string{}
	}
	always := p.span == p.top
	switch r {
	case flags:
		k.flag[p.mark] = p.kept
		delete(k.saved, p.mark)
		return always
	case saves:
		k.saved[p.mark] = p.kept
		delete(k.flag, p.mark)
		return always
	case restores:
		return k.under(p, true) && (p.mark == "" || k.saved[p.mark] == p.kept)
	case drops:
		return k.under(p, false)
	case forgets:
		for _, name := range p.words[1:] {
			delete(k.flag, strings.TrimPrefix(name, k.mark))
			delete(k.saved, strings.TrimPrefix(name, k.mark))
		}
	}
	return true
}

// maxUnder is how far up the condition of a piece is looked for.
const maxUnder = 3

// under reports whether a piece is only reached where its variable was set, or was not set, when
// that was last looked at.
func (k *keeping) under(p *piece, set bool) bool {
	for b, n := p.under, 0; b != nil && n < maxUnder; b, n = b.up, n+1 {
		test, ok := strings.CutPrefix(b.test, "["+between+"-n"+between+expansion+k.mark)
		mark, whole := strings.CutSuffix(test, between+"]")
		if ok && whole && k.flag[mark] == p.kept && p.kept != "" {
			return b.then == set
		}
	}
	return false
}

func (k *keeping) add(top span, only bool) {
	if n := len(k.top); n > 0 && k.top[n-1] == top {
		k.only[n-1] = k.only[n-1] && only
		return
	}
	k.top, k.only = append(k.top, top), append(k.only, only)
}

func (k *keeping) all() (list [][2]int) {
	for i, top := range k.top {
		if k.only[i] {
			list = append(list, [2]int{top.start, top.end})
		}
	}
	return list
}
