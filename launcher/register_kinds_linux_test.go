package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// C9: what is no regular file, or behind a path that leads nowhere, is refused by its name, and
// never waited for.
func TestSettingsThatAreNoFile(t *testing.T) {
	l, _ := world(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(unix.Mkfifo(at("fifo"), 0o600), os.Mkdir(at("folder"), 0o700),
		os.Symlink(at("loop"), at("loop")), os.WriteFile(at("file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fifo", "folder", "loop", "file/settings.json"} {
		_, err := ReadSettings(at(name))
		if err == nil {
			t.Errorf("%s was read", name)
		}
		_, err = l.Register(at(name), Registration{})
		if !errors.As(err, new(*NotWrittenError)) || !strings.Contains(err.Error(), at(name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := ReadSettings(at("none")); text != nil || err != nil {
		t.Errorf("what is not there: %q, %v", text, err)
	}
	if text, err := ReadSettings(at("file")); text == nil || err != nil {
		t.Errorf("an empty file: %v, %v", text, err)
	}
}
