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
)

// hookLine is what `tadactl hook install` writes around the path of tadactl. A state directory of
// its own is not among it: the line must not be a way to write somewhere else.
var hookLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9]+ (/[^ ]+) hook run (--wait=[0-9a-z.]+ )?[a-z-]+ \|\| exit 2$`)
})

// ownHook runs the registered hook of a client whose shell this program is, as the real shell
// would. In a fence the hook could reach neither the policy nor the record, and every call would be
// blocked. It is one program, beside this one, that reads a call and answers: whoever sends the
// line himself learns what he could have learned by asking. It returns only when this is something
// else, or fails.
func ownHook(inv *invocation, argv []string) error {
	if inv.text == nil || len(inv.args) > 0 || !strings.HasPrefix(*inv.text, launcher.HookGuard) {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil // then it is judged as any other
	}
	found := hookLine().FindStringSubmatch((*inv.text)[len(launcher.HookGuard):])
	if found == nil || found[1] != filepath.Join(filepath.Dir(self), "tadactl") {
		return nil
	}
	return launcher.ExecShell(launcher.DialectOf(inv.called), []string{argv[0], "-c", *inv.text},
		plainEnv(os.Environ()))
}

// plainEnv is an environment without what has a shell run something else before the line: some
// platforms take their environment from files of the repository, too, and this shell is in no
// sandbox.
func plainEnv(env []string) []string {
	return slices.DeleteFunc(env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return environ.ActsFirst(name)
	})
}
