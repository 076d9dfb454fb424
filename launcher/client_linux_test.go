package launcher

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/shell"
)

// ownFolder is where the folders of sessions are, below the home of the account.
const ownFolder = ".local/state/tada-run"

// What a session opens it has at both levels, and nothing else of the account: not the keys, not
// what runs at login, not its agent's own directory, and neither the login of another agent nor the
// folder of another session.
func TestClientSession(t *testing.T) {
	for _, level := range []sandbox.Level{sandbox.Strong, sandbox.Base} {
		t.Run(level.String(), func(t *testing.T) {
			some, req := world(t)
			l := atBase(t, some)
			if level == sandbox.Strong {
				if l.level = some.level; l.level() != sandbox.Strong {
					t.Skip("this machine has level base only")
				}
			}
			at := func(name string) string { return filepath.Join(l.account, name) }
			for _, name := range []string{
				".claude/settings.json", ".claude/.credentials.json", ".claude/agents/a.md",
				".codex/auth.json", ".ssh/id_rsa", ".bashrc", ".tada/config.yaml",
				ownFolder + "/codex/w/own",
			} {
				lay(t, at(name), "old\n")
			}
			program := filepath.Join(t.TempDir(), "claude")
			err := hermetic.WriteProgram(program, []byte(`#!/bin/sh
cd `+l.account+`
try() { (eval "$2") >/dev/null 2>&1 && echo "$1 open" || echo "$1 closed"; }
{
echo "key $ANTHROPIC_API_KEY ${OPENAI_API_KEY-none}"
try own 'echo new >"$CLAUDE_CONFIG_DIR/made" && mkdir "$CLAUDE_CONFIG_DIR/new" && rm "$CLAUDE_CONFIG_DIR/settings.json"'
try login 'grep old "$CLAUDE_CONFIG_DIR/.credentials.json" && echo new >"$CLAUDE_CONFIG_DIR/.credentials.json"'
try agents 'grep old "$CLAUDE_CONFIG_DIR/agents/a.md"'
try planted 'echo new >"$CLAUDE_CONFIG_DIR/agents/a.md"'
try settings 'echo new >.claude/settings.json'
try hooks 'mkdir .claude/hooks'
try startup 'echo new >>.bashrc'
try home 'echo new >new'
try ssh 'cat .ssh/id_rsa'
try codex 'cat .codex/auth.json'
try state 'cat .tada/config.yaml'
try other 'cat `+ownFolder+`/codex/w/own'
try others 'echo new >`+ownFolder+`/codex/w/new'
} >`+req.Dir+`/result
`), 0o755)
			if err != nil {
				t.Fatal(err)
			}
			asked := 0
			req.Shell, req.Hold = shell.Call{Words: []string{program, "go"}, Name: "tada-run"},
				&Hold{Author: "agent:?bot"}
			req.Env = append(req.Env, "ANTHROPIC_API_KEY=key", "OPENAI_API_KEY=no")
			req.Stdio, req.PTY = nowhere(t), session.Never
			req = asking(req)
			yes := req.Ask
			req.Ask = func(ctx context.Context, e approval.Envelope) (approval.Decision, error) {
				asked++
				return yes(ctx, e)
			}
			for range 2 { // the second time on the first answer
				lay(t, at(".claude/.credentials.json"), "old\n")
				_ = os.RemoveAll(at(ownFolder + "/claude"))
				out, err := l.Run(context.Background(), req)
				if err != nil || out.Refusal != nil || out.Status != 0 {
					t.Fatalf("%+v, %+v, %v", out, out.Refusal, err)
				}
				text, err := os.ReadFile(filepath.Join(req.Dir, "result"))
				want := "key key none\nown open\nlogin open\nagents open\nplanted closed\n" +
					"settings closed\nhooks closed\nstartup closed\nhome closed\nssh closed\n" +
					"codex closed\nstate closed\nother closed\nothers closed\n"
				if err != nil || string(text) != want {
					t.Errorf("%v\n%s\nwant\n%s", err, text, want)
				}
				if text, _ := os.ReadFile(at(".claude/.credentials.json")); strings.TrimSpace(string(text)) != "new" {
					t.Errorf("the login that it renewed is %q", text)
				}
			}
			if asked != 1 {
				t.Errorf("it asked %d times", asked)
			}
		})
	}
}
