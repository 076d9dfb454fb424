package frozen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
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

// fieldsSum is the beginning of the SHA-256, in hex, over the names and types of all fields below a
// type.
func fieldsSum(t reflect.Type) string {
	var text strings.Builder
	describe(&text, t, map[reflect.Type]bool{})
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:8])
}

// describe writes the names and types of all fields below a type.
func describe(text *strings.Builder, t reflect.Type, seen map[reflect.Type]bool) {
	fmt.Fprintf(text, "%v", t.Kind())
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer:
		describe(text, t.Elem(), seen)
	case reflect.Map:
		describe(text, t.Key(), seen)
		describe(text, t.Elem(), seen)
	case reflect.Struct:
		fmt.Fprintf(text, " %s", t.Name())
		if seen[t] {
			return
		}
		seen[t] = true
		for _, i := range fieldsOf(t) {
			fmt.Fprintf(text, "\n%s ", t.Field(i).Name)
			describe(text, t.Field(i).Type, seen)
		}
		text.WriteString("\n.")
	case reflect.Array:
		fmt.Fprintf(text, "%d", t.Len())
		describe(text, t.Elem(), seen)
	}
}
