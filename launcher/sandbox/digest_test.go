package sandbox

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// The text is a format that stands in records: it changes only with its version.
func TestProfileText(t *testing.T) {
	p := Profile{
		Read:  []Path{{Name: "/usr", Optional: true}, {Name: "/a b\n"}},
		Write: []Path{{Name: "/w", NoExec: true}}, Hide: []string{"/h"}, ReadOnly: []string{"/w/k"},
		Limits: Limits{Memory: 5, Wall: time.Second}, Must: []Protection{Metadata}, Terminals: true,
	}
	want := "tada-fence-profile 1\nhide \"/h\"\nkeep \"/w/k\"\nlimit \"memory\" 5\n" +
		"limit \"wall time\" 1000000000\nmust \"metadata\"\nnetwork off\n" +
		"read \"/a b\\n\"\nread \"/usr\" optional\nrequire base\nterminals\nwrite \"/w\" noexec\n"
	if got := p.Text(); got != want {
		t.Errorf("%s", got)
	}
	same := p
	same.Read = []Path{p.Read[1], p.Read[0], p.Read[1]}
	if same.Digest() != p.Digest() || len(p.Digest()) != 64 {
		t.Error("the order of rules means nothing")
	}
}

// Every field counts: a profile that differs in one has another digest.
func TestDigestCoversEverything(t *testing.T) {
	seen := []string{Profile{}.Digest()}
	var walk func(v reflect.Value, p *Profile)
	walk = func(v reflect.Value, p *Profile) {
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			if name == "Parties" || name == "Servers" {
				continue // whom to ask or tell, not what is allowed
			}
			if f.Kind() == reflect.Func {
				continue // asked at each connection, and can only refuse
			}
			if v.Type().Name() == "View" && strings.Contains("Hide Reads Inside", name) {
				continue // the sandbox itself says what
			}
			zero := reflect.Zero(f.Type())
			switch f.Kind() {
			case reflect.Struct:
				walk(f, p)
				continue
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Int, reflect.Int64:
				f.SetInt(1)
				if name == "Require" {
					f.SetInt(int64(Strong)) // none is base
				}
			case reflect.Uint64:
				f.SetUint(1)
			case reflect.String:
				f.SetString("x")
			case reflect.Pointer:
				f.Set(reflect.New(f.Type().Elem()))
			case reflect.Slice:
				f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			}
			if d := p.Digest(); slices.Contains(seen, d) {
				t.Errorf("%s does not count", name)
			} else {
				seen = append(seen, d)
			}
			if f.Kind() == reflect.Pointer && name == "View" {
				walk(f.Elem(), p)
			}
			f.Set(zero)
		}
	}
	var p Profile
	walk(reflect.ValueOf(&p).Elem(), &p)
}

func BenchmarkDigest(b *testing.B) {
	p := Default("/w", "/tmp", "/h")
	for b.Loop() {
		p.Digest()
	}
}
