package pathguard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

// A Decision is the answer to a plan. The zero value is the safe one.
type Decision int

// The decisions, strictest first.
const (
	Deny  Decision = iota // it does not run
	Ask                   // a person decides
	Allow                 // it runs, in the sandbox
)

var decisionNames = [...]string{"deny", "ask", "allow"}

// String returns "deny", "ask" or "allow".
func (d Decision) String() string {
	if d < Deny || d > Allow {
		return "deny"
	}
	return decisionNames[d]
}

// MarshalText makes a Decision a word in JSON.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the word of a Decision.
func (d *Decision) UnmarshalText(text []byte) error {
	got, ok := parseDecision(string(text))
	if !ok {
		return fmt.Errorf("unknown decision %q", text)
	}
	*d = got
	return nil
}

func parseDecision(word string) (Decision, bool) {
	for d, name := range decisionNames {
		if name == word {
			return Decision(d), true
		}
	}
	return Deny, false
}

// A Class says whether a plan changes anything. The zero value is the cautious one.
type Class int

// The two classes; there is no third.
const (
	SideEffecting Class = iota
	ReadOnly
)

// String returns "side_effecting" or "read_only".
func (c Class) String() string {
	if c == ReadOnly {
		return "read_only"
	}
	return "side_effecting"
}

// MarshalText makes a Class a word in JSON.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// A Verdict is the judgement of a plan: the strictest of its reasons. The zero Verdict
// denies.
type Verdict struct {
	Decision  Decision
	Risk      int      // 0 to 3, the highest of the reasons
	Class     Class    // read_only when every command of the plan is known to change nothing
	Reasons   []Reason // strictest first, in the order of the text; an allow carries notes at most
	Contained bool     // the sandbox must contain what the text does not decide
	Unread    bool     // it runs programs that do not tell what they change
	// a standing approval may be offered: nothing here has to be asked every time
	Standing bool

	Reversible Reversible // whether what it changes can be taken back
	Losses     []Loss     // what cannot
	// undo stands for a question: the plan is allowed only if all that it changes is kept
	Stands bool
	Unsure string // why it does not, although it could
}

// Deciding returns the rules by which a verdict is what it is, sorted; of what is allowed, those
// that are told beside it.
func (v Verdict) Deciding() (rules []string) {
	for _, r := range v.Reasons {
		if r.Decision == v.Decision && !slices.Contains(rules, r.Rule) {
			rules = append(rules, r.Rule)
		}
	}
	slices.Sort(rules)
	return rules
}

// A Reason is one rule that applies to a plan.
type Reason struct {
	Rule     string          `json:"rule"` // stable: "write.outside", "git.force-push"
	Decision Decision        `json:"verdict"`
	Risk     int             `json:"risk"`
	Message  string          `json:"message"` // English, one sentence; In gives other languages
	Span     shellparse.Span `json:"-"`
	Path     string          `json:"path,omitempty"`    // where it really points
	Instead  string          `json:"instead,omitempty"` // what would be allowed
	Command  int             `json:"-"`                 // index in Script.Commands; -1 for none
	// names of the same pattern to which the rule applies too
	More int `json:"more,omitempty"`
	// its place if it is not in the command line: "s.sh:3"
	File string `json:"file,omitempty"`

	detail string // the subject of the message when it is not the path
	plain  string // the message of a hazard or of a rule in the configuration
	origin
}

// Tells reports whether a reason is about a loss.
func (r Reason) Tells(l Loss) bool {
	return l.Rule != "" && l.Rule == r.Rule || l.Path != "" && l.Path == r.Path
}

// origin is what a reason comes from.
type origin struct {
	source string // the words of File that it speaks of
	stands bool   // undo may stand for the question
}

// A Locale is a language of messages.
type Locale int

// The locales.
const (
	English Locale = iota
	Chinese
)

// LocaleOf reads the language from the environment as setlocale(3) does for messages:
// LC_ALL, then LC_MESSAGES, then LANG. Whatever is not Chinese is English.
func LocaleOf(env map[string]string) Locale {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := env[name]; v != "" {
			if strings.HasPrefix(v, "zh") {
				return Chinese
			}
			return English
		}
	}
	return English
}
