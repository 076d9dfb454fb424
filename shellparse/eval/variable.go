package eval

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// A variable is a name of the shell with its value.
type variable struct {
	attributes
	val    value
	list   []value // of an indexed array; nil for a scalar
	hash   []pair  // of an associative array, in the order of assignment
	isHash bool
	isList bool
	set    bool
	fn     *syntax.FuncDecl
}

// attributes are what declare gives to a name.
type attributes struct {
	exported bool
	integer  bool
	ref      bool // declare -n
	fixed    bool // readonly: what assigns it fails
	odd      bool // an attribute that is not followed changes what is assigned
}

type pair struct {
	key string
	val value
}

func (v variable) with(attr variable) variable {
	v.exported = v.exported || attr.exported
	v.fixed = v.fixed || attr.fixed
	v.ref = v.ref || attr.ref
	v.integer = v.integer || attr.integer
	v.isHash = v.isHash || attr.isHash
	v.isList = (v.isList || attr.isList) && !v.isHash
	return v
}

// alone are the elements of a name with one value. Where unknown text ran, it may have been an
// array before the assignment, and the others are still there.
func (v variable) alone(open bool) []value {
	list := []value{v.val.listed()}
	if open && v.val.whole() {
		list = append(list, unknown("an element that unknown text has set", Unknown).maybeMany())
	}
	return list
}

// inOrder is an element among all those of an array: which one is where in an
// associative one depends on the version of bash.
func (v variable) inOrder(element value) value {
	if v.isHash && len(v.hash) > 1 {
		return unknown("an associative array has no order", element.from())
	}
	return element
}

func (v variable) at(key string) (value, bool) {
	for _, kv := range v.hash {
		if kv.key == key {
			return kv.val, true
		}
	}
	return nil, false
}

// vague is an array of which one element is not known, or where it is. What is assigned
// to it later changes one of its elements and says nothing of the others.
func (v variable) vague(why string) variable {
	v.odd = v.odd || v.isHash // the subscripts are no numbers
	v.val, v.hash, v.isHash = nil, nil, false
	v.list, v.isList, v.set = []value{unknown(why, Unknown).maybeMany()}, true, true
	return v
}

// holding is a name with a value and nothing else.
func holding(val value) variable { return variable{val: val, set: true} }

// environmental is a name that came from the environment, or goes there.
func environmental(val value) variable {
	return variable{val: val, set: true, attributes: attributes{exported: true}}
}

// unknownIFS is IFS where some unknown name may have been it.
func unknownIFS() variable { return holding(unknown("IFS is not known", Unknown)) }

// values are all that a name holds: one value, or those of its elements.
func (v variable) values() []value {
	all := append([]value{v.val}, v.list...)
	for _, p := range v.hash {
		all = append(all, p.val)
	}
	return all
}

// numeric reports whether a variable certainly holds a number.
func (v variable) numeric() bool { return v.set && !v.isList && !v.isHash && v.val.numeric() }

func (v variable) equal(o variable) bool {
	return v.set == o.set && v.fn == o.fn && v.attributes == o.attributes && v.isList == o.isList &&
		v.isHash == o.isHash && slices.Equal(v.val, o.val) &&
		slices.EqualFunc(v.list, o.list, slices.Equal[value]) &&
		slices.EqualFunc(v.hash, o.hash, func(a,
			b pair) bool {
			return a.key == b.key && slices.Equal(a.val, b.val)
		})
}

// first gives an array the value that it has where one value is asked for.
func (v variable) first() variable {
	switch {
	case v.isList && len(v.list) > 0:
		v.val = v.list[0]
	case v.isHash:
		v.val, _ = v.at("0")
	}
	return v
}

func orUnknown(text, why string) variable {
	if text == "" {
		return holding(unknown(why, Unknown))
	}
	return holding(known(text))
}
