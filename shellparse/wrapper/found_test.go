package wrapper

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

const (
	noted   = "_bgpids_file=/tmp/gemini-shell-ab/bgpids.tmp\n"
	trapped = "(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nls\n)"
	path    = "export PATH=/w/bin:\"$PATH\"\n"
)

// What is told of a text that is a wrapper: the command, where what carries it is, what it reads,
// and what stood for the names of the table.
func TestWhatIsFound(t *testing.T) {
	for _, test := range []struct {
		text, own, carried string
		null, idle         bool
		names              map[string]string
	}{
		{"eval 'ls' < /dev/null", "ls", "eval 'ls' < /dev/null", true, true, nil},
		{"true >&2; eval 'ls'; : 2>&1", "ls", "eval 'ls';", false, true, nil},
		{"pwd -P >| /tmp/claude-ab-cwd && eval 'ls'", "ls", "eval 'ls'", false, true,
			map[string]string{"note": "/tmp/claude-ab-cwd"}},
		{". /a/shell-snapshots/snapshot-bash-1.sh; " +
			"source '/b c/shell-snapshots/snapshot-zsh-2.sh'\n" +
			"eval 'ls'", "ls", "eval 'ls'", false, true,
			map[string]string{"snapshot": "/a/shell-snapshots/snapshot-bash-1.sh " +
				"/b c/shell-snapshots/snapshot-zsh-2.sh"}},
		{path + "exec /bin/bash -c 'ls'", "ls", "exec /bin/bash -c 'ls'", false, true,
			map[string]string{"folder": "/w/bin", "shell": "/bin/bash"}},
		{"setopt NO_EXTENDED_GLOB noBareGlobQual 2>/dev/null || true; eval 'ls'", "ls",
			"eval 'ls'", false, true, map[string]string{"zshoptions": "NO_EXTENDED_GLOB"}},
		{"eval 'ls'; pwd > /tmp/claude-ab-cwd", "ls", "eval 'ls';", false, true,
			map[string]string{"note": "/tmp/claude-ab-cwd"}},
		{"source /a/shell_snapshots/x.sh\nexec /bin/bash -lc 'ls'", "ls",
			"exec /bin/bash -lc 'ls'", false, true,
			map[string]string{"snapshot": "/a/shell_snapshots/x.sh", "shell": "/bin/bash",
				"login": "-lc"}},
		{"if [ -n \"${PATH:-}\" ]; then " + path +
			"else export PATH=/w/b; fi\nexec /bin/sh -c 'ls'",
			"ls", "exec /bin/sh -c 'ls'", false, true,
			map[string]string{"folder": "/w/bin /w/b", "shell": "/bin/sh"}},
		{noted + trapped, "ls", "\nls\n", false, true,
			map[string]string{"note": "/tmp/gemini-shell-ab/bgpids.tmp", "jobs": "*"}},
		{noted + strings.Replace(trapped, "ls", "  ls;", 1), "  ls;", "\n  ls;\n", false, true,
			map[string]string{"note": "/tmp/gemini-shell-ab/bgpids.tmp", "jobs": "*"}},
		{noted + "{ ls; (pwd); }", "ls; (pwd)", " ls; (pwd); ", false, true,
			map[string]string{"note": "/tmp/gemini-shell-ab/bgpids.tmp"}},
		{noted + "{\ntrue\n" + trapped + "\n}", "true\n" + trapped, "\ntrue\n" + trapped + "\n",
			false, true, map[string]string{"note": "/tmp/gemini-shell-ab/bgpids.tmp"}},
		{"/b/tada-run --agent=codex -c 'ls' < /dev/null", "ls",
			"/b/tada-run --agent=codex -c 'ls' < /dev/null", true, false,
			map[string]string{"runner": "/b/tada-run", "agent": "codex"}},
		{"/b/tada-run --agent=codex --call-id=7 -c 'ls'\nexit\nls", "ls",
			"/b/tada-run --agent=codex --call-id=7 -c 'ls'\nexit\nls", false, false,
			map[string]string{"runner": "/b/tada-run", "agent": "codex", "call": "7"}},
	} {
		l, ok := find(t, test.text)
		names := map[string]string{}
		for name, list := range l.Names {
			if names[name] = strings.Join(list, " "); name == "jobs" {
				names[name] = "*"
			}
		}
		if !ok || l.Own != test.own || test.text[l.Start:l.End] != test.carried ||
			l.Null != test.null || l.Idle != test.idle || !maps.Equal(names, test.names) ||
			len(l.Keeps) > 0 {
			t.Errorf("%q: %v, %+v, carried by %q, names %v", test.text, ok, l,
				test.text[l.Start:l.End], names)
		}
	}
	for _, none := range []string{"", "# words", "\n"} {
		if l, ok := find(t, none); ok {
			t.Errorf("%q: %+v", none, l)
		}
	}
}

