package record

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/audit"
)

// What cannot be recorded says what to type: to make room, to accept a change, or to verify.
func TestErrorNamesTheNextCommand(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{audit.ErrNoSpace, "; try: " + MakeRoom},
		{fmt.Errorf("write: %w", syscall.ENOSPC), "; try: " + MakeRoom},
		{fmt.Errorf("write: %w", syscall.EDQUOT), "; try: " + MakeRoom},
		{&audit.TamperError{File: "log.jsonl"}, "tadactl audit accept --reason WHY"},
		{audit.ErrNotDurable, "tadactl audit accept --reason WHY"},
		{errors.New("other"), "; try: tadactl audit verify"},
	} {
		e := &Error{Kind: KindIntent, Err: test.err}
		if text := e.Error(); !strings.HasSuffix(text, test.want) ||
			!strings.Contains(text, `cannot record "exec.intent", so nothing runs`) {
			t.Errorf("%v: %s", test.err, text)
		}
		if !errors.Is(e, test.err) {
			t.Errorf("%v is not the cause", test.err)
		}
	}
}
