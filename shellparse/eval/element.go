package eval

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// list returns the elements when p represents several.
func (w *parameters) list(s *state, p *syntax.ParamExp) ([]value, bool) {
	if !isAt(p) && !isStar(p) || p.Names != 0 {
		return nil, false
	}
	if p.Excl {
		return w.keys(s, p), true
	}
	if name := p.Param.Value; name == "@" || name == "*" {
		return s.all(), true
	}
	v, ok := w.lookup(s, p.Param.Value)
	switch {
	case !ok:
		return nil, true
	case v.isList:
		return v.list, true
	case v.isHash:
		var out []value
		for _, kv := range v.hash {
			out = append(out, v.inOrder(kv.val))
		}
		return out, true
	}
	return v.alone(s.open), true
}

// keys are the subscripts of ${!a[@]}, or what a name that is given as a value holds.
func (w *parameters) keys(s *state, p *syntax.ParamExp) []value {
	v, ok := w.lookup(s, p.Param.Value)
	var out []value
	switch {
	case p.Param.Value == "@" || p.Param.Value == "*":
		w.mayFail(s, leaving)
		return []value{unknown("it is the value of a name that is not known", Unknown).maybeMany()}
	case !ok:
		return nil
	case p.Index != nil && v.isHash:
		for _, kv := range v.hash {
			out = append(out, v.inOrder(known(kv.key)))
		}
		return out
	case p.Index != nil && v.isList:
		for i := range certain(v.list) {
			out = append(out, known(strconv.Itoa(i)))
		}
		if len(out) < len(v.list) {
			out = append(out, unknown("how many elements $"+p.Param.Value+" has",
				Unknown).maybeMany())
		}
		return out
	}
	return []value{unknown("it is the value of a name that is not known", v.val.from())}
}

// indirect returns the value of ${!x}.
func (w *parameters) indirect(s *state, name value) (value, bool) {
	text, ok := name.text()
	if !ok {
		w.mayFail(s, leaving)
		return unknown("it is the value of a name that is not known", Unknown), true
	}
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return s.positional(n)
	}
	if !syntax.ValidName(text) {
		w.mayFail(s, leaving)
		w.second(s, text)
		return unknown("it is the value of "+strconv.Quote(text), Unknown), true
	}
	v, ok := w.lookup(s, text)
	if ok && (v.isList || v.isHash) {
		return unknown("it is an array", Unknown), true
	}
	return v.val, ok
}

// element returns ${a[i]}.
func (w *parameters) element(s *state, v variable, ok bool, p *syntax.ParamExp) (value, bool) {
	sub, _ := subscript(p.Index)
	if v.isHash && p.Length && (sub == "@" || sub == "*") {
		return known(strings.Repeat("x", len(v.hash))), true
	}
	if v.isHash {
		key, fine := w.key(s, p.Index)
		if !fine || key == "" {
			return unknown("which element is not known", Unknown), true
		}
		return v.at(key)
	}
	if p.Length && (sub == "@" || sub == "*") {
		switch {
		case v.isList && certain(v.list) == len(v.list):
			return known(strings.Repeat("x", len(v.list))), true
		case !ok:
			return known(""), true
		case !v.isList && v.val.whole():
			return known("x"), true
		}
		return value{{kind: number}}, true
	}
	n, fine := w.number(s, p.Index)
	switch {
	case !fine:
		return unknown("which element is not known", v.val.from()), true
	case !ok:
		return nil, false
	case !v.isList && n != 0 && s.open:
		return unknown("an element that unknown text has set", Unknown), true
	case !v.isList && n != 0 && !v.val.whole(): // where it is not known it may be a whole array
		return unknown("an element of what may be no array", v.val.from()), true
	case !v.isList && n == 0:
		return v.val, true
	case certain(v.list) < len(v.list) && (n < 0 || n >= int64(certain(v.list))):
		return unknown("which element is not known", Unknown), true
	}
	if n < 0 {
		n += int64(len(v.list))
	}
	if n >= 0 && n < int64(len(v.list)) {
		return v.list[n], true
	}
	return nil, false
}

// key returns the subscript of an associative array.
func (w *parameters) key(s *state, x syntax.ArithmExpr) (string, bool) {
	word, ok := x.(*syntax.Word)
	if !ok {
		w.arithmetic(s, x)
		return "", false
	}
	return w.single(s, word).text()
}

// unsetElement is unset NAME[SUBSCRIPT].
func (w *parameters) unsetElement(s *state, text string) {
	name, sub, _ := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	v, ok := w.lookup(s, name)
	if !ok {
		return
	}
	if !v.isHash || sub == "" || strings.IndexByte(`@*$'"\`+"`", sub[0]) >= 0 {
		w.hidden(s, v, nil)
		w.hole(s, name, v)
		return
	}
	v.hash = slices.DeleteFunc(slices.Clone(v.hash), func(p pair) bool { return p.key == sub })
	w.put(s, name, v)
}
