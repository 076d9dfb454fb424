package tamper

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// A TamperError says that protected files have changed, and that nothing runs before a person has
// reviewed them. There is no option to continue regardless: the way out is to accept or to restore,
// file by file.
type TamperError struct {
	Root     string // of the workspace: paths below it are shown relative to it
	Findings []Finding
}

// Error is the error on one line.
func (e *TamperError) Error() string { return e.In(English) }

// lines are what a TamperError says on one line.
var lines = map[Locale]struct{ unnamed, one, file, more, several string }{
	English: {
		unnamed: "protected files were changed from outside; try: tadactl tamper diff",
		one:     "protected file %q: %s from outside; try: tadactl tamper diff",
		file:    "%q (%s)", more: " and %d more",
		several: "%d protected files were changed from outside: %s%s; try: tadactl tamper diff",
	},
	Chinese: {
		unnamed: "受保护的文件已被外部更改；请尝试: tadactl tamper diff",
		one:     "受保护的文件 %q %s；请尝试: tadactl tamper diff",
		file:    "%q (%s)", more: "，另有 %d 个",
		several: "%d 个受保护的文件已被外部更改: %s%s；请尝试: tadactl tamper diff",
	},
}

// In is the error on one line, in a language.
func (e *TamperError) In(in Locale) string {
	w, ok := lines[in]
	if !ok {
		in, w = English, lines[English]
	}
	kind := func(f Finding) string {
		if in == Chinese {
			return wording[Chinese].title[f.Kind]
		}
		return string(f.Kind)
	}
	if len(e.Findings) == 0 {
		return w.unnamed
	}
	if f := e.Findings[0]; len(e.Findings) == 1 {
		return fmt.Sprintf(w.one, e.name(f), kind(f))
	}
	var names []string
	for i, f := range e.Findings {
		if i == maxNamed {
			break
		}
		names = append(names, fmt.Sprintf(w.file, e.name(f), kind(f)))
	}
	more := ""
	if n := len(e.Findings) - len(names); n > 0 {
		more = fmt.Sprintf(w.more, n)
	}
	return fmt.Sprintf(w.several, len(e.Findings), strings.Join(names, ", "), more)
}

// ToolText is the message for a program that calls tools: its wording is a contract.
const ToolText = "TamperError: External modification detected. Use 'accept_tamper' tool to resolve."

// Code is the error's name in answers to programs.
const Code = "tamper_error"

// A Locale is the language of a message for a person.
type Locale int

// The locales.
const (
	English Locale = iota
	Chinese
)

// wording is what a TamperError says in each language: title, the two hashes, and what to type
// about one file or several.
var wording = map[Locale]struct {
	title    map[Kind]string
	expected string
	actual   string
	none     string
	ways     string
	several  string
}{
	English: {
		title: map[Kind]string{
			Changed: "has been modified externally", Created: "has been created externally",
			Deleted:     "has been deleted externally",
			TypeChanged: "has been replaced externally",
			ModeChanged: "has been given another mode externally",
			Moved:       "is in another folder than before",
			Unseen:      "cannot be read any more", BaselineMissing: "has lost its baseline",
		},
		expected: "Expected hash: ", actual: "Actual hash:   ", none: "none",
		ways: "Use 'tadactl tamper diff' to see changes.\n" +
			"Use 'tadactl tamper accept' to accept external changes.\n" +
			"Use 'tadactl tamper restore' to put back what was there.\n",
		several: "Use 'tadactl tamper diff' to see the changes of all files.\n" +
			"Use 'tadactl tamper accept' to accept the external changes, file by file.\n" +
			"Use 'tadactl tamper restore' to put the files back, one by one.\n",
	},
	Chinese: {
		title: map[Kind]string{
			Changed: "已被外部修改", Created: "由外部新建", Deleted: "已被外部删除", TypeChanged: "已被外部替换",
			ModeChanged: "的权限已被外部更改",
			Moved:       "所在的目录已不是原来的目录", Unseen: "已无法读取", BaselineMissing: "的基线已丢失",
		},
		expected: "预期哈希: ", actual: "实际哈希: ", none: "无",
		ways: "使用 'tadactl tamper diff' 查看更改。\n使用 'tadactl tamper accept' 接受外部更改。\n" +
			"使用 'tadactl tamper restore' 恢复原来的内容。\n",
		several: "使用 'tadactl tamper diff' 查看所有文件的更改。\n使用 'tadactl tamper accept' 逐个接受外部更改。\n" +
			"使用 'tadactl tamper restore' 逐个恢复文件。\n",
	},
}

var detected = map[Locale]string{English: "TAMPER DETECTED: ", Chinese: "检测到篡改: "}

// maxNamed bounds the files that a message of one line names.
const maxNamed = 3

// maxTold bounds the files that a message names; a program reads it as output of its command.
const maxTold = 8

// Text is the error for a person, several lines with their newlines.
func (e *TamperError) Text(in Locale) string {
	w, ok := wording[in]
	if !ok {
		in, w = English, wording[English]
	}
	var b strings.Builder
	space := " "
	if in == Chinese {
		space = ""
	}
	for i, f := range e.Findings {
		if i == maxTold {
			fmt.Fprintf(&b, "... +%d\n", len(e.Findings)-maxTold)
			break
		}
		fmt.Fprintf(&b, "⛔ %s%s%s%s\n", detected[in], Inert(e.name(f)), space,
			w.title[f.Kind]+map[Locale]string{English: ".", Chinese: "。"}[in])
		fmt.Fprintf(&b, "%s%s\n%s%s\n", w.expected, shortHash(f.Was, w.none), w.actual,
			shortHash(f.Now, w.none))
	}
	if len(e.Findings) > 1 {
		w.ways = w.several
	}
	b.WriteString("\n" + w.ways)
	return b.String()
}

// shortHash is as much of a hash as a person compares: 48 bits.
func shortHash(s Seen, none string) string {
	if sum := s.Checksum(); len(sum) > 12 {
		return sum[:12]
	}
	return none
}

func (e *TamperError) name(f Finding) string {
	rel, err := filepath.Rel(e.Root, f.Path)
	if err != nil || e.Root == "" || e.Root == "/" || strings.HasPrefix(rel, "../") {
		// in the folder of all files a name is no shorter
		return f.Path
	}
	return rel
}

// A Told is one file of a TamperError as it is reported to a program.
type Told struct {
	Path     string `json:"path"`
	Kind     Kind   `json:"kind"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
	Digest   string `json:"digest"`
}

// Files are the findings as they are reported to a program, with whole hashes.
func (e *TamperError) Files() []Told {
	told := make([]Told, 0, len(e.Findings))
	for _, f := range e.Findings {
		told = append(told, Told{f.Path, f.Kind, f.Was.Checksum(), f.Now.Checksum(), f.Digest})
	}
	return told
}

// JSON is the error as one line for a program.
func (e *TamperError) JSON() string {
	text, err := json.Marshal(struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Files   []Told `json:"files"`
	}{Code, ToolText, e.Files()})
	if err != nil { // strings alone cannot fail
		return `{"code":"` + Code + `"}`
	}
	return string(text)
}
