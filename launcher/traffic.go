package launcher

import (
	"fmt"
	"io"
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// maxTaught is how many refusals a person is told of. The record has them all.
const maxTaught = 5

// connections takes what the run did with the network into the record, and tells a command that
// failed which hosts it could not reach. The launcher has seen all of it itself.
func connections(e *ended, out io.Writer) object {
	t := e.process.Traffic()
	if len(t.Connections) == 0 {
		return nil
	}
	list, told := make([]any, 0, len(t.Connections)), map[string]bool{}
	for i := range t.Connections {
		c := &t.Connections[i]
		list = append(list, connectionFacts(c))
		if !c.Refused || e.status.Shell() == 0 || len(told) == maxTaught {
			continue
		}
		if line := refusedText(c); !told[line] {
			told[line] = true
			fmt.Fprintf(out, "tada-run: %s\n", visible(line))
		}
	}
	o := object{"connections": list}
	if t.Left > 0 {
		o["more"] = t.Left
	}
	return object{"network": o}
}

// A connectionLog takes connections into the log as they are made, so that a launcher that is
// killed leaves what it let through. What became of them is in the entry about the end of the run.
type connectionLog struct {
	count int   // of those in the log
	err   error // why no more are
}

func (l *connectionLog) update(s *started) error {
	fresh := s.process.TrafficSince(l.count)
	l.count += len(fresh)
	list := make([]any, len(fresh))
	for i := range fresh {
		list[i] = connectionFacts(&fresh[i])
	}
	if len(list) > 0 && l.err == nil {
		l.err = s.record(kindTraffic, object{"connections": list}, audit.Lazy)
	}
	return l.err
}

// maxProgramName bounds what a program that chose its own path puts into the record.
const maxProgramName = 256

// connectionFacts is one connection as the record has it.
func connectionFacts(c *sandbox.Connection) object {
	o := object{
		"time": c.Time.UTC().Format("2006-01-02T15:04:05.000000Z"), "pid": c.PID, "program": c.Program[:min(len(c.Program), maxProgramName)], "kind": c.Kind,
		"host": c.Host, "address": c.Address, "refused": c.Refused, "count": c.Count,
	}
	for name, value := range map[string]string{"why": c.Why, "fix": c.Fix, "error": c.Error} {
		if value != "" {
			o[name] = value
		}
	}
	if c.Accepted != 0 { // -1 is unknown
		o["accepted"] = c.Accepted
	}
	if !c.Refused && (c.Kind == "tcp" && c.Sent >= 0 || c.Accepted > 0) {
		o["sent"], o["received"] = c.Sent, c.Received
	}
	return o
}

// refusedText says who was refused, by which rule, and the smallest change.
func refusedText(c *sandbox.Connection) string {
	who := c.Host
	if c.Address != "" && !strings.HasPrefix(c.Address, c.Host) {
		who += " at " + c.Address
	} else if c.Address != "" {
		who = c.Address
	}
	text := fmt.Sprintf("blocked: %s %s (%s)", trafficWords[c.Kind], who, c.Why)
	switch {
	case c.Kind == "udp" || c.Fix == "":
		return text
	case strings.HasPrefix(c.Fix, "--"):
		return text + "; " + c.Fix + " asks for approval"
	}
	allow := fmt.Sprintf("add %q to network.allow: tadactl policy edit", c.Fix)
	if c.Kind == "name" && c.Fix != c.Host || c.Host == "localhost" { // the name is allowed, where it leads is not; this machine's servers are not told apart by name
		return text + "; to allow it, " + allow
	}
	return text + "; to allow it, name it in the command line or " + allow
}

var trafficWords = map[string]string{"tcp": "connect to", "udp": "send UDP to", "name": "DNS lookup of", "listen": "listen on"}
