package ship

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/launcher/record"
)

// codec is of nothing: what is restored is not packed. Verify asks for one nevertheless.
var codec = audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder}

// A proof is one pass over a restored record.
type proof struct {
	*restored
	stretch
	open  map[string]bool // runs without an end
	plans map[string]bool // that its runs name
}

// prove verifies a stretch of the log, with all that it vouches for. points are the heads that
// manifests had covered by then.
func (r *restored) prove(s stretch, points []audit.Point, alone bool) (audit.Report, *proof,
	error) {
	p := &proof{r, s, map[string]bool{}, map[string]bool{}}
	if err := r.lay(s); err != nil {
		return audit.Report{}, p, fmt.Errorf("the log from byte %d on: %w", s.from, err)
	}
	if err := p.scan(); err != nil {
		return audit.Report{}, p, err
	}
	o := audit.VerifyOptions{Codec: codec, Complete: true, Remember: points,
		Transcript: p.transcript, Meanwhile: audit.Meanwhile{
			Running: func(sid string) bool { return p.open[sid] }}}
	if alone { // else some belong to the log before the gap
		o.Transcripts = r.sessions
	}
	report, err := audit.Verify(s.dir, o)
	return report, p, err
}

// scan reads which runs have no end, and which plans there are.
func (p *proof) scan() error {
	for e, err := range audit.Entries(p.stretch.dir,
		audit.Filter{Kinds: []string{"exec.", record.KindHook}, Codec: codec}) {
		var bad *audit.BadEntry
		if errors.As(err, &bad) {
			continue // Verify says more
		}
		var b struct{ SID, Plan string }
		if err != nil || json.Unmarshal(e.Body, &b) != nil {
			return err
		}
		switch e.Kind {
		case audit.KindIntent:
			p.open[b.SID] = true
		case audit.KindDenied, audit.KindFailed, audit.KindEnd, audit.KindOrphan:
			delete(p.open, b.SID)
		}
		if b.Plan != "" {
			p.plans[b.Plan] = true
		}
	}
	return nil
}

func (p *proof) transcript(sid string) (io.ReadCloser, error) {
	file := sessionFile(sid)
	switch {
	case fileName.MatchString(file) && p.whole(file):
		return os.Open(p.path(file))
	case p.open[sid]:
		return nil, audit.ErrAwaited
	}
	return nil, fs.ErrNotExist
}

// sessions says which have a transcript.
func (r *restored) sessions(say func(sid string)) error {
	dir, err := os.Open(r.path(sessionsFolder))
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	for _, name := range names {
		if r.whole(sessionsFolder + name) {
			say(strings.TrimSuffix(name, castSuffix))
		}
	}
	return err
}

// lost counts the plans that the log names and the bucket has not. One that is another than its
// name says is an error.
func (p *proof) lost() (missing int, err error) {
	for name := range p.plans {
		file := planFile(name)
		if !fileName.MatchString(file) || !p.whole(file) {
			missing++
			continue
		}
		b, err := os.ReadFile(p.path(file))
		if err != nil {
			return missing, err
		}
		if sum(b) != name {
			return missing, fmt.Errorf("plan %.12s has other bytes than its name says", name)
		}
	}
	return missing, nil
}
