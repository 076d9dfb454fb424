package watch

import (
	"fmt"
	"io"
	"strings"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/notice"
)

// connections adds to the log what the run did with the network and was refused in shared
// directories, and tells a command that failed what it could not reach. The launcher has seen all
// of it itself.
func connections(_ Before, a After, out io.Writer) Found {
	t := a.Traffic()
	found := shared(t, a.Status.Shell() != 0, out)
	if len(t.Connections) == 0 {
		return found
	}
	list, told := make([]any, 0, len(t.Connections)), map[string]bool{}
	for i := range t.Connections {
		c := &t.Connections[i]
		list = append(list, Connection(c))
		if !c.Refused || c.Question != "" || a.Status.Shell() == 0 || len(told) == maxTaught {
			continue
		}
		if line := refusedText(c); !told[line] {
			told[line] = true
			notice.Line(out, notice.Visible(line))
		}
	}
	o := Found{"connections": list}
	if t.Left > 0 {
		o["more"] = t.Left
	}
	if found == nil {
		found = Found{}
	}
	found["network"] = o
	return found
}

// Connection is one connection as the record has it.
func Connection(c *broker.Connection) Found {
	o := Found{
		"time": c.Time.UTC().Format("2006-01-02T15:04:05.000000Z"), "pid": c.PID,
		"program": c.Program[:min(len(c.Program), maxProgramName)], "kind": c.Kind,
		"host": c.Host, "address": c.Address, "refused": c.Refused, "count": c.Count,
	}
	for name, value := range map[string]string{"why": c.Why, "fix": c.Fix, "error": c.Error,
		"question": c.Question} {
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

// refusedText names the refused program, the rule, and the smallest change.
func refusedText(c *broker.Connection) string {
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
	if c.Kind == "name" && c.Fix != c.Host || c.Host == "localhost" {
		// the name is allowed, its address is not; servers of this machine cannot be distinguished
		// by name
		return text + "; to allow it, " + allow
	}
	return text + "; to allow it, name it in the command line or " + allow
}

var trafficWords = map[string]string{"tcp": "connect to", "unix": "connect to",
	"udp": "send UDP to", "name": "DNS lookup of", "listen": "listen on"}
