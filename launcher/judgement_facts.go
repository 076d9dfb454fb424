package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/launcher/permit"
)

// Facts is what the plan binds, by name; nil for a batch, whose calls have their own.
func (j *Judgement) Facts(salt string) permit.Facts {
	if j.Plan == nil {
		return nil
	}
	j = j.subject()
	s := permit.Facts{}
	add := func(name, value string) {
		sum := sha256.Sum256([]byte(salt + "\x00" + name + "\x00" + value))
		s[name] = hex.EncodeToString(sum[:8])
	}
	for name, value := range j.Plan.NamedFacts() {
		add(name, value)
	}
	for name, value := range j.environ.bound {
		add("variable "+name, value)
	}
	for name := range j.namedLoose() {
		add("variable "+name, j.environ.loose[name])
	}
	for path, amount := range j.counted() {
		s[amountFact+path], s[countedFact+path] = "="+amount.String(), "="+amount.Exact()
	}
	fence, r := j.fence(), j.Request
	s["directory"], s["standard input"] = "="+j.Plan.Dir, "="+j.stdin
	add("umask", strconv.Itoa(j.umask))
	add("account", strconv.Itoa(os.Getuid()))
	add("policy", j.policy.Digest())
	add("version of tada-run", j.version)
	add("shell", j.shell)
	add("sandbox", string(fence.Facts()))
	add("functions and aliases of the shell", j.settings)
	add("agent", j.agent())
	add("work item", r.WorkItem)
	add("profile", r.Profile)
	add("arguments", strings.Join(r.Shell.Args, "\x00"))
	add("shell options", strings.Join(r.Shell.Flags, "\x00"))
	return s
}

// CommandKey is the same for the same command line of the agent, whatever is around it; "" for a
// batch.
func (j *Judgement) CommandKey() string {
	if j.Plan == nil {
		return ""
	}
	return sumOf([]byte(j.subject().Script.Text))
}
