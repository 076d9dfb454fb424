package pathguard

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// A ruleText is what the product says when a built-in rule speaks: an entry of table/rules.txt.
type ruleText struct {
	kind      ErrorType
	risk      int
	en, zh    string
	instead   string // what would be allowed, in English; "" when nothing would
	insteadZh string
}

//go:embed table/rules.txt
var rulesText string

// ruleTextOf finds the text of a rule, each once. The table is searched without an index, because
// every command would have to build one.
func ruleTextOf(rule string) (ruleText, bool) {
	if found, ok := ruleTexts.Load(rule); ok {
		return found.(ruleText), true
	}
	_, rest, ok := strings.Cut(rulesText, "\n"+rule+": ")
	if !ok {
		return ruleText{}, false
	}
	entry, _, _ := strings.Cut(rest, "\n\n")
	lines := strings.Split(strings.TrimSuffix(entry, "\n"), "\n\t")
	kind, risk, _ := strings.Cut(lines[0], " ")
	t := ruleText{kind: ErrorType(kind), risk: int(risk[0] - '0'), en: lines[1], zh: lines[2]}
	if len(lines) > 3 {
		t.instead, t.insteadZh = lines[3], lines[4]
	}
	ruleTexts.Store(rule, t)
	return t, true
}

// ruleTexts are those that were found, by the name of the rule.
var ruleTexts sync.Map

// hazardsZh has what the hazards of shellparse mean.
//
//go:embed table/hazards_zh.txt
var hazardsZh string

// hazardZh is the Chinese message of a hazard, "" when the rule is none.
func hazardZh(rule, english string) string {
	_, rest, found := strings.Cut(hazardsZh, "\n"+rule+": ")
	if !found {
		return ""
	}
	text, _, _ := strings.Cut(rest, "\n")
	if _, named, more := strings.Cut(english, ": "); more {
		text += ": " + named
	}
	return text
}

// In returns the message of a reason in a language. Messages of the configuration are not
// translated.
func (r Reason) In(l Locale) string {
	text := r.in(l)
	switch kept := r.stands && r.Decision == Allow; {
	case kept && l == Chinese:
		text += "（可以撤销）"
	case kept:
		text += ", which can be undone"
	}
	switch {
	case r.More > 0 && l == Chinese:
		text += fmt.Sprintf("（另有 %d 个）", r.More)
	case r.More > 0:
		text += fmt.Sprintf(" (and %d more)", r.More)
	}
	switch {
	case r.File == "":
		return text
	case r.source == "":
		return r.File + ": " + text
	}
	return r.File + ": " + r.source + ": " + text
}

func (r Reason) in(l Locale) string {
	text, ok := ruleTextOf(r.Rule)
	switch {
	case r.plain != "" && l == Chinese:
		return "⚠️  危险命令: " + cmp.Or(hazardZh(r.Rule, r.plain), r.plain)
	case r.plain != "":
		return r.plain
	case !ok:
		return r.Message
	case l == Chinese:
		return r.fill(text.zh)
	}
	return r.fill(text.en)
}

// InsteadIn returns what would be allowed instead, in a language.
func (r Reason) InsteadIn(l Locale) string {
	if text, ok := ruleTextOf(r.Rule); ok && l == Chinese && r.Instead != "" {
		return text.insteadZh
	}
	return r.Instead
}

// fill puts the path and the detail into a text, once each: what they hold is not looked at.
func (r Reason) fill(text string) string {
	before, rest, more := strings.Cut(text, "{")
	if !more {
		return text
	}
	value := r.detail
	if rest, more = strings.CutPrefix(rest, "path}"); more {
		value = r.Path
	} else {
		rest = strings.TrimPrefix(rest, "detail}")
	}
	if value == "sh" && strings.HasPrefix(r.Rule, "code.") {
		value = "shell" // as people call the language
	}
	return before + value + r.fill(rest)
}

func noPolicy() string {
	text, _ := ruleTextOf("policy.missing")
	return text.en
}

// An ErrorType is the stable name of a kind of refusal.
type ErrorType string

// The kinds of refusals.
const (
	DangerousCommand ErrorType = "dangerous_command"
	RestrictedPath   ErrorType = "restricted_path"
	ReadOnlyPath     ErrorType = "readonly_path"
	DangerousShell   ErrorType = "dangerous_shell"
	ShellDisabled    ErrorType = "shell_disabled"
	MachineFrozen    ErrorType = "frozen"  // see RuleFrozen
	FleetOffline     ErrorType = "offline" // see RuleOffline
)
