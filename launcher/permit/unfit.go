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

// unfitting finds an approval of the same command line that is not used and is not for the plan of
// e; nil when there is none.
func (a *Attempt) unfitting(ctx context.Context, e approval.Envelope) *refusal.Unfit {
	key := a.CommandKey()
	if key == "" {
		return nil
	}
	entries, _ := os.ReadDir(a.factsDir())
	for _, entry := range entries {
		path := filepath.Join(a.factsDir(), entry.Name())
		info, err := entry.Info()
		if err != nil || entry.Name() == e.ID || info.Size() > maxFacts {
			continue
		}
		if a.dir.Now().Sub(info.ModTime()) > factsLife {
			_ = os.Remove(path)
			continue
		}
		text, err := os.ReadFile(path)
		var k keptFacts
		if err != nil || json.Unmarshal(text, &k) != nil || k.Key != key {
			continue
		}
		if other, err := a.Store.Get(ctx, entry.Name()); err == nil && other.Approved() {
			return &refusal.Unfit{Envelope: other.ID, Differs: differs(k.Facts, a.Facts(k.Salt))}
		}
	}
	return nil
}
