package distant

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tada-run/tada-run/launcher/state"
)

// Name is the program of a fleet.
const Name = "tada-fleet"

// Program finds the program of a fleet, beside this one or in PATH.
func Program() (string, error) {
	self, err := os.Executable()
	if err == nil {
		beside := filepath.Join(filepath.Dir(self), Name)
		if _, err := os.Stat(beside); !errors.Is(err, fs.ErrNotExist) {
			return beside, err
		}
	}
	path, err := exec.LookPath(Name)
	if err != nil {
		return "", fmt.Errorf("%q is not installed beside tadactl: it is a package of its own, "+
			"for machines that are in a fleet", Name)
	}
	return path, nil
}

// A Fleet is the one that a machine is in. The zero Fleet is that of a machine in none.
type Fleet struct{ home, program string }

// Of returns the fleet of a state directory; the zero Fleet if the machine is in none, or has no
// key by which a person could answer.
func Of(home state.Home) Fleet {
	if !home.Joined() {
		return Fleet{}
	}
	if _, err := os.Stat(home.Key() + ".pub"); err != nil {
		return Fleet{}
	}
	return Fleet{home: home.Dir}
}

// IsNone reports whether there are no other machines.
func (f Fleet) IsNone() bool { return f.home == "" }

// command is tada-fleet with a verb and its words.
func (f Fleet) command(ctx context.Context, words ...string) (*exec.Cmd, error) {
	path := f.program
	if path == "" {
		var err error
		if path, err = Program(); err != nil {
			return nil, err
		}
	}
	return exec.CommandContext(ctx, path, append([]string{"--home", f.home, "--json"},
		words...)...), nil
}

// Ask returns the process that shows a question at the terminal of this one, signs the answer and
// hands it in. [Said] reads what it prints.
func (f Fleet) Ask(ctx context.Context, q Question) (*exec.Cmd, error) {
	return f.command(ctx, "answer", "--", q.ID())
}

// Answer hands in a signed answer, and returns what became of it, in a word or two.
func (f Fleet) Answer(ctx context.Context, q Question, token []byte) (string, error) {
	cmd, err := f.command(ctx, "answer", "--signed", "--", q.ID())
	if err != nil {
		return "", err
	}
	var out, bad bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(token), &out, &bad
	return Said(cmd.Run(), out.Bytes(), bad.Bytes())
}

// Said is the outcome of an answer, by how tada-fleet ended and what it printed.
func Said(ended error, out, bad []byte) (string, error) {
	var o struct{ Outcome string }
	if json.Unmarshal(out, &o) == nil && o.Outcome != "" {
		if o.Outcome == "waiting" {
			return "signed; the machine that asked has not taken it yet", nil
		}
		return o.Outcome, nil
	}
	if ended == nil {
		ended = fmt.Errorf("%q: it said nothing", Name)
	}
	return "", why(ended, bad)
}

// why is what tada-fleet printed when it failed, and otherwise how it ended.
func why(ended error, bad []byte) error {
	lines := strings.Split(strings.TrimSpace(string(bad)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return errors.New(strings.TrimPrefix(last, "tadactl fleet: "))
	}
	return ended
}
