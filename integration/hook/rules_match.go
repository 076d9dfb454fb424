package hook

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A rule denies or asks.
type rule struct {
	from, text string // where and how it is written
	asks       bool
	whole      func(string) bool // whether it might be for this command line
	part       func(string) bool // whether the platform certainly applies it to this command
}

// anyLine is how a rule matches that cannot be read.
func anyLine(string) bool { return true }

func noLine(string) bool { return false }

// worded is a rule with a pattern of words: a star is any text.
func worded(from, text, body string, asks bool) rule {
	return rule{from, text, asks, loosely(body).MatchString, exactly(body).MatchString}
}

// wordedIn are what may be rules in a text, each TOOL(PATTERN).
func wordedIn(from, text, tools string, asks bool) (list []rule) {
	for tool := range strings.SplitSeq(tools, ",") {
		for rest := text; ; {
			_, after, found := strings.Cut(rest, tool+"(")
			if !found {
				break
			}
			for i, r := range after {
				if r == ')' {
					list = append(list, worded(from, tool+"("+after[:i+1], after[:i], asks))
				}
			}
			rest = after
		}
	}
	return list
}

// expression compiles an expression when it is first needed.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var blankStars = expression(`(?:[: ]\\\*)+`)

// loosely is what a pattern means, and somewhat more: behind a colon or a blank, a star is also no
// text, and any that does not continue the word. Quotes and blanks do not count.
func loosely(body string) *regexp.Regexp {
	text := blankStars().ReplaceAllLiteralString(regexp.QuoteMeta(bare(body)), `(?:[^\w-].*)?`)
	return regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(text, `\*`, `.*`) + `\z`)
}

// exactly is what every release takes a pattern for.
func exactly(body string) *regexp.Regexp {
	text := regexp.QuoteMeta(strings.TrimSpace(body))
	for _, end := range []string{`:\*`, ` \*`} {
		if start, is := strings.CutSuffix(text, end); is {
			text = start + `(?: .*)?`
		}
	}
	return regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(text, `\*`, `.*`) + `\z`)
}

// expressed is a rule with an expression of JavaScript for the arguments of the call as JSON.
func (c Call) expressed(from, text, expression string, asks bool) rule {
	r := rule{from: from, text: text, asks: asks, whole: anyLine, part: noLine}
	matcher, exact := javaScript(expression)
	if matcher == nil {
		return r
	}
	r.whole = func(line string) bool {
		return slices.ContainsFunc(c.asJSON(line), matcher.MatchString)
	}
	if exact {
		r.part = r.whole
	}
	return r
}

// foreign are escapes that mean something else in Go.
var foreign = expression(`\\[AzaQEpPC]|\\x\{|\[\[:|\(\?[a-zA-Z-]`)

// javaScript reads an expression of JavaScript. If it has something that Go does not, it returns
// one that matches more, and false; nil if it cannot tell what would.
func javaScript(text string) (matcher *regexp.Regexp, exact bool) {
	if foreign().MatchString(text) {
		return nil, false
	}
	matcher, err := regexp.Compile(text)
	if err == nil && !strings.Contains(text, "[]") && !strings.Contains(text, "[^]") {
		return matcher, true
	}
	matcher, _ = regexp.Compile(withoutLooks(text))
	return matcher, false
}

var (
	looks = expression(`\A\(\?<?[=!]`)
	backs = expression(`\A\\(?:[1-9][0-9]*|k<\w*>)`)
	units = expression(`\A\\u([0-9a-fA-F]{4})`)
)

// withoutLooks leaves out what looks ahead or behind, and takes any text for what refers back: what
// is left has no "not", so it matches at least what the whole does.
func withoutLooks(text string) string {
	var out strings.Builder
	class, depth, left := false, 0, -1 // left is the depth of the group that is left out
	for i := 0; i < len(text); {
		rest, n := text[i:], 1
		written := rest[:1]
		switch {
		case units().MatchString(rest):
			n, written = 6, `\x{`+rest[2:6]+`}`
		case !class && backs().MatchString(rest):
			n, written = len(backs().FindString(rest)), `(?:.*)`
		case rest[0] == '\\' && len(rest) > 1:
			n, written = 2, rest[:2]
		case !class && strings.HasPrefix(rest, "[^]"):
			n, written = 3, `(?s:.)`
		case !class && strings.HasPrefix(rest, "[]"):
			n, written = 2, `[^\x00-\x{10FFFF}]`
		case class && rest[0] == ']':
			class = false
		case !class && rest[0] == '[':
			class = true
		case !class && rest[0] == '(':
			if depth++; left < 0 && looks().MatchString(rest) {
				left = depth
				out.WriteString(`(?:)`) // what counts it counts nothing else
			}
		case !class && rest[0] == ')':
			depth--
		}
		if left < 0 {
			out.WriteString(written)
		} else if depth < left {
			left = -1
		}
		i += n
	}
	return out.String()
}

// asJSON is a call with another command line as platforms write it for their rules: the members in
// order, for some with NULs around each.
func (c Call) asJSON(line string) []string {
	args := maps.Clone(c.Args)
	args[c.spelled("command")] = plainJSON(line)
	var plain, marked []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		member := string(plainJSON(name)) + ":" + string(args[name])
		plain, marked = append(plain, member), append(marked, "\x00"+member+"\x00")
	}
	return []string{"{" + strings.Join(plain, ",") + "}", "{" + strings.Join(marked, ",") + "}"}
}

// plainJSON writes a text as JSON.stringify does, with < > and & as they are.
func plainJSON(text string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text always has a form
	return bytes.TrimSpace(b.Bytes())
}

// bare is a text without quotes, and with one blank where there are several.
func bare(text string) string {
	text = strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}
