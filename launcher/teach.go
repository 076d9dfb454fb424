package launcher

import (
	"fmt"
	"io"
	"strings"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
)

// maxHeard is how much of the last output is kept to explain a failure by.
const maxHeard = 16 << 10

// An ear keeps the end of what the command said to a person.
type ear struct{ said []byte }

func (e *ear) hear(p []byte) {
	if len(p) >= maxHeard {
		e.said = append(e.said[:0], p[len(p)-maxHeard:]...)
		return
	}
	if over := len(e.said) + len(p) - 2*maxHeard; over > 0 {
		e.said = append(e.said[:0], e.said[len(e.said)-maxHeard:]...)
	}
	e.said = append(e.said, p...)
}

// complaints is the end of standard error, or of the one stream that both went to.
func (t *tap) complaints() []byte {
	for _, s := range []session.Stream{session.Stderr, session.Screen, session.Stdout} {
		if said := t.heard[s].said; len(said) > 0 {
			return said
		}
	}
	return nil
}

// teach explains what the kernel refused to a command that failed: which name, by which rule,
// and the smallest change. It reads what the command complained about, so it is a hint; what
// is told is recorded.
func (r *run) teach(out io.Writer, s sandbox.Status) []string {
	if s.Shell() == 0 {
		return nil
	}
	said := r.tap.complaints()
	if len(said) == 0 {
		return nil
	}
	var told []string
	for _, d := range r.fenced.profile.ExplainOutput(string(said), r.Plan.Dir) {
		line := fmt.Sprintf("blocked: %s (%s; judging by the command's own error)%s", d.Object, d.Rule, r.remedy(d))
		told = append(told, line)
		fmt.Fprintf(out, "tada-run: %s\n", visible(line))
	}
	return told
}

// remedy is the smallest change, for whoever can make it. The output that led here is the
// command's own, so no rule is spelled out for what it chose to name: a person who looks at
// the judgement of a command line that names it finds what to change.
func (r *run) remedy(d sandbox.Denial) string {
	switch action, _, _ := strings.Cut(d.Change, " "); action {
	case "write", "read", "no":
		return "; to ask for approval, name it in the command line"
	case "network":
		return "; name the host in the command line, or add it to network.allow: tadactl policy edit"
	case "limits.file_size":
		return "; to raise limits.file_size: tadactl policy edit"
	case "":
		return "; no setting allows it inside the sandbox: if you want it, run it yourself in a terminal"
	}
	return ""
}
