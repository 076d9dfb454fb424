package resolve

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// gitReads is what git itself reads in a file of settings; ok is false where it refuses the file.
func gitReads(t testing.TB, text string) (list []string, ok bool) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "config", "--no-includes", "--list", "-z", "-f", file)
	cmd.Dir = filepath.Dir(file)
	out, err := cmd.Output()
	if err != nil {
		return nil, false
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if entry != "" {
			list = append(list, entry)
		}
	}
	return list, true
}

// weReads is the same by gitSettings.
func weRead(text string) (list []string, ok bool) {
	settings, ok := gitSettings(text)
	for _, s := range settings {
		key := s.section
		if key != "" {
			key += "."
		}
		if s.name != "" {
			key += s.name + "."
		}
		list = append(list, key+s.key+"\n"+s.value)
	}
	return list, ok
}

// alike compares lists without what versions of git differ in: blanks in a value, and a key without
// one.
func alike(ours, gits []string) bool {
	if len(ours) != len(gits) {
		return false
	}
	for i := range ours {
		if !slices.Equal(strings.Fields(ours[i]), strings.Fields(gits[i])) {
			return false
		}
	}
	return true
}

// oddHeader is a section without a name, or with an empty part, which is refused here alone.
var oddHeader = regexp.MustCompile(`\[(\s|\.|[A-Za-z0-9.-]*\.(\]|\s)|[^\n]*"")`)

// What the settings of a repository say is read as git reads it: a reader that differs sends a push
// to another place than the one that was judged.
func FuzzGitSettings(f *testing.F) {
	if _, err := exec.LookPath("git"); err != nil {
		f.Skip("git is not installed")
	}
	for _, seed := range []string{
		"", "[a]\nb=c", "[a]b = c ; d\n[a \"x\"]e=f#g\nh\n",
		"[remote \"o\"]\n\turl = \"a b\" c\\\n d\n",
		"[u]\n x = a\\\\\n[remote \"o\"]\n url = y\n", "[u] x = \"a\\\"b\\tc\\nd\\b\"\n",
		"[a.b \"c]d\\\"\"] e = f\n", "# c \\\n[a] b = c\n", "[a]\r\nb = c\r\n", "[A.B]C=D\n",
		"[a \"b\" ]c=d", "[a]b\nc = \n", "\ufeff[a]b=c", "[a]b=\"c", "[a]b=c\\", "[a]b=\\x",
		"[]b=c", "b=c", "[a]1=c", "[a] b : c", "[a]b=c [d]e=f", "[a\nb=c",
		"[a]b = ' x ' \"  \" y  \n", "[a]\nb=c\\\r\nd\n", "[a \"b\\\nc\"]d=e", "[.a]b=c",
		"[a.]b=c", "[a]b==c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsRune(text, 0) {
			return // git stops at it in some places
		}
		gits, fine := gitReads(t, text)
		ours, ok := weRead(text)
		odd := oddHeader.MatchString(text)
		if ok && !fine || !ok && fine && !odd || ok && !alike(ours, gits) {
			t.Errorf("%q: %q %v, git %q %v", text, ours, ok, gits, fine)
		}
	})
}
