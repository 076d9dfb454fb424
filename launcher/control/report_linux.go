package control

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/launcher/session/wire"
	"github.com/tada-run/tada-run/pathguard/proc"
)

func (d *Server) observe(s *client) *observed {
	return &observed{driver: s.n, began: time.Now(), dirWas: d.dirNow(), y: -1}
}

// told processes what a shell with integration reports (OSC 133, introduced by FinalTerm).
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

// dirNow is the directory that the session's program is in; "" if it is not known.
func (d *Server) dirNow() string {
	dir, err := os.Readlink(proc.Dir(d.Process.Pid()) + "cwd")
	if err != nil {
		return ""
	}
	return dir
}

// report is the report to the other side. The Server is locked.
func (d *Server) report(s *client, note string) *wire.Report {
	o := d.watch
	if o == nil || o.driver != s.n {
		return &wire.Report{By: s.who, Commands: []wire.Command{}, Files: []string{}, Note: note}
	}
	r := &wire.Report{
		By: s.who, Seconds: int(time.Since(o.began).Seconds()), Typed: o.typedBytes,
		Hidden: o.hidden, Private: o.private,
		Commands: append([]wire.Command{}, o.commands...), Dir: d.dirNow(), DirWas: o.dirWas,
		Note: note,
	}
	r.Files, r.More = changedSince(d.Ground, o.began)
	return r
}
