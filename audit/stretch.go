package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/approval/canonical"
)

// stretchVersion begins a proof of a stretch.
const stretchVersion = "tada-stretch/v1"

// A Stretch is a part of a session that was proven to be unchanged since it was recorded.
type Stretch struct {
	Session string
	Entry   Entry // of the log, which vouches for it
	From    int64 // number of its first event
	Events  []Event
}

// ProveStretch writes a proof that the events from from up to but not including to of session sid
// are what was recorded, in the log for which the checkpoint was signed. It does not disclose the
// text of any other event or session, or any entry other than the one that vouches for it;
// CheckStretch needs only the proof and the signer's key. The transcript is read up to that entry's
// count.
//
//	tada-stretch/v1
//	session SID
//	from SEQ US CHAIN          the chain and the time before the first event
//	[0.012345,"o","text"]      each event that is disclosed, and its #t line
//	#t ...
//
//	#t ... -                   the #t lines after it, without salts: their events
//	                           are not disclosed, and cannot be guessed
//
//	c2sp.org/tlog-proof@v1     of the entry that vouches for the chain's end
//	...
func ProveStretch(dir string, o VerifyOptions, sid string, transcript io.Reader, from, to int64,
	signed []byte, known note.Verifiers) ([]byte, error) {
	size, _, err := openCheckpoint(signed, known)
	if err != nil {
		return nil, err
	}
	vouched, count, err := vouchedBy(dir, o.Codec, sid, to, size)
	if err != nil {
		return nil, fmt.Errorf("prove events %d to %d of %q: %w", from, to, sid, err)
	}
	t, err := NewReader(sid+".cast", transcript)
	if err != nil {
		return nil, err
	}
	var shown, hidden bytes.Buffer
	head := ""
	for t.at.sum.Count < count {
		if n := t.at.sum.Count; n == from {
			head = fmt.Sprintf("%s\nsession %s\nfrom %d %d %s\n", stretchVersion, sid, n,
				t.at.sum.Duration.Microseconds(), t.at.sum.Head)
		}
		l, err := t.step()
		if err != nil {
			return nil, fmt.Errorf("prove events %d to %d of %q: %w", from, to, sid, err)
		}
		switch {
		case l.seq < from:
		case l.seq < to:
			fmt.Fprintf(&shown, "%s\n%s\n", t.event, l.appendLine(nil))
		default:
			l.gone = true
			fmt.Fprintf(&hidden, "%s\n", l.appendLine(nil))
		}
	}
	if head == "" || to <= from {
		return nil, fmt.Errorf("prove events %d to %d of %q: there are none", from, to, sid)
	}
	proof, err := Prove(dir, o, vouched, signed, known)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s%s\n%s\n%s", head, &shown, &hidden, proof), nil
}

// vouchedBy finds the first entry that vouches for so many events of a session, among those that a
// checkpoint covers.
func vouchedBy(dir string, c Codec, sid string, events, size int64) (seq, count int64, err error) {
	text := string(canonical.AppendString([]byte(`"sid":`), sid))
	for e, err := range Entries(dir, Filter{Kinds: []string{KindCheckpoint, KindClose},
		Text: text, Codec: c}) {
		var b recBody
		if err != nil || json.Unmarshal(e.Body, &b) != nil || b.SID != sid || b.Count < events ||
			e.Seq >= size {
			continue
		}
		return e.Seq, b.Count, nil
	}
	return 0, 0, errors.New("no entry that the checkpoint covers vouches for them")
}

// errStretch is returned for a text that is not the proof of a stretch.
var errStretch = errors.New("not a " + stretchVersion)

// CheckStretch returns the stretch in a proof made by ProveStretch, if everything in it leads to a
// root that a known key signed.
func CheckStretch(proof []byte, known note.Verifiers) (Stretch, error) {
	events, rest, ok1 := strings.Cut(string(proof), "\n\n")
	behind, entry, ok2 := "", "", true
	if entry, ok2 = strings.CutPrefix(rest, "\n"); !ok2 { // else no events after it
		behind, entry, ok2 = strings.Cut(rest, "\n\n")
	}
	if !ok1 || !ok2 {
		return Stretch{}, errStretch
	}
	in := bufio.NewReader(strings.NewReader(events + "\n"))
	var s Stretch
	var us int64
	var version, hex string
	if n, err := fmt.Fscanf(in, "%s\nsession %s\nfrom %d %d %s\n", &version, &s.Session, &s.From,
		&us, &hex); n != 5 || err != nil || version != stretchVersion {
		return Stretch{}, errStretch
	}
	head, ok := parseHash([]byte(hex))
	if !ok || s.From < 0 || us < 0 {
		return Stretch{}, errStretch
	}
	t := newReader(s.Session+".cast", in)
	t.at.sum = Summary{Head: head, Count: s.From, Duration: time.Duration(us) * time.Microsecond}
	for {
		e, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Stretch{}, fmt.Errorf("stretch: %w", err)
		}
		e.Data = bytes.Clone(e.Data)
		s.Events = append(s.Events, e)
	}
	if err := follow(&t.at.sum, behind); err != nil {
		return Stretch{}, fmt.Errorf("stretch: %w", err)
	}
	e, err := CheckProof([]byte(entry), known)
	if err != nil {
		return Stretch{}, err
	}
	var b recBody
	if json.Unmarshal(e.Body, &b) != nil || e.Kind != KindCheckpoint && e.Kind != KindClose ||
		b.SID != s.Session || b.Count != t.at.sum.Count || b.Head != t.at.sum.Head.String() {
		return Stretch{}, fmt.Errorf("stretch: entry %d does not vouch for it", e.Seq)
	}
	s.Entry = e
	return s, nil
}

// follow reads #t lines whose events are not disclosed.
func follow(sum *Summary, lines string) error {
	for line := range strings.Lines(lines) {
		l, ok := parseLink([]byte(strings.TrimSuffix(line, "\n")))
		if !ok || !l.gone || l.seq != sum.Count || l.chain != l.next(sum.Head) {
			return fmt.Errorf("the #t line behind event %d does not follow", sum.Count-1)
		}
		sum.Head, sum.Count = l.chain, sum.Count+1
	}
	return nil
}
