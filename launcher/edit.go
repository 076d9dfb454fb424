package launcher

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/approval/flock"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// An Edit is a change of the account's configuration that a person is making. It works on a copy;
// the configuration itself may be one that is refused. There is one at a time.
type Edit struct {
	Path string // the configuration
	Copy string // what the editor opens; it stays until Save or Discard
	Left bool   // Copy is of an edit before, which was interrupted

	l        *Launcher
	lock     *os.File
	was      []byte // the configuration as it was copied; nil where there was none
	accepted []byte // as it was last accepted
	mode     os.FileMode
}

// ErrEditing is returned when another edit is open.
var ErrEditing = errors.New("another tadactl policy edit is open; close it first")

// EditConfig begins an edit of the configuration of a place. The caller must Close it.
func (p Place) EditConfig() (*Edit, error) {
	l, err := p.prepare()
	if err != nil {
		return nil, err
	}
	e := &Edit{Path: l.state.Config(), Copy: filepath.Join(l.state.Dir, "config.edit.yaml"), l: l,
		mode: 0o600}
	if e.lock, err = os.OpenFile(filepath.Join(l.state.Runtime(), "edit.lock"),
		os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if err := flock.Try(e.lock); err != nil {
		e.Close()
		return nil, ErrEditing
	}
	if err := e.begin(); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Close ends the edit. It leaves a copy that was neither saved nor discarded.
func (e *Edit) Close() error { return e.lock.Close() }

func (e *Edit) begin() error {
	info, err := os.Lstat(e.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return err
	case info.Mode()&os.ModeSymlink != 0:
		return &pathguard.ConfigError{File: e.Path,
			Msg: "is a symbolic link; edit its target, then: tadactl tamper accept"}
	default:
		e.mode = info.Mode().Perm()
	}
	if e.was, err = (pathguard.ConfigFile{Path: e.Path,
		Layer: pathguard.UserLayer}).Text(os.Getuid()); err != nil {
		return err
	}
	e.accepted = e.was
	if text, kept, err := e.l.ownStore().Baseline(e.Path); err != nil {
		return &ProtectionError{Err: err}
	} else if kept {
		e.accepted = text
	}
	_, err = os.Lstat(e.Copy)
	e.Left = err == nil
	return nil
}

// Start makes the copy, and replaces one that an earlier edit has left.
func (e *Edit) Start() error {
	text := e.was
	if text == nil {
		text = []byte(pathguard.Template())
	}
	e.Left = false
	return state.Replace(e.Copy, text)
}

// Insert adds rules to the copy.
func (e *Edit) Insert(rules []pathguard.Way) error {
	text, err := e.Text()
	if err == nil {
		text, err = pathguard.Insert(text, rules...)
	}
	if err != nil {
		return err
	}
	return state.Replace(e.Copy, text)
}

// Discard removes the copy.
func (e *Edit) Discard() error { return os.Remove(e.Copy) }

// Text is the copy as the editor left it.
func (e *Edit) Text() ([]byte, error) {
	f, err := os.OpenFile(e.Copy, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, pathguard.MaxConfig+1))
	if err == nil && len(text) > pathguard.MaxConfig {
		err = &pathguard.ConfigError{File: e.Path, Msg: "is larger than 1 MiB"}
	}
	return append([]byte{}, text...), err
}

// A Change is what an edit changes: as text, and in what is in force.
type Change struct {
	Text string // a unified difference; "" for none
	// "- name value" and "+ name value" of `policy show`; empty for none
	InForce []string
	Outside bool                   // some of it was made outside of tadactl before
	Failed  []pathguard.CaseResult // cases that fail: the configuration before it will apply too
	content []byte
	proof   bool
}

// None reports whether there is nothing to save.
func (c Change) None() bool { return c.Text == "" && !c.Outside }

// Check reads the copy and returns what it changes, compared with what was last accepted. The error
// is a [pathguard.ConfigError] when the copy would be refused; its File is the configuration.
func (e *Edit) Check() (Change, error) {
	text, err := e.Text()
	if err != nil {
		return Change{}, err
	}
	after, err := e.l.policyWith(text)
	if err != nil {
		return Change{}, err
	}
	return Change{
		Text:    tamper.Unified(filepath.Base(e.Path), e.accepted, text),
		InForce: e.l.inForce(e.accepted, after),
		Outside: !bytes.Equal(e.accepted, e.was), content: text,
		Failed: failedOf(e.l.Cases(after)),
		proof:  after.Settings().TamperProof,
	}, nil
}

// inForce is the difference in what is in force between a configuration that was accepted and a
// policy. What was accepted may be refused by now; then the difference is to the defaults.
func (l *Launcher) inForce(accepted []byte, after pathguard.Policy) []string {
	before, err := l.policyWith(accepted)
	if err != nil {
		before, _ = l.policyWith(nil)
	}
	return pathguard.Changed(before, after)
}

// Unchanged returns an error that wraps [tamper.ErrChangedSince] when the configuration is not the
// one that was copied.
func (e *Edit) Unchanged() error {
	now, err := os.ReadFile(e.Path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if (err != nil) != (e.was == nil) || !bytes.Equal(now, e.was) {
		return tamper.ErrChangedSince
	}
	return nil
}

// IsChangedSince reports whether err says that a file is not the one that was copied or shown.
func IsChangedSince(err error) bool { return errors.Is(err, tamper.ErrChangedSince) }

// Save writes the configuration as it was checked, as one step with its acceptance: no run finds it
// changed. When it is not the one that was copied, nothing is written, and the error wraps
// [tamper.ErrChangedSince].
func (e *Edit) Save(c Change) error {
	who, store := person(tamper.CLI), e.l.ownStore()
	if err := store.Edit(who, e.Path, e.was, c.content, e.mode); err != nil {
		return err
	}
	_, pending, err := store.Mode(who, c.proof)
	if err == nil && pending {
		err = store.ConfirmMode(who, "tadactl policy edit")
	}
	log, logErr := e.l.OpenLog()
	if logErr != nil {
		return errors.Join(err, logErr)
	}
	if err = errors.Join(err, record.Deliver(log, store, audit.Durable), log.Close()); err != nil {
		return fmt.Errorf("%q was written and accepted: %w", e.Path, err)
	}
	return e.Discard()
}

// maxLead bounds the settings that a refusal lists; `tadactl tamper diff` has them all.
const maxLead = 8

// ownWords are the messages about a change of the account's own configuration, in each language.
var ownWords = map[tamper.Locale]struct{ stopped, several, nothing, changes, more, pending string }{
	tamper.English: {
		stopped: "tada-run: nothing runs until you accept the changed configuration: " +
			"tadactl tamper accept\n",
		several: "tada-run: %d protected files were changed, the configuration among them; " +
			"nothing runs until you accept each: tadactl tamper accept\n",
		nothing: "No setting in force changes.\n", changes: "It changes:\n",
		more: "  and %d more\n",
		pending: "tada-run: " + ModeName +
			" was switched off in a file; it stays on until you confirm: tadactl tamper accept " +
			ModeName + "\n",
	},
	tamper.Chinese: {
		stopped: "tada-run: 在您接受配置的更改之前，不会运行任何命令: tadactl tamper accept\n",
		several: "tada-run: %d 个受保护的文件已被更改，其中包括配置；在您逐一接受之前，不会运行任何命令: tadactl tamper accept\n",
		nothing: "此更改不影响当前生效的设置。\n", changes: "此更改涉及:\n", more: "  另有 %d 项\n",
		pending: "tada-run: " + ModeName + " 已在文件中关闭；在用户确认之前仍然有效: tadactl tamper accept " +
			ModeName + "\n",
	},
}

// ownChange begins the refusal after the account's own configuration was changed outside of
// tadactl: the one command to type, and what the change does. It is "" when that is not what was
// found.
func (l *Launcher) ownChange(found []tamper.Finding, in tamper.Locale) string {
	at := slices.IndexFunc(found, func(f tamper.Finding) bool { return f.Path == l.state.Config() })
	if at < 0 {
		return ""
	}
	var b strings.Builder
	words := ownWords[in]
	if len(found) > 1 {
		fmt.Fprintf(&b, words.several, len(found))
	} else {
		b.WriteString(words.stopped)
	}
	accepted, kept, err := l.ownStore().Baseline(l.state.Config())
	if err != nil || !kept {
		return b.String()
	}
	lines := l.inForce(accepted, l.policy)
	if len(lines) == 0 {
		b.WriteString(words.nothing)
	} else {
		b.WriteString(words.changes)
	}
	for i, line := range lines {
		if i == maxLead {
			fmt.Fprintf(&b, words.more, len(lines)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", line)
	}
	return b.String()
}
