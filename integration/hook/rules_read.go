package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/launcher/switches"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// ruleSources are where the user's rules for a call are found.
type ruleSources struct {
	Call
	env      []string
	starters func(platform string) ([]launcher.Starter, error)
}

// asks reports whether the platform asks the user where an answer of the hook says so.
func (s ruleSources) asks() bool {
	own := agents.OfPlatform(s.Platform)
	for f := range agents.Of("asks") {
		if f.Agent == own {
			return true
		}
	}
	return false
}

// rules are those of the user's for the platform, wherever they are.
func (s ruleSources) rules() (list []rule, err error) {
	own := agents.OfPlatform(s.Platform)
	var starters []launcher.Starter
	for f := range agents.Of("given", "policies", "rules") {
		fact := f.Words()
		switch {
		case f.Agent != own:
		case f.Kind == "rules":
			for _, file := range s.places(fact[0], fact[3:]) {
				list = append(list, s.in(file, fact[1], fact[2], missing)...)
			}
		case f.Kind == "policies":
			for _, file := range s.places(fact[0], fact[4:]) {
				for _, name := range valuesIn(file, fact[1]) {
					list = append(list, s.at(name, s.Dir, fact[2], fact[3])...)
				}
			}
		case starters == nil:
			if starters, err = s.starters(s.Platform); err != nil {
				return nil, err
			}
			fallthrough
		default:
			for _, c := range starters {
				list = append(list, s.given(c, fact)...)
			}
		}
	}
	return list, nil
}

// places are the files that a fact names; the variable, if there is one, names another folder,
// and what may be inside it.
func (s ruleSources) places(name string, variable []string) (list []string) {
	folder := ""
	if len(variable) > 0 {
		name, inside, _ := strings.Cut(variable[0], "/")
		if folder = valueOf(s.env, name); folder != "" {
			folder = filepath.Join(folder, inside)
		}
	}
	as := strings.NewReplacer(`\`, `\\`, `[`, `\[`, `*`, `\*`, `?`, `\?`).Replace // no pattern
	for _, file := range (switches.Switch{File: name}).Files(as(valueOf(s.env, "HOME")),
		as(folder), as(s.Dir), as(switches.Top(s.Dir))) {
		found, _ := filepath.Glob(file)
		list = append(list, found...)
	}
	return list
}

// at reads what a value names, a file or a folder with policies, relative to a directory; or the
// rules themselves, as JSON.
func (c Call) at(value, dir, member, tools string) (list []rule) {
	if isJSON(value) {
		return c.listed("the command line of "+c.Platform, []byte(value), member, tools)
	}
	value = below(dir, value)
	if info, err := os.Stat(value); err == nil && info.IsDir() {
		files, _ := filepath.Glob(filepath.Join(value, "*.toml"))
		for _, file := range files {
			list = append(list, c.in(file, member, tools, missing)...)
		}
		return list
	}
	return c.in(value, member, tools, nil)
}

// missing are errors with which a file has no rules for the platform either.
var missing = []error{os.ErrNotExist, os.ErrPermission}

// in are the rules in a file.
func (c Call) in(file, member, tools string, none []error) []rule {
	data, err := setup.Read(file)
	switch {
	case none != nil && err == nil && data == nil,
		slices.ContainsFunc(none, func(n error) bool { return errors.Is(err, n) }):
		return nil
	case err != nil || data == nil:
		return []rule{unreadable(file)}
	case filepath.Ext(file) == ".toml":
		return c.tables(file, data, member, tools)
	}
	return c.listed(file, data, member, tools)
}

// unreadable is a file that may have a rule for any command line.
func unreadable(from string) rule {
	return rule{from: from, whole: anyLine, part: noLine}
}

// listed are the rules in lists of texts, as TOOL(PATTERN).
func (c Call) listed(from string, data []byte, member, tools string) (list []rule) {
	_, strict, err := WithoutComments(data)
	if len(bytes.TrimSpace(strict)) == 0 && err == nil {
		return nil
	}
	var members, lists Object
	if err != nil || json.Unmarshal(strict, &members) != nil {
		return []rule{unreadable(from)}
	}
	_ = json.Unmarshal(members[member], &lists)
	for _, kind := range []string{"deny", "ask", "exclude"} {
		var texts []any
		_ = json.Unmarshal(lists[kind], &texts)
		for _, text := range textsIn(texts) {
			list = append(list, wordedIn(from, text, tools, kind == "ask")...)
		}
	}
	return list
}

// tables are the rules in tables of TOML, with a decision, the tool, and what its command begins
// with, or an expression for its arguments.
func (c Call) tables(file string, data []byte, member, tool string) (list []rule) {
	var members map[string]any
	if toml.Unmarshal(data, &members) != nil {
		return []rule{unreadable(file)}
	}
	rules, _ := members[member].([]map[string]any)
	for _, r := range rules {
		names, asks := textsIn(r["toolName"]), r["decision"] == "ask_user"
		if r["decision"] == "allow" || len(names) > 0 && !slices.ContainsFunc(names,
			func(n string) bool { return n == tool || strings.Contains(n, "*") }) {
			continue
		}
		for _, text := range textsIn(r["commandPrefix"]) {
			list = append(list, worded(file, text, text+" *", asks))
		}
		for _, text := range textsIn(r["commandRegex"]) {
			list = append(list, c.expressed(file, text, `"command":"`+text, asks))
		}
		for _, text := range textsIn(r["argsPattern"]) {
			list = append(list, c.expressed(file, text, text, asks))
		}
	}
	return list
}

// valuesIn are the values of a key in settings.
func valuesIn(file, key string) []string {
	data, _ := setup.Read(file)
	_, strict, _ := WithoutComments(data)
	var members map[string]any
	_ = json.Unmarshal(strict, &members)
	return textsIn(members[key])
}

// textsIn is a text, or a list of them.
func textsIn(v any) (list []string) {
	all, is := v.([]any)
	if !is {
		all = []any{v}
	}
	for _, each := range all {
		if text, is := each.(string); is {
			list = append(list, text)
		}
	}
	return list
}

// given are the rules that a program was given with an option: its values are rules that deny, or
// what has a member with rules.
func (c Call) given(s launcher.Starter, fact []string) (list []rule) {
	for _, value := range values(s.Words, fact[0]) {
		if len(fact) == 2 {
			list = append(list, wordedIn(fact[0], value, fact[1], false)...)
			continue
		}
		several := strings.Split(value, ",")
		if _, err := os.Stat(below(s.Dir, value)); err == nil || isJSON(value) {
			several = []string{value}
		}
		for _, one := range several {
			list = append(list, c.at(strings.TrimSpace(one), s.Dir, fact[1], fact[2])...)
		}
	}
	return list
}

func isJSON(value string) bool { return strings.HasPrefix(strings.TrimSpace(value), "{") }

// below is a file that is named in a directory.
func below(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// values are the words that may be the values of an option: behind a = in its own word, or those up
// to the next option. Some programs read --an-option also as --anOption.
func values(words []string, option string) (list []string) {
	taking := false
	for _, word := range words {
		if name, value, has := strings.Cut(word, "="); strings.HasPrefix(word, "-") {
			if taking = spelled(name) == spelled(option); taking && has {
				list = append(list, value)
			}
		} else if taking {
			list = append(list, word)
		}
	}
	return list
}

func spelled(option string) string {
	return strings.ToLower(strings.ReplaceAll(option, "-", ""))
}
