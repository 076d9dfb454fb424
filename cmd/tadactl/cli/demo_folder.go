package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/undo"
)

// dangerous is the one command that the demo may approve by itself.
const dangerous = "rm -rf .git; ls -A"

// A throwaway is a workspace and a state directory that were made for one demo.
//
// The demo can approve without a person, and has no other power for that than anyone has who makes
// a state directory: it signs with a key that it writes into the trust list of this one. The
// private half never leaves the memory, so nothing can sign with it afterwards, and no other state
// directory trusts it.
type throwaway struct {
	top, work string
	launcher  *launcher.Launcher
	key       approval.Key
	made      os.FileInfo // of the state directory
}

// newThrowaway makes them. The caller removes top.
func newThrowaway(account launcher.Place) (t *throwaway, err error) {
	t = &throwaway{}
	if t.top, err = os.MkdirTemp("", "tada-demo-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(t.top)
		}
	}()
	if t.top, err = filepath.EvalSymlinks(t.top); err != nil {
		return nil, err
	}
	t.work = filepath.Join(t.top, "project")
	for name, text := range map[string]string{
		"notes.txt": "one\ntwo\nthree\n", "photos/cat.txt": "a cat\n", "photos/dog.txt": "a dog\n",
		".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/.keep": "",
		".git/objects/.keep": "",
	} {
		path := filepath.Join(t.work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	state := filepath.Join(t.top, "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		return nil, err
	}
	if t.made, err = os.Lstat(state); err != nil {
		return nil, err
	}
	if t.key, err = approval.NewKey("demo", rand.Reader); err != nil {
		return nil, err
	}
	account.State = state
	if t.launcher, err = open(account); err != nil {
		return nil, err
	}
	return t, approval.SaveKey(t.launcher.Home().Trust(), []byte(t.key.TrustLine()+"\n"))
}

// answer approves the one question that waits, if it is the one that the demo has asked.
func (t *throwaway) answer(ctx context.Context) error {
	home := t.launcher.Home()
	if now, err := os.Lstat(home.Dir); err != nil || !os.SameFile(now, t.made) {
		return errors.Join(errors.New("the state directory is not the one that was made"), err)
	}
	list, err := t.launcher.Pending(ctx)
	if err != nil {
		return err
	}
	if len(list) != 1 {
		return errNotOwn
	}
	line, err := t.launcher.ExportRequest(ctx, list[0].ID)
	if err != nil {
		return err
	}
	q, err := approval.ReadQuestion(line)
	if err != nil {
		return err
	}
	if !t.isOwn(q.Payload) { // what is signed is what was looked at
		return errNotOwn
	}
	a, err := q.Answer(true, "", time.Now(), time.Minute)
	if err != nil {
		return err
	}
	token, err := t.key.Sign(a, rand.Reader)
	if err != nil {
		return err
	}
	_, err = t.launcher.DecideToken(ctx, token)
	return err
}

var errNotOwn = errors.New("what waits is not the question that the demo has asked")

// isOwn reports whether a plan is the dangerous command in the workspace of the demo.
func (t *throwaway) isOwn(payload []byte) bool {
	var p struct {
		Root  string `json:"workspace_root"`
		Calls []struct {
			Args struct {
				Command string `json:"command"`
			} `json:"args"`
		} `json:"tool_calls"`
	}
	err := json.Unmarshal(payload, &p)
	return err == nil && p.Root == t.work && len(p.Calls) == 1 &&
		p.Calls[0].Args.Command == dangerous
}

// undoOwn takes back the last run, which the demo itself has started.
func (t *throwaway) undoOwn(ctx context.Context) ([]undo.Step, error) {
	done, err := t.launcher.AskUndo(ctx, launcher.Request{Dir: t.work, Env: os.Environ()},
		undo.Take{}, func(string) bool { return true },
		launcher.Notice{Platform: "demo", Tool: "undo_run"})
	if err == nil && done.Refusal != nil {
		err = errors.New(done.Refusal.Line())
	}
	return done.Steps, err
}
