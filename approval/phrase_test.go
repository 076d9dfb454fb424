package approval_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
)

// E-chan-7: the phrase is made once, for this user alone.
func TestPhrase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(privateDir(t), "phrase")
	phrase, err := approval.LoadPhrase(path, rand.Reader)
	if err != nil || len(strings.Fields(phrase)) != 2 {
		t.Fatalf("%q, %v", phrase, err)
	}
	if again, err := approval.LoadPhrase(path, rand.Reader); err != nil || again != phrase {
		t.Errorf("%q, %v", again, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// A file that does not contain a phrase is not used.
	for _, bad := range []string{"a\x1b[2K", "a» R0 LOW", "a  b", " a", strings.Repeat("a", 40),
		"a\nb", "é"} {
		if err := os.WriteFile(path, []byte(bad+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := approval.LoadPhrase(path, rand.Reader); err == nil {
			t.Errorf("%q was loaded as %q", bad, got)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := approval.LoadPhrase(path, rand.Reader); !errors.Is(err, approval.ErrMeddled) {
		t.Errorf("open to others: %v", err)
	}
}

// Every error that can reach a person or a program has its own code, an exit status and a sentence,
// and an outcome in the record if it changes an envelope. B-R4.1a
func TestExplain(t *testing.T) {
	t.Parallel()
	told := regexp.MustCompile(`tadactl [a-z]+( --?[a-z]+| [a-z]+)?`)
	seen := map[string]error{}
	for _, c := range []struct {
		err     error
		outcome string
		exit    int
	}{
		{approval.ErrUnknown, "rejected:unknown", 126}, {approval.ErrPending, "", 75},
		{approval.ErrReplayed, "rejected:replayed", 126},
		{approval.ErrExpired, "rejected:expired", 126},
		{approval.ErrTampered, "rejected:tampered", 126},
		{approval.ErrMismatch, "rejected:mismatch", 126},
		{approval.ErrBijection, "rejected:bijection", 126},
		{approval.ErrReordered, "rejected:bijection", 126},
		{approval.ErrDuplicated, "rejected:bijection", 126},
		{approval.ErrTruncated, "rejected:truncated", 126},
		{approval.ErrOversized, "rejected:oversized", 126},
		{approval.ErrMalformed, "rejected:malformed", 126},
		{approval.ErrSignature, "rejected:signature", 126},
		{approval.ErrUntrusted, "rejected:untrusted", 126},
		{approval.ErrAudience, "rejected:audience", 126},
		{approval.ErrHasty, "rejected:hasty", 126}, {approval.ErrBehind, "", 77},
		{approval.ErrScope, "rejected:scope", 126}, {approval.ErrDenied, "denied", 126},
		{approval.ErrDecided, "rejected:replayed", 126},
		{approval.ErrVoted, "rejected:replayed", 126}, {approval.ErrSelf, "denied", 126},
		{approval.ErrChallenge, "denied", 126}, {approval.ErrFactor, "denied", 126},
		{approval.ErrCodeUsed, "denied", 126}, {approval.ErrUnread, "denied", 126},
		{approval.ErrCanary, "denied", 126}, {approval.ErrBusy, "", 75}, {approval.ErrFull, "", 75},
		{approval.ErrNoGrant, "", 126}, {approval.ErrNotGrantable, "denied", 126},
		{approval.ErrPeer, "denied", 126}, {approval.ErrPassphrase, "", 126},
		{approval.ErrKey, "", 78}, {approval.ErrPayload, "", 78}, {approval.ErrMissing, "", 78},
		{approval.ErrCorrupt, "", 78}, {approval.ErrFuture, "", 78},
		{approval.ErrLocked, "", 78}, {approval.ErrMeddled, "", 78},
		{approval.ErrAway, "", 75}, {approval.ErrOffline, "", 75},
		{approval.ErrUnsure, "", 75}, {approval.ErrMoved, "", 78},
		{approval.ErrUnsupported, "", 78},
	} {
		f, ok := approval.Explain(&approval.Refused{Err: c.err})
		if !ok || f.Outcome != c.outcome || f.Exit != c.exit || f.Message == "" {
			t.Errorf("%v is told as %+v", c.err, f)
		}
		if zh := f.In(true, "0A1"); zh == f.Message ||
			strings.Join(told.FindAllString(zh, -1),
				" ") != strings.Join(told.FindAllString(f.Message, -1), " ") ||
			f.In(false, "") != f.Message {
			t.Errorf("%q in Chinese is %q", f.Message, zh)
		}
		if old := seen[f.Code]; old != nil || f.Code == "" {
			t.Errorf("%v and %v have the code %q", c.err, old, f.Code)
		}
		seen[f.Code] = c.err
	}
	if source, err := os.ReadFile("failure.go"); err != nil ||
		strings.Count(string(source), "\n\t{Err") != len(seen) {
		t.Errorf("%d failures are tried, not all: %v", len(seen), err)
	}
	if f, ok := approval.Explain(os.ErrClosed); ok || f != (approval.Failure{}) {
		t.Errorf("a stranger's error: %+v", f)
	}
}

// The command in a refusal names the question that it is about, if it is known.
func TestExplainNames(t *testing.T) {
	for _, test := range []struct {
		err  error
		id   string
		want string
	}{
		{approval.ErrMismatch, "0A1-b",
			"the question changed after it was shown; read it again: tadactl show 0A1-b"},
		{approval.ErrDecided, "0A1", "already answered: tadactl show 0A1"},
		{approval.ErrUnread, "0A1", "read the whole question first: tadactl show 0A1"},
		{approval.ErrUnread, "", "read the whole question first: tadactl show ID"},
		{approval.ErrUnread, "x; rm", "read the whole question first: tadactl show ID"},
	} {
		if f, _ := approval.Explain(fmt.Errorf("answer: %w",
			&approval.Refused{Envelope: test.id, Err: test.err})); f.Message != test.want {
			t.Errorf("%q: %q, want %q", test.id, f.Message, test.want)
		}
	}
}
