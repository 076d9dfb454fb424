package frozen

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// An encoder writes values by the rules of the package.
type encoder struct {
	out   []byte
	texts map[string]uint64
	tell  func(string) string // a text as it may be stored; nil for as it is
}

func (e *encoder) text(s string) {
	if e.tell != nil {
		s = e.tell(s)
	}
	if at, ok := e.texts[s]; ok {
		e.out = binary.AppendUvarint(e.out, at)
		return
	}
	e.out = binary.AppendUvarint(e.out, uint64(len(e.texts)))
	e.texts[s] = uint64(len(e.texts))
	e.out = append(binary.AppendUvarint(e.out, uint64(len(s))), s...)
}

func (e *encoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool: // in a list or a map; a field has its bit alone
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		e.out = binary.AppendUvarint(e.out, n)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.out = binary.AppendVarint(e.out, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.out = binary.AppendUvarint(e.out, v.Uint())
	case reflect.String:
		e.text(v.String())
	case reflect.Struct:
		e.structure(v)
	case reflect.Pointer:
		e.value(v.Elem())
	case reflect.Slice:
		e.out = binary.AppendUvarint(e.out, uint64(v.Len()))
		for i := range v.Len() {
			e.value(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			e.value(v.Index(i))
		}
	case reflect.Map:
		e.table(v)
	default:
		panic(fmt.Sprintf("frozen: a plan has a field of type %s", v.Type()))
	}
}

func (e *encoder) structure(v reflect.Value) {
	list := fieldsOf(v.Type())
	var bits uint64
	for n, i := range list {
		if !v.Field(i).IsZero() {
			bits |= 1 << n
		}
	}
	e.out = binary.AppendUvarint(e.out, bits)
	for n, i := range list {
		if f := v.Field(i); bits&(1<<n) != 0 && f.Kind() != reflect.Bool {
			e.value(f)
		}
	}
}

func (e *encoder) table(v reflect.Value) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		return strings.Compare(a.String(), b.String())
	})
	e.out = binary.AppendUvarint(e.out, uint64(len(keys)))
	for _, key := range keys {
		e.value(key)
		e.value(v.MapIndex(key))
	}
}
