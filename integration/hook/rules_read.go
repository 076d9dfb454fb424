package hook

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/tada-run/tada-run/launcher"
)

// A rule denies or asks: where and how it is written, and what it is compared with.
type rule struct {
	file, text string
	pattern    *regexp.Regexp
}

// rules reads what a fact names: a file, the member with the lists, the tool, and the variable with
// another folder. A file that cannot be read has no rules for the platform either.
func (c Call) rules(env, fact []string) (list []rule) {
	folder := ""
	if len(fact) > 3 {
		folder = valueOf(env, fact[3])
	}
	files := launcher.HookSwitch{File: fact[0]}.Files(valueOf(env, "HOME"), folder, c.Dir,
		launcher.Top(c.Dir))
	for _, file := range files {
		found, _ := filepath.Glob(file)
		for _, file := range found {
			data, _ := launcher.ReadSettings(file)
			each := listed(data, fact[1], fact[2])
			if filepath.Ext(file) == ".toml" {
				each = tables(data, fact[1], fact[2])
			}
			for _, r := range each {
				r.file = file
				list = append(list, r)
			}
		}
	}
	return list
}

// listed are the rules in lists of texts, as TOOL(PATTERN).
func listed(data []byte, member, tool string) (list []rule) {
	var members, lists Object
	_ = json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &members)
	_ = json.Unmarshal(members[member], &lists)
	for _, kind := range []string{"deny", "ask"} {
		var texts []any
		_ = json.Unmarshal(lists[kind], &texts)
		for _, each := range texts {
			text, _ := each.(string)
			body, is := strings.CutPrefix(strings.TrimSpace(text), tool+"(")
			if body, ends := strings.CutSuffix(body, ")"); is && ends {
				list = append(list, rule{text: text, pattern: pattern(body)})
			}
		}
	}
	return list
}

// tables are the rules in tables of TOML, with a decision, the tool, and what its command begins
// with. An expression that only other programs can read is left out.
func tables(data []byte, member, tool string) (list []rule) {
	var members map[string]any
	_ = toml.Unmarshal(data, &members)
	rules, _ := members[member].([]map[string]any)
	for _, r := range rules {
		if r["decision"] == "allow" || !slices.Contains(textsIn(r["toolName"]), tool) {
			continue
		}
		for _, text := range textsIn(r["commandPrefix"]) {
			list = append(list, rule{text: text, pattern: pattern(text + "*")})
		}
		begins := textsIn(r["commandRegex"])
		for _, text := range textsIn(r["argsPattern"]) {
			if _, of, is := strings.Cut(text, `"command":"`); is {
				begins = append(begins, strings.TrimSuffix(of, `"`))
			}
		}
		for _, text := range begins {
			if p, err := regexp.Compile(`(?s)\A(?:` + text + `)`); err == nil {
				list = append(list, rule{text: text, pattern: p})
			}
		}
	}
	return list
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

// pattern is what a rule means, and somewhat more: a star is any text, also with the colon or the
// blank before it.
func pattern(rule string) *regexp.Regexp {
	text := regexp.QuoteMeta(bare(rule))
	return regexp.MustCompile(`(?s)\A` + stars.ReplaceAllString(text, `.*`) + `\z`)
}

var stars = regexp.MustCompile(`(?:[: ]?\\\*)+`)

// bare is a text without quotes, and with one blank where there are several.
func bare(text string) string {
	text = strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}
