package launcher

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard"
)

// C2: where a variable tells an agent's program another place for its things, what it saved of the
// shell there is recognised as in the usual place, and its start may write it: where neither a
// command nor another user can put a file. Elsewhere the text is judged as it stands.
func TestMovedSnapshots(t *testing.T) {
	l, base, fill := hostileWorld(t)
	const command = "rm -r src"
	lay := func(dir string, mode os.FileMode) string {
		t.Helper()
		dir = filepath.Clean(fill.Replace(dir))
		for _, name := range []string{"shell-snapshots/snapshot-bash-1-a.sh",
			"shell_snapshots/a.sh"} {
			write := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(write), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(write, []byte("rm() { touch evil; }\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := hermetic.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	own := lay("H/alt", 0o700)
	link := filepath.Join(l.account, "alt-link")
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir   string
		knows bool
	}{
		{own, true}, {lay("H/readable", 0o755), true},
		{lay("H/group", 0o770), false}, {lay("H/others", 0o757), false}, {link, false},
		{lay("W/alt", 0o700), false}, {lay("H/.cache/go-build", 0o700), false},
		{own + "/../alt", false}, {"alt", false},
	} {
		for variable, text := range map[string]string{
			"CLAUDE_CONFIG_DIR": "source " + c.dir +
				"/shell-snapshots/snapshot-bash-1-a.sh; eval '" + command + "'",
			"CODEX_HOME": ". " + c.dir + "/shell_snapshots/a.sh\nexec /bin/bash -c '" +
				command + "'",
		} {
			r := base
			r.Env = append(slices.Clone(r.Env), variable+"="+c.dir)
			r.Shell.Text = text
			if shown := judged(t, l, r).subject().Script.Text; (shown == command) != c.knows {
				t.Errorf("%s=%s: the plan is that of %q", variable, c.dir, shown)
			}
			r.Env = base.Env
			if shown := judged(t, l, r).subject().Script.Text; shown == command {
				t.Errorf("without %s=%s: the plan is that of the command alone", variable, c.dir)
			}
		}
		r := base
		r.Agent, r.Shell.Login = "claude-code", true
		r.Env = append(slices.Clone(r.Env), "CLAUDE_CONFIG_DIR="+c.dir)
		file := c.dir + "/shell-snapshots/snapshot-bash-9-z.sh"
		r.Shell.Text = "SNAPSHOT_FILE=" + file + "\necho '# Snapshot file' >| \"$SNAPSHOT_FILE\"\n"
		if got := judged(t, l, r).Verdict.Decision; c.knows && got != pathguard.Allow {
			t.Errorf("the start of the program writes %s: %v", file, got)
		}
		r.Shell.Text, r.Shell.Login = "echo x > "+file, false
		if got := judged(t, l, r).Verdict.Decision; c.knows && got == pathguard.Allow {
			t.Errorf("a command writes %s unasked", file)
		}
	}
}
