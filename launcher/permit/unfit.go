package permit

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// keptFacts are those of one question.
type keptFacts struct {
	Key   string `json:"key"`
	Salt  string `json:"salt"`
	Facts Facts  `json:"facts"`
}

// factsDir is where they are kept, each under the id of its question.
func (p *Approvals) factsDir() string { return filepath.Join(p.dir.Runtime(), "asked") }

// keepFacts stores the facts of the attempt for the question e. If that fails, only the reason for
// a later mismatch is lost.
func (a *Attempt) keepFacts(e approval.Envelope) {
	salt := make([]byte, 16)
	if _, err := a.dir.Random.Read(salt); err != nil {
		return
	}
	k := keptFacts{Key: a.CommandKey(), Salt: hex.EncodeToString(salt)}
	if k.Facts = a.Facts(k.Salt); k.Facts == nil {
		return
	}
	text, err := json.Marshal(k)
	if err != nil || os.MkdirAll(a.factsDir(), 0o700) != nil {
		return
	}
	path := filepath.Join(a.factsDir(), e.ID)
	if os.WriteFile(path+".new", text, 0o600) == nil {
		_ = os.Rename(path+".new", path)
	}
}

// factsLife is longer than any question or approval lives.
const factsLife = 2 * time.Hour

// maxFacts bounds what is read of one.
const maxFacts = 1 << 20

// Told returns what was told with the last question about a command line; nil if there was none
// lately.
func (p *Approvals) Told(key string) Facts {
	var last Facts
	var at time.Time
	p.eachKept(key, func(_ string, asked time.Time, k keptFacts) bool {
		if asked.After(at) {
			last, at = k.Facts, asked
		}
		return false
	})
	return last
}

// eachKept calls f with the questions about a command line that are not too old, until it returns
// true.
func (p *Approvals) eachKept(key string, f func(id string, asked time.Time, k keptFacts) bool) {
	entries, _ := os.ReadDir(p.factsDir())
	for _, entry := range entries {
		path := filepath.Join(p.factsDir(), entry.Name())
		info, err := entry.Info()
		if err != nil || info.Size() > maxFacts {
			continue
		}
		if p.dir.Now().Sub(info.ModTime()) > factsLife {
			_ = os.Remove(path)
			continue
		}
		text, err := os.ReadFile(path)
		var k keptFacts
		if err == nil && json.Unmarshal(text, &k) == nil && k.Key == key &&
			f(entry.Name(), info.ModTime(), k) {
			return
		}
	}
}

// unfitting finds an approval of the same command line that is not used and is not for the plan of
// e; nil when there is none.
func (a *Attempt) unfitting(ctx context.Context, e approval.Envelope) (no *refusal.Unfit) {
	key := a.CommandKey()
	if key == "" {
		return nil
	}
	a.eachKept(key, func(id string, _ time.Time, k keptFacts) bool {
		if id == e.ID {
			return false
		}
		if other, err := a.Store.Get(ctx, id); err == nil && other.Approved() {
			no = &refusal.Unfit{Envelope: other.ID, Differs: differs(k.Facts, a.Facts(k.Salt))}
		}
		return no != nil
	})
	return no
}
