package frozen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
)

var errDamaged = errors.New("the recorded plan is damaged")

// mostDeep bounds how deep structures are in each other: a script in a script is seven deeper.
const mostDeep = 200

// A decoder reads what an encoder wrote. Its first error stays, and everything after it is zero.
type decoder struct {
	in    []byte
	texts []string
	deep  int
	left  int // elements that may still be made: a few bytes must not cost much memory
	err   error
}

func (d *decoder) fail() { d.in, d.err = nil, errDamaged }

func (d *decoder) unsigned() uint64 {
	n, size := binary.Uvarint(d.in)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.in = d.in[size:]
	return n
}

// count reads the length of a list, of which each element has a byte or more.
func (d *decoder) count() int {
	n := d.unsigned()
	if n > uint64(len(d.in)) || n > uint64(d.left) {
		d.fail()
		return 0
	}
	d.left -= int(n)
	return int(n)
}

func (d *decoder) text() string {
	at := d.unsigned()
	switch {
	case at < uint64(len(d.texts)):
		return d.texts[at]
	case at > uint64(len(d.texts)):
		d.fail()
	}
	n := d.unsigned()
	if n > uint64(len(d.in)) {
		d.fail()
	}
	if d.err != nil {
		return ""
	}
	s := string(d.in[:n])
	d.in = d.in[n:]
	d.texts = append(d.texts, s)
	return s
}

func (d *decoder) value(v reflect.Value) {
	if d.deep++; d.deep > mostDeep {
		d.fail()
	}
	defer func() { d.deep-- }()
	if d.err != nil {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.unsigned() != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.signed(v)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := d.unsigned()
		if v.OverflowUint(n) {
			d.fail()
			return
		}
		v.SetUint(n)
	case reflect.String:
		v.SetString(d.text())
	case reflect.Struct:
		d.structure(v)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(v.Elem())
	case reflect.Slice:
		n := d.count()
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			d.value(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case reflect.Map:
		d.table(v)
	default:
		panic(fmt.Sprintf("frozen: a plan has a field of type %s", v.Type()))
	}
}

func (d *decoder) signed(v reflect.Value) {
	n, size := binary.Varint(d.in)
	if size <= 0 || v.OverflowInt(n) {
		d.fail()
		return
	}
	d.in = d.in[size:]
	v.SetInt(n)
}

func (d *decoder) structure(v reflect.Value) {
	list := fieldsOf(v.Type())
	bits := d.unsigned()
	if len(list) < 64 && bits >= 1<<len(list) {
		d.fail()
		return
	}
	for n, i := range list {
		switch f := v.Field(i); {
		case bits&(1<<n) == 0:
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		default:
			d.value(f)
		}
	}
}

func (d *decoder) table(v reflect.Value) {
	n := d.count()
	v.Set(reflect.MakeMapWithSize(v.Type(), n))
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		d.value(key)
		d.value(value)
		if d.err != nil {
			return
		}
		v.SetMapIndex(key, value)
	}
}

// whole reports an error unless everything was read.
func (d *decoder) whole() error {
	if d.err == nil && len(d.in) > 0 {
		return fmt.Errorf("%w: something is left over at its end", errDamaged)
	}
	return d.err
}
