package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/tada-run/tada-run/approval/canonical"
)

// KindGap is the kind of an entry that says what a session's transcript lacks. Its members are sid,
// bytes, sha256 and reason.
const KindGap = "rec.gap"

// Broke records that the recording of session sid broke off because the disk is full or gone. It
// frees the reserve and writes what the recorder still holds. Then it writes a gap of the bytes
// that were read and not recorded, to the transcript and, durably, to the log, and seals the log,
// so that the gap is signed. Call it after a method of the Recorder has failed, with the session
// stopped or about to be: nothing more of it may be shown.
//
// Broke writes what can be written and returns the errors of the rest.
func (l *Log) Broke(r *Recorder, sid string, lost []byte, cause error, rand io.Reader) error {
	sum := Hash(sha256.Sum256(lost))
	err := l.Relieve()
	if r != nil {
		err = errors.Join(err, r.Gap(int64(len(lost)), sum))
	}
	reason := "unknown"
	if cause != nil {
		reason = cause.Error()
	}
	body := fmt.Appendf(nil, `{"bytes":%d,"reason":`, len(lost))
	body = append(canonical.AppendString(body, reason[:min(len(reason), MaxReason)]),
		`,"sha256":`...)
	body = append(canonical.AppendString(append(canonical.AppendString(body, sum.String()),
		`,"sid":`...), sid), '}')
	if _, appendErr := l.Append(KindGap, body, Durable); appendErr != nil {
		return errors.Join(err, appendErr)
	}
	_, sealErr := l.Seal(rand)
	return errors.Join(err, sealErr)
}
