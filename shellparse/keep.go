package shellparse

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// A Keeping is what stands in a text without a meaning of its own: it saves variables, and restores them behind a
// file that is sourced between.
//
// Codex writes that around every command, some 340 lines for some fifty variables. Followed branch by branch, these
// are more statements than a text may have; taken together they say that nothing has changed, and nobody could judge
// a command behind them otherwise.
type Keeping struct {
	Save    Span   // at the beginning, where the values are still those that the shell was started with
	Source  Span   // what stands between: one file is sourced, and nothing else
	Restore Span   // of the same variables
	Rest    string // behind it
}

// What the text is made of. All of it is compared byte by byte.
const (
	keepMark   = "__CODEX_SNAPSHOT_"
	proxyMark  = keepMark + "PROXY_"
	proxySaved = proxyMark + `ENV_SET="${CODEX_NETWORK_PROXY_ACTIVE+x}"` + "\n"
	proxyIf    = `if [ -n "$` + proxyMark + `ENV_SET" ] || [ -n "${CODEX_NETWORK_PROXY_ACTIVE+x}" ]; then` + "\n"

	// saveOne and restoreOne are about one variable: [1] is its name, [2] the mark, [3] its number.
	saveOne    = "%[2]sSET_%[3]d=\"${%[1]s+x}\"\n%[2]s%[3]d=\"${%[1]s-}\"\n"
	restoreOne = "if [ -n \"${%[2]sSET_%[3]d}\" ]; then\n" +
		"  if [ -z \"${%[1]s+x}\" ] || [ \"${%[1]s-}\" != \"${%[2]s%[3]d}\" ]; then export %[1]s=\"${%[2]s%[3]d}\"; else export %[1]s; fi\n" +
		"else builtin unset %[1]s 2>/dev/null || command unset %[1]s; fi\n" +
		"builtin unset %[2]sSET_%[3]d %[2]s%[3]d 2>/dev/null || command unset %[2]sSET_%[3]d %[2]s%[3]d\n"
)

var (
	// keepable are the variables that may be kept so: the program's own, and those that name a proxy or certificates.
	// Any other name makes it another text, because some variables change the shell when they are exported.
	keepable = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:CODEX_[A-Z_]+|(?i:[A-Z_]*PROXY|[A-Z_]*(?:CERTS?|CERT_FILE|CAFILE|CAINFO|CA_BUNDLE)))$`)
	})
	sourced = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\nif \. '[^'\n]*' >/dev/null 2>&1; then :; fi\n\n`) })
)

// Kept finds the Keeping in a text. It reports false for a text that does not begin with one, whole.
func Kept(text string) (Keeping, bool) {
	if !strings.HasPrefix(text, keepMark) {
		return Keeping{}, false // most texts
	}
	rest, own := keep(text, keepMark+"OVERRIDE_")
	rest, proxies := keep(rest, proxyMark+"OVERRIDE_")
	if proxies != "" {
		var found bool
		if rest, found = strings.CutPrefix(rest, proxySaved); !found {
			return Keeping{}, false
		}
		own += proxyIf + proxies + "fi\n"
	}
	source := sourced().FindString(rest)
	behind, found := strings.CutPrefix(rest[len(source):], own)
	if own == "" || source == "" || !found {
		return Keeping{}, false
	}
	save, restore := len(text)-len(rest), len(text)-len(behind)
	return Keeping{Span{0, save}, Span{save, save + len(source)}, Span{save + len(source), restore}, behind}, true
}

// keep reads the lines that save variables under a mark. It returns what stands behind them, and what restores all of
// them.
func keep(text, mark string) (rest, restore string) {
	var b strings.Builder
	for i := 0; ; i++ {
		_, name, _ := strings.Cut(text, `="${`)
		name, _, _ = strings.Cut(name, "+x}")
		tail, found := strings.CutPrefix(text, fmt.Sprintf(saveOne, name, mark, i))
		if !found || !keepable().MatchString(name) {
			return text, b.String()
		}
		fmt.Fprintf(&b, restoreOne, name, mark, i)
		text = tail
	}
}

// without leaves out of a text's statements those that only keep variables.
func (w *walker) without(f *syntax.File) []*syntax.Stmt {
	k, found := Kept(w.src)
	if !found || w.fixed != nil {
		return f.Stmts
	}
	var list []*syntax.Stmt
	for _, st := range f.Stmts {
		if at := w.span(st); !k.Save.holds(at) && !k.Restore.holds(at) {
			list = append(list, st)
			continue
		}
		syntax.Walk(st, func(n syntax.Node) bool {
			if inner, ok := n.(*syntax.Stmt); ok {
				w.visited[inner] = struct{}{}
			}
			return true
		})
	}
	return list
}

// holds reports whether all of t stands in s.
func (s Span) holds(t Span) bool { return s.Start <= t.Start && t.End <= s.End }
