package launcher

import (
	"fmt"
	"io"
	"strings"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
)

// maxTail is how much of the last output is kept to explain a failure by.
const maxTail = 16 << 10

// A tail keeps the end of a stream.
type tail struct{ text []byte }

func (t *tail) add(p []byte) {
	if len(p) >= maxTail {
		t.text = append(t.text[:0], p[len(p)-maxTail:]...)
		return
	}
	if over := len(t.text) + len(p) - 2*maxTail; over > 0 {
		t.text = append(t.text[:0], t.text[len(t.text)-maxTail:]...)
	}
	t.text = append(t.text, p...)
}

// complaints is the end of standard error, or of the one stream that both went to.
func (t *tee) complaints() []byte {
	for _, s := range []session.Stream{session.Stderr, session.Screen, session.Stdout} {
		if text := t.tails[s].text; len(text) > 0 {
			return text
		}
	}
	return nil
}

// explainedRefusals explains what the kernel refused to a command that failed: which name, by which
// rule, and the smallest change. It reads what the command complained about, so it is a hint; what
// is told is recorded.
func explainedRefusals(e *ended, out io.Writer) object {
	if e.status.Shell() == 0 {
		return nil
	}
	said := e.out.complaints()
	if len(said) == 0 {
		return nil
	}
	var told []string
	for _, d := range e.profile.ExplainOutput(string(said), e.Plan.Dir) {
		line := fmt.Sprintf("blocked: %s (%s; judging by the command's own error)%s", d.Object, d.Rule, remedy(d))
		told = append(told, line)
		fmt.Fprintf(out, "tada-run: %s\n", visible(line))
	}
	return finding("refused", told)
}

// remedy is the smallest change, for the person who can make it. The output that led here is the
// command's own, so no rule is spelled out for what it chose to name: a person who looks at
// the judgement of a command line that names it finds what to change.
func remedy(d sandbox.Denial) string {
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
