package command

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// A list that the code asks for is in names.txt, and no other is: a list without names would say of
// a dangerous program that it is none.
func TestLists(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\blist\("([^"]+)"\)`).FindAllSubmatch(text, -1) {
			asked[string(m[1])] = true
		}
	}
	lists := nameLists()
	have, want := slices.Sorted(maps.Keys(lists)), slices.Sorted(maps.Keys(asked))
	if !slices.Equal(have, want) {
		t.Errorf("names.txt has the lists %q, the code asks for %q", have, want)
	}
	for name, words := range lists {
		seen := map[string]bool{}
		for _, word := range words {
			if seen[word] {
				t.Errorf("%s has %q twice", name, word)
			}
			seen[word] = true
		}
		if len(words) < 2 {
			t.Errorf("%s has the names %q", name, words)
		}
	}
}
