package plan

import "time"

// Fields reads an object. A value that is missing or of another type is the zero value.
type Fields map[string]any

// Text returns a string.
func (f Fields) Text(k string) string { s, _ := f[k].(string); return s }

// List returns a list.
func (f Fields) List(k string) []any { l, _ := f[k].([]any); return l }

// Flag returns a truth value.
func (f Fields) Flag(k string) bool { b, _ := f[k].(bool); return b }

// Object returns an object.
func (f Fields) Object(k string) Fields { return AsFields(f[k]) }

// Number returns an integer.
func (f Fields) Number(k string) int64 {
	switch n := f[k].(type) {
	case int64:
		return n
	case int: // in fields that were not encoded yet
		return int64(n)
	}
	return 0
}

// Texts returns a list of strings; an element of another type is "".
func (f Fields) Texts(k string) []string {
	var out []string
	for _, v := range f.List(k) {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

// Objects returns a list of objects; an element of another type is empty.
func (f Fields) Objects(k string) []Fields {
	var out []Fields
	for _, v := range f.List(k) {
		out = append(out, AsFields(v))
	}
	return out
}

// Time returns a time as [FormatTime] writes it.
func (f Fields) Time(k string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, f.Text(k))
	return t
}

// AsFields returns a value as an object, or nil if it is none.
func AsFields(v any) Fields {
	m, _ := v.(map[string]any)
	return m
}

// FormatTime writes RFC 3339 in UTC.
func FormatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
