package launcher

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// An approval binds one hash, so that it does not fit says nothing of why. A sheet keeps the facts
// behind the hash apart, by name, so that the difference can be named. It decides nothing.

// A sheet has a fact's value by its name: after "=" a value that may be shown, else a salted hash,
// because the value of a variable may be a secret.
type sheet map[string]string

// sheet is what a plan binds. nil for that of a batch, whose calls have their own.
func (j *Judgement) sheet(salt string) sheet {
	if j.Plan == nil {
		return nil
	}
	j = j.subject()
	s := sheet{}
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

// maxDiffers is how many differences are named: who changed more changed everything.
const maxDiffers = 8

// differs names what is in one sheet as it is not in the other.
func differs(was, is sheet) []string {
	var names []string
	for name := range was {
		if was[name] != is[name] {
			names = append(names, name)
		}
	}
	for name := range is {
		if _, both := was[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return []string{"what the command would do"}
	}
	var told []string
	for i, name := range names {
		if i == maxDiffers {
			return append(told, fmt.Sprintf("and %d more", len(names)-i))
		}
		before, shown := strings.CutPrefix(was[name], "=")
		now, _ := strings.CutPrefix(is[name], "=")
		switch {
		case shown:
			told = append(told, fmt.Sprintf("%s is %s, was %s", name, notice.Visible(now), notice.Visible(before)))
		case was[name] == "":
			told = append(told, notice.Visible(name)+" is new")
		case is[name] == "":
			told = append(told, notice.Visible(name)+" is gone")
		default:
			told = append(told, notice.Visible(name)+" changed")
		}
	}
	return told
}

// A kept sheet is that of one question.
type keptSheet struct {
	Key   string `json:"key"`
	Salt  string `json:"salt"`
	Facts sheet  `json:"facts"`
}

// sheetKey is the same for the same command line of the agent, whatever is around it.
func (j *Judgement) sheetKey() string { return sumOf([]byte(j.subject().Script.Text)) }

// sheets is where they are kept, each under the id of its question.
func (l *Launcher) sheets() string { return filepath.Join(l.state.Runtime(), "asked") }

// keepSheet keeps the run's for the question e. One that cannot be kept is missed by nobody but who
// wants to know a reason.
func (a *attempt) keepSheet(e approval.Envelope) {
	salt := make([]byte, 16)
	if a.Plan == nil {
		return
	}
	if _, err := a.l.state.Random.Read(salt); err != nil {
		return
	}
	k := keptSheet{Key: a.sheetKey(), Salt: hex.EncodeToString(salt)}
	if k.Facts = a.sheet(k.Salt); k.Facts == nil {
		return
	}
	text, err := json.Marshal(k)
	if err != nil || os.MkdirAll(a.l.sheets(), 0o700) != nil {
		return
	}
	path := filepath.Join(a.l.sheets(), e.ID)
	if os.WriteFile(path+".new", text, 0o600) == nil {
		_ = os.Rename(path+".new", path)
	}
}

// sheetLife is longer than any question or approval lives.
const sheetLife = 2 * time.Hour

// maxSheet bounds what is read of one.
const maxSheet = 1 << 20

// unfitting finds an approval of the same command line that is not used and is not for the plan of
// e; nil when there is none.
func (a *attempt) unfitting(ctx context.Context, e approval.Envelope) *refusal.Unfit {
	if a.Plan == nil {
		return nil
	}
	entries, _ := os.ReadDir(a.l.sheets())
	key := a.sheetKey()
	for _, entry := range entries {
		path := filepath.Join(a.l.sheets(), entry.Name())
		info, err := entry.Info()
		if err != nil || entry.Name() == e.ID || info.Size() > maxSheet {
			continue
		}
		if a.l.state.Now().Sub(info.ModTime()) > sheetLife {
			_ = os.Remove(path)
			continue
		}
		text, err := os.ReadFile(path)
		var k keptSheet
		if err != nil || json.Unmarshal(text, &k) != nil || k.Key != key {
			continue
		}
		if other, err := a.l.store.Get(ctx, entry.Name()); err == nil && other.Approved() {
			return &refusal.Unfit{Envelope: other.ID, Differs: differs(k.Facts, a.sheet(k.Salt))}
		}
	}
	return nil
}
