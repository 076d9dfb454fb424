package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// stumbled has the phrases that native readers stumbled over, and what to write instead. A row
// belongs here only if the phrase has no good use.
var stumbled = []struct{ phrase, instead string }{
	{`(any|every|no|some)body`, "the user, the agent, a process, a person; anyone or no one"},
	{`who(ever|soever)`, "the one who is meant: anyone who, the caller, the process that"},
	{`strangers?`, "a process outside, another user"},
	{`fence[ds]?|cages?|jail(ed)?`, "sandbox, level, sandboxed"},
	{`(a|the|its|person's) (yes|no)`, "approval, denial; to approve, to deny"},
	{`ways? out`, "escape"},
	{`stand(s|ing) (in|there|against|approvals?)|what stands`, "is in; protection; grant"},
	{`a word to|with a word`, "message"},
	{`(is|are|be|been) told( apart)?|tells? apart`, "reported, shown; distinguished"},
	{`giv(e|es|en|ing) up the`, "delete"},
	{`kept as (it|they) (is|are)`, "protected, read-only"},
	{`(is|are) held against`, "checked against"},
	{`unasked|out of reach`, "without asking; not accessible"},
	{`news`, "changes"},
}

// TestWords reads what users read as they learn the program: the pages, the help and manual page of
// every verb, and what doctor and the policy print.
func TestWords(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "repo"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := shellIn(t, dir)
	texts := map[string]string{}
	for _, command := range []string{
		"tada-run --help", "tadactl --help", "tadactl doctor", "tadactl doctor --verbose",
		"tadactl policy show",
		"tadactl approvals channels", "tadactl approvals stats",
		"tadactl shell install --print codex", "tadactl shell install --print gemini",
	} {
		texts[command] = run(command)
	}
	run("tadactl policy init && tadactl man man && cp ../state/config.yaml man")
	for _, pattern := range []string{"../*.md", "../docs/*.md", filepath.Join(dir, "repo/man/*")} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no pages: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.Base(file)] = string(text)
		}
	}
	if len(texts) < 60 {
		t.Errorf("only %d texts were read", len(texts))
	}
	for _, row := range stumbled {
		phrase := regexp.MustCompile(`(?i)\b(` + strings.ReplaceAll(row.phrase, " ", `\s+`) + `)\b`)
		for name, text := range texts {
			for _, found := range phrase.FindAllStringIndex(text, -1) {
				t.Errorf("%s: %q: write instead: %s", name,
					text[max(found[0]-30, 0):min(found[1]+30, len(text))], row.instead)
			}
		}
	}
}

// counted finds a number and the words after it.
var counted = pattern(`%d( of %d)?((?: [a-z]+){1,3})`)

// notPlural are words that end a search for what is counted, or that end in s and are not plurals.
var notPlural = strings.Fields("is was has does its this as means others which that and or the in to by at for of with behind from were not")

// countsSeveral reports whether a line has a number before a plural word: for one, it would read "1
// entries".
func countsSeveral(line string) bool {
	for _, m := range counted().FindAllStringSubmatch(line, -1) {
		for _, word := range strings.Fields(m[2]) {
			if slices.Contains(notPlural, word) || m[1] != "" { // "1 of 2 approvals"
				break
			}
			if len(word) > 1 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
				return true
			}
		}
	}
	return false
}

// limited matches what names a limit, which is never one.
var limited = pattern(`at most|more than|longer than|beyond|has 1 to|[mM]ax[A-Z]|from %d to`)

// never1 are the lines whose number cannot be one.
var never1 = map[string]string{
	"audit/file_posix.go":                  "one name is right",
	"integration/quarantine/arguments.go":  "too many",
	"integration/quarantine/neutral.go":    "no cut is that short",
	"launcher/edit.go":                     "several",
	"launcher/setup/settings.go":           "too many",
	"launcher/sandbox/start_linux.go":      "a mistake of the program",
	"launcher/control/connection_linux.go": "a mistake of the program",
	"launcher/session/stdio.go":            "a mistake of the program",
	"launcher/tamper_ask.go":               "several",
	"approval/render/fold.go":              "no cut is that short",
	"integration/console/brief.go":         "no cut is that short",
	"pathguard/tamper/report.go":           "several",
	"pathguard/tamper/seen.go":             "one is another case",
	"cmd/tada-run/cli/args.go":             "one is no mistake",
	"approval/render/marks.go":             "one is another case",
}

// TestCounted: the noun agrees with its number; see audit.Plural.
func TestCounted(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t) {
		name := s.folder + "/" + s.file
		if s.test {
			continue
		}
		lines := slices.Collect(strings.Lines(read(t, filepath.Join("..", name))))
		for i, line := range lines {
			// a text may take two lines
			text := line + strings.Join(lines[i+1:min(i+2, len(lines))], "")
			if !countsSeveral(line) || limited().MatchString(text) {
				continue
			}
			if used[name] = true; never1[name] == "" {
				t.Errorf("%s: %s: of one, it is wrong; use audit.Plural", name,
					strings.TrimSpace(line))
			}
		}
	}
	for name := range never1 {
		if !used[name] {
			t.Errorf("%s counts nothing any more", name)
		}
	}
}
