package eval

import (
	"maps"
	"slices"
	"strings"
)

// A scope is a layer of names over its parent. Layers make a fork cheap: a subshell
// costs nothing until one side assigns.
type scope struct {
	parent *scope
	names  map[string]variable
	depth  int
}

// exported returns the names that a new program is given.
func (e *scope) exported() *scope {
	if e == nil {
		return nil
	}
	names := e.flat()
	for n, v := range names {
		if !v.exported || v.isList || v.isHash {
			if v.fn != nil && !v.exported {
				delete(names, n)
				continue
			}
			if v.fn == nil {
				names[n] = variable{}
			}
		} else if v.fixed {
			v.fixed = false // it is not inherited
			names[n] = v
		}
	}
	return &scope{names: names}
}

// maxLayers bounds how many layers a look-up goes through before they are made one.
const maxLayers = 12

// maxNames bounds the names of one script, so that flattening layers stays cheap.
const maxNames = 1024

func (e *scope) get(name string) (variable, bool) {
	for ; e != nil; e = e.parent {
		if v, ok := e.names[name]; ok {
			return v, true
		}
	}
	return variable{}, false
}

func (e *scope) has(name string) bool {
	_, ok := e.get(name)
	return ok
}

// passesOn reports whether a program is given a name that was assigned, beside where it runs.
func (e *scope) passesOn() bool {
	for ; e != nil; e = e.parent {
		for name, v := range e.names {
			if v.exported && name != "PWD" && name != "OLDPWD" {
				return true
			}
		}
	}
	return false
}

func (e *scope) flat() map[string]variable {
	var layers []*scope
	for ; e != nil; e = e.parent {
		layers = append(layers, e)
	}
	all := map[string]variable{}
	for _, l := range slices.Backward(layers) {
		maps.Copy(all, l.names)
	}
	return all
}

// blurred returns the names of a scope with values that are not known.
func (e *scope) blurred() *scope {
	if e == nil {
		return nil
	}
	names := e.flat()
	for n, v := range names {
		if v.fn == nil && !strings.HasPrefix(n, kept) {
			names[n] = holding(unknown("the value of $"+n+" at that moment is not known", Unknown))
		}
	}
	return &scope{names: names}
}

// onlyFunctions returns the functions of a scope.
func onlyFunctions(e *scope) *scope {
	if e == nil {
		return nil
	}
	names := e.flat()
	for n, v := range names {
		if v.fn == nil {
			delete(names, n)
		}
	}
	return &scope{names: names}
}

// kept is the prefix of the names, in the code of a trap, that hold the values that were put into
// the code when the trap was set.
const kept = "__tada_kept_"
