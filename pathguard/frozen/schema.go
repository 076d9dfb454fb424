package frozen

import (
	"reflect"
	"sync"

	"github.com/tada-run/tada-run/pathguard/resolve"
)

// fields are those of a structure that are written, in their order.
var fields sync.Map // reflect.Type to []int

func fieldsOf(t reflect.Type) []int {
	if list, ok := fields.Load(t); ok {
		return list.([]int)
	}
	var list []int
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && f.Type.Kind() != reflect.Func &&
			f.Type != reflect.TypeFor[*resolve.Look]() { // of no meaning elsewhere
			list = append(list, i)
		}
	}
	fields.Store(t, list)
	return list
}
