package launcher

import (
	"fmt"
	"strings"
	"testing"
)

// B-R1.2: whatever an agent's program puts around a command, its plan is that of the command alone:
// an approval of the one fits the other.
func TestPlanOfAWrappedCommand(t *testing.T) {
	l, base := world(t)
	base.Shell.Name, base.Agent, base.Stdio.In = "bash", "one", devNull(t)
	judge := func(text string) *Judgement {
		r := base
		r.Shell.Text = text
		return judged(t, l, r)
	}
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'" }
	wrappers := map[string]string{
		"claude-code": "shopt -u extglob 2>/dev/null || true && eval %s < /dev/null && pwd -P >| /tmp/claude-00a1-cwd",
		"codex": "__CODEX_SNAPSHOT_OVERRIDE_SET_0=\"${CODEX_HOME+x}\"\n" +
			"exec '/bin/bash' -c %s",
	}
	for _, command := range []string{
		"rm -r src", "rm -r src; echo once >> count", "rm -r src > log 2>&1", "rm -r src < a",
		"rm -r src 2>/dev/null >/dev/null",
		"cat > b <<'E'\none\nE\nrm -r src", "rm -r src; ls; ls; echo; echo",
		"for f in a b; do wc -l < \"$f\" >> n; done; rm -r src",
		"(rm -r src; ls) | tee log > /dev/null", "ls > b || ls > c; rm -r src; ls > b",
		"rm -r $(echo src) > b", "{ ls; rm -r src; } >&2",
		"bash -c 'rm -r src > b'", "eval 'rm -r src > b; ls'",
		"pushd src >/dev/null; rm -r .; popd >/dev/null",
	} {
		alone := judge(command)
		for client, around := range wrappers {
			whole := judge(fmt.Sprintf(around, quoted(command)))
			switch {
			case whole.own == nil:
				t.Errorf("%s, %q: the command is not told apart from what is around it", client,
					command)
			case whole.Hash() != alone.Hash():
				t.Errorf("%s, %q: it is another plan than that of the command alone", client,
					command)
			}
		}
	}
}

// Words beside the agent's command in the part that carries it are not left out: then the whole is
// the plan.
func TestPlanOfAWrapperThatDoesMore(t *testing.T) {
	l, base := world(t)
	base.Shell.Name, base.Stdio.In = "bash", devNull(t)
	for _, text := range []string{
		"eval 'rm -r src' > b && pwd -P >| /tmp/claude-00a1-cwd",
		"eval 'rm -r src' < a && pwd -P >| /tmp/claude-00a1-cwd",
		"eval 'rm -r src' && rm a && pwd -P >| /tmp/claude-00a1-cwd",
		"A=$(rm a) eval 'rm -r src' && pwd -P >| /tmp/claude-00a1-cwd",
	} {
		r := base
		r.Shell.Text = text
		if judged(t, l, r).own != nil {
			t.Errorf("%q is shown as rm -r src alone", text)
		}
	}
}
