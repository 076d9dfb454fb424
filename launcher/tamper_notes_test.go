package launcher

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard/tamper"
)

// A person reads one line about many protected files, and no file twice.
func TestNotesAreOneLine(t *testing.T) {
	first := func(names ...string) (list []tamper.Note) {
		for _, name := range names {
			list = append(list, tamper.Note{Path: name, Note: tamper.NoteFirst})
		}
		return list
	}
	for _, c := range []struct {
		notes []tamper.Note
		want  string
	}{
		{nil, ""},
		{first("/w/a"), "tada-run: /w/a: now protected (seen for the first time)\n"},
		{first("/w/a", "/w/b\x1b"),
			"tada-run: /w/a, /w/b\\x1b: now protected (seen for the first time)\n"},
		{first("a", "b", "c", "d"),
			"tada-run: a, b, c, d: now protected (seen for the first time)\n"},
		{first("a", "b", "c", "d", "e", "f"),
			"tada-run: a, b, c, d and 2 more: now protected (seen for the first time)\n"},
		{
			append(first("a"), tamper.Note{Path: "b", Note: tamper.NoteAdopted},
				tamper.Note{Path: "c", Note: "another"}),
			"tada-run: a: now protected (seen for the first time)\n" +
				"tada-run: b: changed by a run that was allowed to and ended unexpectedly; both versions are kept: tadactl tamper log\n",
		},
	} {
		var out strings.Builder
		if tellNotes(&out, c.notes); out.String() != c.want {
			t.Errorf("%v is told as %q, want %q", c.notes, out.String(), c.want)
		}
	}
}

// U7: what is said of the own configuration is said in both languages.
func TestOwnWords(t *testing.T) {
	en, zh := reflect.ValueOf(ownWords[tamper.English]), reflect.ValueOf(ownWords[tamper.Chinese])
	commands := regexp.MustCompile(`tadactl .*`)
	for i := range en.NumField() {
		e, z := en.Field(i).String(), zh.Field(i).String()
		if e == "" || z == "" || e == z ||
			!slices.Equal(commands.FindAllString(e, -1), commands.FindAllString(z, -1)) {
			t.Errorf("%q, %q", e, z)
		}
	}
}
