package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// strict reads every entry a second time, by other means: the body is decoded
// and written again, the date must exist, and what approvals say must be
// complete. It is ten times slower than the check of raw bytes, and stands
// for that the two agree.
func (v *verifier) strict() error {
	if !v.o.Strict {
		return nil
	}
	var bad error
	w := walk{r: v.log, end: v.at.offset, at: v.from, open: true, entry: func(f fields, _ Hash, offset, line int64) {
		if reason := strictly(f); reason != "" && bad == nil {
			bad = &BadEntry{File: logName, Seq: f.seq, Line: line, Offset: offset, Reason: reason}
		}
	}}
	if err := w.run(); err != nil && !errors.Is(err, errTorn) {
		return err
	}
	return bad
}

// strictly tells what is wrong with a line that is good to the fast check.
func strictly(f fields) string {
	if t, err := time.Parse(timeLayout, string(f.time)); err != nil || t.Format(timeLayout) != string(f.time) {
		return fmt.Sprintf("no such time: %s", f.time)
	}
	d := json.NewDecoder(bytes.NewReader(f.body))
	d.UseNumber()
	var body map[string]any
	if err := d.Decode(&body); err != nil {
		return "body: " + err.Error()
	}
	// Lone surrogates, which stand for bytes that are no UTF-8, do not pass
	// through Go's decoder; there the check of raw bytes has the only word.
	if again, err := appendValue(nil, body); !bytes.Contains(f.body, []byte(`\udc`)) && (err != nil || !bytes.Equal(again, f.body)) {
		return "body: written again it is not the same"
	}
	if strings.HasPrefix(string(f.kind), "approval.") {
		return approvalLacks(string(f.kind), body)
	}
	return ""
}

// approvalMembers are what every event of an approval says. A nonce that is
// alive is told by its hash only, and the nonce is then empty.
var approvalMembers = []string{
	"time", "envelope_id", "work_item_id", "plan_hash", "nonce", "nonce_hash", "decisions", "outcome", "computed_plan_hash",
}

// approvalOutcomes are the ends that an attempt can have.
var approvalOutcomes = []string{
	"", "approved", "executed", "denied", "cancelled", "unknown", "rejected:tampered", "rejected:expired",
	"rejected:replayed", "rejected:mismatch", "rejected:bijection", "rejected:unknown",
}

func approvalLacks(kind string, body map[string]any) string {
	for _, name := range approvalMembers {
		v, ok := body[name]
		_, text := v.(string)
		_, list := v.([]any)
		if !ok || name != "decisions" && !text || name == "decisions" && !list {
			return fmt.Sprintf("%s has no %q", kind, name)
		}
	}
	if o := body["outcome"].(string); !slices.Contains(approvalOutcomes, o) {
		return fmt.Sprintf("%s has the unknown outcome %q", kind, o)
	}
	return ""
}

// appendValue writes a decoded value as Python's json.dumps would.
func appendValue(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		return appendString(dst, v), nil
	case json.Number:
		n, err := v.Int64()
		return strconv.AppendInt(dst, n, 10), err
	case []any:
		return appendList(dst, '[', ']', len(v), func(dst []byte, i int) ([]byte, error) { return appendValue(dst, v[i]) })
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		return appendList(dst, '{', '}', len(v), func(dst []byte, i int) ([]byte, error) {
			return appendValue(append(appendString(dst, keys[i]), ':'), v[keys[i]])
		})
	}
	return dst, errSyntax
}

func appendList(dst []byte, open, end byte, n int, item func([]byte, int) ([]byte, error)) (_ []byte, err error) {
	dst = append(dst, open)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = item(dst, i); err != nil {
			return dst, err
		}
	}
	return append(dst, end), nil
}
