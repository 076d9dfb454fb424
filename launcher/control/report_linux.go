package control

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// An observed is what happens while a person drives, for the message to the other side: what was
// done, and not which keys. Lines are what stood on the screen when Enter was pressed; where the
// shell tells its prompt's end (OSC 133;B) they begin behind it, and where it tells the exit status
// (OSC 133;D) they have one. All of that is the word of the program inside, which is not trusted
// with anything else.
type observed struct {
	client *client
	began  time.Time
	dirWas string

	typedBytes, hidden, private int

	enters   int  // pressed, and the line they end not yet seen to end
	x, y     int  // where the prompt ended; y is -1 where that is not told
	prompts  bool // the shell tells its prompts: a line at none is for another program, or typed ahead and shown again
	commands []wire.Command
}

// maxCommands and maxFiles bound the message.
const (
	maxCommands = 100
	maxLineSeen = 500
	maxFiles    = 100
)

func (d *Server) observe(s *client) *observed {
	return &observed{client: s, began: time.Now(), dirWas: d.dirNow(), y: -1}
}

// typed counts keys. What is hidden is a password, and the screen does not show it either.
func (o *observed) typed(keys []byte, hidden bool) {
	o.typedBytes += len(keys)
	if hidden {
		o.hidden += len(keys)
		return
	}
	o.enters += bytes.Count(keys, []byte("\r"))
}

// output draws what the program printed, and looks at the screen where a line that was entered
// ends.
func (o *observed) output(s *screen.Screen, p []byte, private bool) {
	if private {
		o.private += len(p)
		o.enters = 0
	}
	for o.enters > 0 && !s.Alternate() {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			break
		}
		s.Write(p[:i])
		if o.line(s) {
			o.enters--
		}
		p = p[i:]
		s.Write(p[:1])
		p = p[1:]
	}
	if s.Alternate() {
		o.enters = 0 // Enter is a key like others there
	}
	s.Write(p)
}

// line takes the line that the cursor is on, and reports whether it is one that was entered.
func (o *observed) line(s *screen.Screen) bool {
	_, y, _ := s.Cursor()
	text := s.Text(y)
	switch {
	case o.y == y:
		cells := []rune(text)
		text = string(cells[min(o.x, len(cells)):])
	case o.prompts:
		return false
	}
	if text = strings.TrimSpace(text); text == "" {
		return !o.prompts
	}
	o.y = -1
	if len(o.commands) >= maxCommands {
		return true
	}
	text, _ = audit.HideSecrets(text[:min(len(text), maxLineSeen)])
	o.commands = append(o.commands, wire.Command{Line: strings.ToValidUTF8(text, "\ufffd")})
	return true
}

// told takes what a shell with integration tells (OSC 133, as FinalTerm introduced it).
func (d *Server) told(osc string) {
	o := d.watch
	words := strings.Split(osc, ";")
	if len(words) < 2 || words[0] != "133" {
		return
	}
	if words[1] == "D" && len(words) > 2 {
		if status, err := strconv.Atoi(words[2]); err == nil {
			d.Host.LineEnded(&status)
		}
	}
	if o == nil {
		return
	}
	switch words[1] {
	case "B":
		o.x, o.y, _ = d.full.Cursor()
		o.prompts = true
	case "D":
		if n := len(o.commands); len(words) > 2 && n > 0 && o.commands[n-1].Status == nil {
			if status, err := strconv.Atoi(words[2]); err == nil {
				o.commands[n-1].Status = &status
			}
		}
	}
}

// dirNow is the directory that the session's program is in; "" where it cannot be told.
func (d *Server) dirNow() string {
	dir, err := os.Readlink("/proc/" + strconv.Itoa(d.Process.Pid()) + "/cwd")
	if err != nil {
		return ""
	}
	return dir
}

// report is what the other side is told. The Server is locked.
func (d *Server) report(s *client, note string) *wire.Report {
	o := d.watch
	if o == nil || o.client != s {
		return &wire.Report{By: s.who, Commands: []wire.Command{}, Files: []string{}, Note: note}
	}
	r := &wire.Report{
		By: s.who, Seconds: int(time.Since(o.began).Seconds()), Typed: o.typedBytes, Hidden: o.hidden, Private: o.private,
		Commands: append([]wire.Command{}, o.commands...), Dir: d.dirNow(), DirWas: o.dirWas, Note: note,
	}
	r.Files, r.More = changedSince(d.Ground, o.began)
	return r
}

// lookFor and lookAt bound a search for changed files: a person waits for it.
const (
	lookFor = 300 * time.Millisecond
	lookAt  = 50_000
)

// changedSince lists files below root that were made or written since a time, by their own word
// (mtime) and by the kernel's (ctime). More says that the list is not whole.
func changedSince(root string, since time.Time) (files []string, more bool) {
	files = []string{}
	seen, began := 0, time.Now()
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if seen++; seen > lookAt || time.Since(began) > lookFor || len(files) >= maxFiles {
			more = true
			return fs.SkipAll
		}
		if err != nil {
			return nil
		}
		if e.IsDir() {
			if e.Name() == ".git" && path != root {
				return fs.SkipDir // its own bookkeeping is no news
			}
			return nil
		}
		if info, err := e.Info(); err == nil && !changedAt(info).Before(since.Truncate(clockTick)) {
			if rel, err := filepath.Rel(root, path); err == nil {
				files = append(files, strings.ToValidUTF8(rel, "\ufffd"))
			}
		}
		return nil
	})
	return files, more
}

// clockTick is how coarse the times of files are (CONFIG_HZ=100).
const clockTick = 10 * time.Millisecond

// changedAt is the later of when a file was written and when anything about it changed.
func changedAt(info fs.FileInfo) time.Time {
	at := info.ModTime()
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		if c := time.Unix(st.Ctim.Unix()); c.After(at) {
			return c
		}
	}
	return at
}

// reportBody is the message as it stands in the record.
func reportBody(r *wire.Report) Body {
	commands := make([]any, 0, len(r.Commands))
	for _, c := range r.Commands {
		o := Body{"line": c.Line}
		if c.Status != nil {
			o["status"] = *c.Status
		}
		commands = append(commands, o)
	}
	note, _ := audit.HideSecrets(r.Note)
	return Body{
		"seconds": r.Seconds, "typed_bytes": r.Typed, "hidden_bytes": r.Hidden, "private_bytes": r.Private,
		"commands": commands, "cwd": r.Dir, "cwd_before": r.DirWas, "files_changed": r.Files, "more_changed": r.More, "note": note,
	}
}
