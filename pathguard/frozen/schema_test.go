package frozen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
)

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
