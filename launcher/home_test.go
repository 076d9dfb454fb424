package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/state"
)

func TestOpenHomeMakesPrivateFolders(t *testing.T) {
	h, err := Place{State: filepath.Join(t.TempDir(), "deep", "state")}.openHome()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{h.Dir, h.Audit(), h.Sessions(), h.Runtime()} {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%q has mode %o", dir, info.Mode().Perm())
		}
	}
}

// A state directory that another user could have written is refused.
func TestOpenHomeRefuses(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	file := filepath.Join(t.TempDir(), "file")
	loose := filepath.Join(t.TempDir(), "loose")
	other := filepath.Join(t.TempDir(), "etc")
	if err := errors.Join(
		os.Mkdir(other, 0o700), os.WriteFile(filepath.Join(other, "fstab"), nil, 0o644),
		hermetic.Chmod(other, 0o755),
		os.Mkdir(open, 0o700), hermetic.Chmod(open, 0o750),
		os.WriteFile(file, nil, 0o600),
		os.Mkdir(loose, 0o700), os.Mkdir(filepath.Join(loose, "sessions"), 0o700),
		os.Mkdir(filepath.Join(loose, "audit"), 0o700),
		hermetic.Chmod(filepath.Join(loose, "audit"), 0o707),
	); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ dir, reason, fix string }{
		{open, "mode is 0750", "chmod go= "},
		{file, file + `" is not a directory`, "name a directory of your own, such as --home "},
		{filepath.Join(file, "below"), file + `" is not a directory`,
			"name a directory of your own, such as --home "},
		{"/etc/passwd", `"/etc/passwd" is not a directory`, "name a directory of your own"},
		{"/dev/null/x/y", `"/dev/null" is not a directory`, "name a directory of your own"},
		{"/proc/state", "no such file", "namei -l "},
		{loose, "mode is 0707", "chmod go= "},
		{"/usr", "it ", "name a directory of your own"},
		{other, "contains other files", "name a directory of your own"},
	} {
		_, err := Place{State: test.dir}.openHome()
		var refused *state.HomeError
		if !errors.As(err, &refused) || !strings.Contains(refused.Reason, test.reason) ||
			!strings.Contains(refused.Fix, test.fix) {
			t.Errorf("Place{State: %q}.openHome(): %v", test.dir, err)
		}
		if ExitOf(err) != exit.Config {
			t.Errorf("Place{State: %q}.openHome() exits %d, want %d", test.dir, ExitOf(err),
				exit.Config)
		}
	}
}

func TestOpenHomeRefusesAnotherUsersFolder(t *testing.T) {
	if os.Getuid() == 0 {
		dir := filepath.Join(t.TempDir(), "theirs")
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, 65534, 65534)); err != nil {
			t.Fatal(err)
		}
		if _, err := (Place{State: dir}).openHome(); err == nil ||
			!strings.Contains(err.Error(), "belongs to uid 65534") {
			t.Errorf("OpenHome of uid 65534's folder: %v", err)
		}
		return
	}
	if _, err := (Place{State: "/etc"}).openHome(); err == nil ||
		!strings.Contains(err.Error(), "/etc/audit") &&
			!strings.Contains(err.Error(), "belongs to uid 0") {
		t.Errorf("OpenHome of root's folder: %v", err)
	}
}

// E-env-1: the account's home is what /etc/passwd says, whatever HOME says.
func TestAccountHomeIgnoresTheEnvironment(t *testing.T) {
	t.Setenv("HOME", "/elsewhere")
	home, err := state.AccountHome(0)
	if err != nil || home == "/elsewhere" || !filepath.IsAbs(home) {
		t.Errorf("AccountHome(0) = %q, %v", home, err)
	}
	if _, err := state.AccountHome(3999999999 % (1 << 31)); err == nil {
		t.Error("an unknown uid has a home")
	}
}

func TestSessionIDsSortByTimeAndAreFileNames(t *testing.T) {
	if state.IsID("../../etc/passwd") || state.IsID("") || state.IsID(strings.Repeat("!", 16)) {
		t.Error("something else than an id is taken for one")
	}
	id, err := state.NewID(epoch, strings.NewReader("abcd"))
	if err != nil || !state.IsID(id) {
		t.Fatalf("%q, %v", id, err)
	}
	later, _ := state.NewID(epoch.Add(1e6), strings.NewReader("\x00\x00\x00\x00"))
	if later <= id {
		t.Errorf("%q, a millisecond later, does not sort behind %q", later, id)
	}
	if _, err := state.NewID(epoch, strings.NewReader("")); err == nil {
		t.Error("no randomness, and still an id")
	}
}

// B-R2.5: nothing starts with questions that live longer than their nonces are kept.
func TestTTLBeyondRetention(t *testing.T) {
	l, req := world(t)
	l.TTL = 8 * 24 * time.Hour
	req.Shell.Text = "cat /etc/shadow"
	_, err := l.Run(context.Background(), req)
	if ExitOf(err) != exit.Config || !strings.Contains(fmt.Sprint(err), "192h") ||
		!strings.Contains(fmt.Sprint(err), "168h") {
		t.Errorf("%v exits %d", err, ExitOf(err))
	}
}

// A configuration with a mistake names the command that opens it, for the state directory that it
// is in.
func TestMendTheConfiguration(t *testing.T) {
	account := t.TempDir()
	state := filepath.Join(account, ".tada")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, "config.yaml"), []byte("limits: {}\nlimits: {}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		place Place
		fix   string
	}{
		{Place{Account: account}, "; try: tadactl policy edit"},
		{Place{Account: account, State: state},
			fmt.Sprintf("; try: tadactl --home %q policy edit", state)},
		{Place{Account: account, State: filepath.Join(account, "other")},
			"; try: tadactl policy edit"},
	} {
		if _, err := c.place.Open(); err == nil || !strings.HasSuffix(err.Error(), c.fix) {
			t.Errorf("%+v: %v, want ... %s", c.place, err, c.fix)
		}
	}
}
