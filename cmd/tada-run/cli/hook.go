package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/shell"
)

// hookLine is what `tadactl hook install` writes around the path of tadactl. It contains no other
// state directory: the line must not be a way to write elsewhere.
var hookLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9]+ (/[^ ]+) hook run (--wait=[0-9a-z.]+ )?[a-z-]+ \|\| exit 2$`)
})

// ownHook runs the registered hook of a client whose shell this program is, as the real shell
// would. In a sandbox the hook could reach neither the policy nor the record, and every call would
// be blocked. The hook is one program, beside this one, that reads a call and answers: a process
// that sends the line itself learns only what it could have learned by asking. ownHook returns only
// if the line is something else, or if it fails.
func ownHook(inv *invocation, argv []string) error {
	if inv.text == nil || len(inv.args) > 0 || !strings.HasPrefix(*inv.text, launcher.HookGuard) {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil // then it is judged like any other
	}
	found := hookLine().FindStringSubmatch((*inv.text)[len(launcher.HookGuard):])
	if found == nil || found[1] != filepath.Join(filepath.Dir(self), "tadactl") {
		return nil
	}
	return launcher.ExecShell(shell.DialectOf(inv.called), []string{argv[0], "-c", *inv.text},
		plainEnv(os.Environ()))
}

// plainEnv is an environment without the variables that make a shell run something else before the
// line: some platforms also take their environment from files of the repository, and this shell is
// in no sandbox.
func plainEnv(env []string) []string {
	return slices.DeleteFunc(env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return environ.ActsFirst(name)
	})
}
