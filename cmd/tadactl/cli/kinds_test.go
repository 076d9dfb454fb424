package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// kindInSource finds where a kind of entries is named in the source: as a constant, in the table of
// what happens to protected files, or where it is written.
var kindInSource = regexp.MustCompile(`\b[kK]ind[A-Z]\w*\s+= "([a-z.-]+)"|:\s+"(tamper\.[a-z]+)"|return "(tamper\.[a-z]+)"|"(ctl\.[a-z]+)"`)

// TestKinds: the table has each kind that the log can have, and no other.
func TestKinds(t *testing.T) {
	written := map[string]bool{}
	for _, folder := range []string{"approval", "audit", "launcher", "pathguard/tamper"} {
		files, err := filepath.Glob("../../../" + folder + "/*.go")
		below, err2 := filepath.Glob("../../../" + folder + "/*/*.go")
		if err != nil || err2 != nil || len(files) == 0 {
			t.Fatal(folder, err, err2)
		}
		for _, file := range append(files, below...) {
			text, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			for _, m := range kindInSource.FindAllStringSubmatch(string(text), -1) {
				kind := strings.Join(m[1:], "")
				// what a person may do
				isAction := strings.HasPrefix(kind, "tamper.") && folder != "pathguard/tamper"
				if !strings.HasSuffix(file, "_test.go") && !isAction {
					written[kind] = true
				}
			}
		}
	}
	names := kindNames()
	for kind := range written {
		group, _, dotted := strings.Cut(kind, ".")
		if !slices.Contains(names, kind) || dotted && !slices.Contains(names, group) {
			t.Errorf("kinds.txt has no %q, or not its group", kind)
		}
	}
	for _, k := range logKinds() {
		isGroup := slices.ContainsFunc(names,
			func(n string) bool { return strings.HasPrefix(n, k.name+".") })
		if !written[k.name] && !isGroup || k.says == "" {
			t.Errorf("kinds.txt has %q (%q), and nothing writes it", k.name, k.says)
		}
	}
}

// TestUnknownWords: an option that takes one of a few words refuses any other, on each verb that
// has it.
func TestUnknownWords(t *testing.T) {
	seen := map[string]bool{}
	for _, cmd := range tree(t) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			words, few := flagValues[f.Name]
			if !few {
				return
			}
			seen[f.Name] = true
			for _, word := range words {
				if err := cmd.Flags().Set(f.Name, word); err != nil {
					t.Errorf("%s --%s %s: %v", cmd.CommandPath(), f.Name, word, err)
				}
				if err := checkFlags(cmd); err != nil {
					t.Errorf("%s: %v", cmd.CommandPath(), err)
				}
			}
			wrong := map[string]string{"int": "77"}[f.Value.Type()]
			if wrong == "" {
				wrong = words[0] + "x"
			}
			if err := cmd.Flags().Set(f.Name, wrong); err != nil {
				t.Fatal(err)
			}
			var usage *usageError
			if err := checkFlags(cmd); !errors.As(err, &usage) ||
				!strings.Contains(err.Error(), "--"+f.Name) ||
				!strings.Contains(err.Error(), words[0]) {
				t.Errorf("%s --%s %s: %v", cmd.CommandPath(), f.Name, wrong, err)
			}
			if f.Name == "kind" {
				// too many for one line: the error names the groups, or the words in the group
				for word, known := range map[string]string{"nonsense": " hook, ",
					"exec.nonsense": " exec.end, ", "exce": " exec, "} {
					_ = f.Value.Set(word)
					if err := checkFlags(cmd); err == nil || !strings.Contains(err.Error(), known) {
						t.Errorf("%s --kind %s does not name %q: %v", cmd.CommandPath(), word,
							known, err)
					}
				}
			}
			_ = f.Value.Set(words[0])
		})
	}
	if len(seen) != len(flagValues) {
		t.Errorf("only %v were tried", seen)
	}
}