// kept has the texts by which Codex saves and restores a variable: saves, restores and forgets.
var kept = strings.NewReplacer("F", "__CODEX_SNAPSHOT_AF", "V", "__CODEX_SNAPSHOT_A",
	"K", "HTTPS_PROXY", "⏎", "\n")

// What only keeps variables is told statement by statement, also where the text as a whole is no
// wrapper: as long as nothing else came before it that could have changed one.
func TestWhatKeeps(t *testing.T) {
	const (
		save    = `F="${K+x}"⏎V="${K-}"`
		restore = `if [ -n "$F" ]; then export K="$V"; else unset K; fi`
		changed = `if [ -n "$F" ]; then if [ -z "${K+x}" ] || [ "${K-}" != "$V" ]; then ` +
			`export K="$V"; else export K; fi; else unset K; fi`
		deeper = `if [ -n "$F" ]; then if true; then if true; then if true; then export K; ` +
			`fi; fi; fi; fi`
		forget = "unset F V"
		own    = "exec /bin/bash -c 'ls'"
	)
	for _, test := range []struct {
		text  string
		keeps []string // the last of a text that keep, from its first on
		found bool
	}{
		{save + "⏎" + own, []string{save}, true},
		{save + "⏎" + restore + "⏎" + forget + "⏎" + own, []string{save, restore, forget}, true},
		{save + "⏎" + changed + "⏎" + own, []string{save, changed}, true},
		{save + `⏎if [ -n "$F" ]; then if [ -n "${K+x}" ]; then export K="$V"; fi; fi⏎` + own,
			[]string{save, `if [ -n "$F" ]; then if [ -n "${K+x}" ]; then export K="$V"; fi; fi`},
			true},
		{save + "⏎ls", []string{save}, false},
		{save + "⏎ls⏎" + restore, []string{save}, false},
		{save + "⏎ls⏎" + restore + "⏎" + forget, []string{save}, false},
		{save + "⏎" + own + "⏎" + restore, []string{save}, false},
		{save + "⏎" + deeper + "⏎" + own, []string{save}, false},
		{save + "⏎" + forget + "⏎" + restore, []string{save, forget}, false},
		{save + "⏎unset V⏎" + restore, []string{save, "unset V"}, false},
		{save + `⏎F="${K-}"⏎` + restore, []string{save, `F="${K-}"`}, false},
		{save + `⏎V="${K+x}"⏎` + restore, []string{save, `V="${K+x}"`}, false},
		{save + `⏎if [ -n "$F" ]; then export K="$V"; ls; fi`, []string{save}, false},
		{save + `⏎if [ -n "$F" ]; then ls; export K="$V"; fi`, []string{save}, false},
		{save + `⏎if [ -n "$F" ]; then export no_proxy; fi`, []string{save}, false},
		{save + `⏎if [ -n "$G" ]; then export K; fi`, []string{save}, false},
		{save + `⏎if [ -n "$F" x ]; then export K; fi`, []string{save}, false},
		{save + `⏎if [ -z "$F" ]; then unset K; fi`, []string{save}, false},
		{save + `⏎if true; then export K; fi`, []string{save}, false},
		{save + `⏎if true; then export K; fi⏎` + restore, []string{save}, false},
		{save + "⏎true && unset F⏎" + own, []string{save}, true},
		{`F="${K+x}" && V="${K-}"⏎` + restore + "⏎" + own, nil, false},
		{`true⏎` + save + "⏎ls", nil, false},
		{`ls⏎` + save, nil, false},
		{`if true; then V="${K-}"; fi⏎ls`, nil, false},
	} {
		text := kept.Replace(test.text)
		want := strings.Split(kept.Replace(strings.Join(test.keeps, "⏎")), "\n")
		if test.keeps == nil {
			want = nil
		}
		l, ok := find(t, text)
		var got []string
		for _, k := range l.Keeps {
			got = append(got, text[k[0]:k[1]])
		}
		_, named := l.Names["kept"]
		if ok != test.found || named || !slices.Equal(got, want) {
			t.Errorf("%s\n%v, keeps %q, names %v\nwant %q", text, ok, got, l.Names, want)
		}
	}
}

// Other shells put a command aside in ways of their own.
func TestPutAside(t *testing.T) {
	for text, dialect := range map[string]syntax.LangVariant{
		"eval 'ls' &|": syntax.LangZsh, "true &|\neval 'ls'": syntax.LangZsh,
		"eval 'ls' &!": syntax.LangZsh, "true |&\neval 'ls'": syntax.LangMirBSDKorn,
	} {
		file, err := syntax.NewParser(syntax.Variant(dialect)).Parse(strings.NewReader(text), "")
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if l, ok := Find(file, text); ok {
			t.Errorf("%q: %+v", text, l)
		}
	}
}
