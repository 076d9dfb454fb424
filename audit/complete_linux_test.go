package audit

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// approvalEvent is the body of an approval's event, as made by package approval.
func approvalEvent(id, from, to, outcome, nonce, plan string) string {
	return fmt.Sprintf(`{"approver":"","channel":"","computed_plan_hash":"","decisions":[],"envelope_id":"%s","from":"%s","grant_id":"","kind":"","nonce":"%s","nonce_hash":"%s","outcome":"%s","plan_hash":"%s","reason":"","seq":1,"session":"","time":"2026-03-01T12:00:00Z","to":"%s","work_item_id":"w"}`,
		id, from, nonce, hashOf("n"+id), outcome, plan, to)
}

// batchStory has two runs of calls of one batch, of which c1 and c3 were allowed.
func batchStory(sid, call, sid2, call2 string) []string {
	consumed := strings.Replace(approvalEvent("e", "pending", "consumed", "executed", "ne", "p"),
		`"decisions":[]`,
		`"decisions":[{"approved":true,"tool_call_id":"c1"},{"approved":false,"tool_call_id":"c2"},{"approved":true,"tool_call_id":"c3"}]`, 1)
	return []string{
		fmt.Sprintf(`exec.intent {"call_id":%q,"plan_hash":"x","sid":%q,"verdict":"ask"}`, call,
			sid),
		fmt.Sprintf(`exec.intent {"call_id":%q,"plan_hash":"y","sid":%q,"verdict":"ask"}`, call2,
			sid2),
		`approval.issued ` + approvalEvent("e", "", "pending", "", "", "p"),
		`approval.consumed ` + consumed,
		fmt.Sprintf(`exec.start {"authority":"approval","batch_plan":"p","envelope_id":"e","sid":%q}`, sid),
		fmt.Sprintf(`exec.start {"authority":"approval","batch_plan":"p","envelope_id":"e","sid":%q}`, sid2),
	}
}

// stories are what Complete accepts and, with the reason, what it does not. B-R4.1, B-R4.1a,
// B-R4.1b: one scenario for each outcome.
var stories = []struct {
	name string
	log  []string // kind and body
	want string   // part of the reason; "" for a complete story
	at   int64    // entry that is named
}{
	{"allowed by policy", []string{
		`exec.intent {"plan_hash":"p","sid":"a","verdict":"allow"}`,
		`exec.start {"authority":"policy","envelope_id":"","sid":"a"}`, `exec.end {"sid":"a"}`}, "",
		0},
	{"executed after a yes", []string{
		`exec.intent {"plan_hash":"p","sid":"a","verdict":"ask"}`,
		`approval.issued ` + approvalEvent("e", "", "pending", "", "", "p"),
		`approval.decided ` + approvalEvent("e", "pending", "pending", "approved", "", "p"),
		`approval.consumed ` + approvalEvent("e", "pending", "consumed", "executed", "ne", "p"),
		`exec.start {"authority":"approval","envelope_id":"e","sid":"a"}`,
		`approval.refused ` + approvalEvent("e", "consumed", "consumed", "rejected:replayed", "ne",
			"p"),
		`exec.orphan {"sid":"a","started":true}`,
		`approval.finished ` + approvalEvent("e", "consumed", "consumed", "unknown", "ne", "p")},
		"", 0},
	{"told to be lost before it started, and went on", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.orphan {"sid":"a","started":false}`,
		`exec.start {"authority":"policy","sid":"a"}`, `exec.end {"sid":"a"}`}, "", 0},
	{"told to be lost while it ran, and ended", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.start {"authority":"policy","sid":"a"}`,
		`exec.orphan {"sid":"a","started":true}`, `exec.end {"sid":"a"}`}, "", 0},
	{"told to be lost, started, and killed", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.orphan {"sid":"a","started":false}`,
		`exec.start {"authority":"policy","sid":"a"}`}, "", 0},
	{"told to be lost, and denied", []string{
		`exec.intent {"sid":"a","verdict":"ask"}`, `exec.orphan {"sid":"a","started":false}`,
		`exec.denied {"sid":"a"}`}, "", 0},
	{"told to be lost, and started twice", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.start {"authority":"policy","sid":"a"}`,
		`exec.orphan {"sid":"a","started":true}`, `exec.end {"sid":"a"}`,
		`exec.start {"authority":"policy","sid":"a"}`}, "which had ended", 4},
	{"told to be lost, and started without authority", []string{
		`exec.intent {"sid":"a","verdict":"ask"}`, `exec.orphan {"sid":"a","started":false}`,
		`exec.start {"authority":"policy","sid":"a"}`}, `which said "ask"`, 2},
	{"its command ended, and then the rest", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.start {"authority":"policy","sid":"a"}`,
		`exec.left {"sid":"a"}`, `exec.end {"sid":"a"}`}, "", 0},
	{"its command ended, and the rest was lost", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.start {"authority":"policy","sid":"a"}`,
		`exec.left {"sid":"a"}`, `exec.orphan {"sid":"a","started":true}`}, "", 0},
	{"its command ended, and nothing more", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.start {"authority":"policy","sid":"a"}`,
		`exec.left {"sid":"a"}`}, "no end", 1},
	{"its command ended twice", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.start {"authority":"policy","sid":"a"}`,
		`exec.left {"sid":"a"}`, `exec.left {"sid":"a"}`}, "second time", 3},
	{"its command ended before its start",
		[]string{`exec.intent {"sid":"a","verdict":"allow"}`, `exec.left {"sid":"a"}`},
		"before its start", 1},
	{"its command ended after all", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.start {"authority":"policy","sid":"a"}`,
		`exec.end {"sid":"a"}`, `exec.left {"sid":"a"}`}, "which had ended", 3},
	{"told to be lost twice", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.orphan {"sid":"a","started":false}`,
		`exec.orphan {"sid":"a","started":false}`}, "which had ended", 2},
	{"every other end", []string{
		`approval.issued ` + approvalEvent("t", "", "pending", "", "", "p"),
		`approval.consumed ` + approvalEvent("t", "pending", "consumed", "rejected:tampered", "nt",
			"p"),
		`approval.issued ` + approvalEvent("m", "", "pending", "", "", "p"),
		`approval.consumed ` + approvalEvent("m", "pending", "consumed", "rejected:mismatch", "nm",
			"p"),
		`approval.issued ` + approvalEvent("b", "", "pending", "", "", "p"),
		`approval.consumed ` + approvalEvent("b", "pending", "consumed", "rejected:bijection", "nb",
			"p"),
		`approval.issued ` + approvalEvent("x", "", "pending", "", "", "p"),
		`approval.expired ` + approvalEvent("x", "pending", "expired", "rejected:expired", "nx",
			"p"),
		`approval.issued ` + approvalEvent("d", "", "pending", "", "", "p"),
		`approval.rejected ` + approvalEvent("d", "pending", "rejected", "denied", "nd", "p"),
		`approval.issued ` + approvalEvent("c", "", "pending", "", "", "p"),
		`approval.rejected ` + approvalEvent("c", "pending", "rejected", "cancelled", "nc", "p"),
		`approval.refused ` + approvalEvent("u", "", "", "rejected:unknown", "", "p"),
		`exec.intent {"plan_hash":"p","sid":"a","verdict":"deny"}`, `exec.denied {"sid":"a"}`,
		`exec.intent {"plan_hash":"p","sid":"f","verdict":"allow"}`, `exec.failed {"sid":"f"}`,
		`tamper.shown {"digest":"d"}`, `tamper.accepted {"digest":"d"}`}, "", 0},
	{"a canary", []string{`approval.canary ` + approvalEvent("c", "pending", "rejected", "approved",
		"nc", "p")}, "", 0},
	{"a canary that died twice", []string{
		`approval.canary ` + approvalEvent("c", "pending", "rejected", "approved", "nc", "p"),
		`approval.canary ` + approvalEvent("c", "pending", "expired", "rejected:expired", "nc",
			"p")}, "second time", 1},
	{"a canary that permits", []string{
		`exec.intent {"plan_hash":"p","sid":"a","verdict":"ask"}`,
		`approval.canary ` + approvalEvent("e", "pending", "rejected", "approved", "ne", "p"),
		`exec.start {"authority":"approval","envelope_id":"e","sid":"a"}`}, "not consumed", 2},
	{"announced twice", []string{`exec.intent {"sid":"a","verdict":"deny"}`,
		`exec.intent {"sid":"a","verdict":"allow"}`}, "announces run \"a\" a second time", 1},
	{"a run without a name", []string{`exec.intent {"verdict":"deny"}`}, "names no run", 0},
	{"asked twice", []string{
		`approval.issued ` + approvalEvent("e", "", "pending", "", "", "p"),
		`approval.issued ` + approvalEvent("e", "", "pending", "", "", "q")},
		"asks question \"e\" a second time", 1},
	{"the nonce of another question", []string{
		`approval.issued ` + approvalEvent("e", "", "pending", "", "", "p"),
		`approval.consumed ` + strings.Replace(approvalEvent("e", "pending", "consumed", "executed",
			"nf", "p"), hashOf("ne"), hashOf("nf"), 1)}, "another nonce than it was asked with", 1},
	{"not announced", []string{`exec.start {"authority":"policy","sid":"a"}`}, "never announced",
		0},
	{"started against the verdict", []string{
		`exec.intent {"sid":"a","verdict":"ask"}`, `exec.start {"authority":"policy","sid":"a"}`},
		"policy, which said", 1},
	{"no authority", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.start {"sid":"a"}`},
		"which does not exist", 1},
	{"not consumed", []string{
		`exec.intent {"plan_hash":"p","sid":"a","verdict":"ask"}`,
		`approval.issued ` + approvalEvent("e", "", "pending", "", "", "p"),
		`exec.start {"authority":"approval","envelope_id":"e","sid":"a"}`}, "not consumed", 2},
	{"spoiled, and used", []string{
		`exec.intent {"plan_hash":"p","sid":"a","verdict":"ask"}`,
		`approval.issued ` + approvalEvent("e", "", "pending", "", "", "p"),
		`approval.consumed ` + approvalEvent("e", "pending", "consumed", "rejected:mismatch", "ne",
			"p"),
		`exec.start {"authority":"approval","envelope_id":"e","sid":"a"}`}, "not consumed", 3},
	{"used for another plan", []string{
		`exec.intent {"plan_hash":"q","sid":"a","verdict":"ask"}`,
		`approval.issued ` + approvalEvent("e", "", "pending", "", "", "p"),
		`approval.consumed ` + approvalEvent("e", "pending", "consumed", "executed", "ne", "p"),
		`exec.start {"authority":"approval","envelope_id":"e","sid":"a"}`}, "another plan", 3},
	{"used twice", []string{
		`exec.intent {"plan_hash":"p","sid":"a","verdict":"ask"}`,
		`exec.intent {"plan_hash":"p","sid":"b","verdict":"ask"}`,
		`approval.issued ` + approvalEvent("e", "", "pending", "", "", "p"),
		`approval.consumed ` + approvalEvent("e", "pending", "consumed", "executed", "ne", "p"),
		`exec.start {"authority":"approval","envelope_id":"e","sid":"a"}`,
		`exec.start {"authority":"approval","envelope_id":"e","sid":"b"}`}, "not consumed", 5},
	{"calls of a batch", append(batchStory("a", "c1", "b", "c3"), `exec.end {"sid":"a"}`,
		`exec.end {"sid":"b"}`), "", 0},
	{"a call of a batch twice", batchStory("a", "c1", "b", "c1"), "not again", 5},
	{"a call of a batch that was denied", batchStory("a", "c2", "b", "c3"), "does not allow", 4},
	{"a call of another batch", append(batchStory("a", "c1", "b", "c3")[:4],
		`exec.start {"authority":"approval","batch_plan":"q","envelope_id":"e","sid":"a"}`),
		"another plan", 4},
	{"died twice", []string{
		`approval.issued ` + approvalEvent("e", "", "pending", "", "", "p"),
		`approval.consumed ` + approvalEvent("e", "pending", "consumed", "executed", "ne", "p"),
		`approval.expired ` + approvalEvent("e", "pending", "expired", "rejected:expired", "ne",
			"p")}, "second time", 2},
	{"a live nonce", []string{`approval.issued ` + approvalEvent("e", "", "pending", "", "ne",
		"p")}, "still in use", 0},
	{"another nonce", []string{
		`approval.issued ` + approvalEvent("e", "", "pending", "", "", "p"),
		`approval.consumed ` + approvalEvent("e", "pending", "consumed", "executed", "nx", "p")},
		"nonce", 1},
	{"never asked", []string{`approval.consumed ` + approvalEvent("e", "pending", "consumed",
		"executed", "ne", "p")}, "never asked", 0},
	{"no end", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.start {"authority":"policy","sid":"a"}`,
		`exec.intent {"sid":"b","verdict":"allow"}`}, "no end", 1},
	{"two starts", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.start {"authority":"policy","sid":"a"}`,
		`exec.start {"authority":"policy","sid":"a"}`}, "twice", 2},
	{"started after its end", []string{
		`exec.intent {"sid":"a","verdict":"allow"}`, `exec.denied {"sid":"a"}`,
		`exec.start {"authority":"policy","sid":"a"}`}, "had ended", 2},
	{"accepted unseen", []string{`tamper.shown {"digest":"c"}`, `tamper.accepted {"digest":"d"}`},
		"never shown", 1},
}

func TestComplete(t *testing.T) {
	t.Parallel()
	for _, c := range stories {
		dir := filepath.Join(t.TempDir(), "audit")
		l := openTest(t, dir)
		for _, line := range c.log {
			kind, body, _ := strings.Cut(line, " ")
			mustAppend(t, l, kind, body)
		}
		if _, err := Verify(dir, VerifyOptions{Strict: true}); err != nil {
			t.Errorf("%s: the chain itself: %v", c.name, err)
		}
		_, err := Verify(dir, VerifyOptions{Complete: true})
		var bad *BadEntry
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want == "":
		case !errors.As(err, &bad) || !strings.Contains(bad.Reason, c.want) || bad.Seq != c.at:
			t.Errorf("%s: %v, want entry %d %q", c.name, err, c.at, c.want)
		}
	}
}

// A run that is still running needs no end yet.
func TestCompleteWhileRunning(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	mustAppend(t, l, KindIntent, `{"sid":"a","verdict":"allow"}`)
	mustAppend(t, l, KindStart, `{"authority":"policy","sid":"a"}`)
	r, err := Verify(dir, VerifyOptions{Complete: true,
		Meanwhile: Meanwhile{Running: func(sid string) bool { return sid == "a" }}})
	if err != nil || r.Open != 1 || r.Runs != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// B-R4.1: every event of an approval has all its fields, and a known outcome.
func TestStrict(t *testing.T) {
	t.Parallel()
	good := approvalEvent("e", "", "pending", "", "", "p")
	for body, want := range map[string]string{
		good: "",
		strings.Replace(good, `"nonce_hash":`, `"nonce_hasx":`,
			1): "nonce_hash",
		strings.Replace(good, `"decisions":[]`, `"decisions":""`,
			1): "decisions",
		strings.Replace(good, `"outcome":""`, `"outcome":"maybe"`,
			1): "unknown outcome",
		strings.Replace(good, `"plan_hash":"p"`, `"plan_hash":7`,
			1): "plan_hash",
		strings.Replace(good, `"work_item_id":"w"`, `"work_item":"\u00e9\u2028\ud83d\ude00"`,
			1): "work_item_id",
		strings.Replace(good, `"work_item_id":"w"`,
			`"work_item_id":"\u00e9\u2028\udc80\ud83d\ude00\u007f<>&"`, 1): "",
	} {
		dir := filepath.Join(t.TempDir(), "audit")
		mustAppend(t, openTest(t, dir), kindIssued, body)
		_, err := Verify(dir, VerifyOptions{Strict: true})
		var bad *BadEntry
		if want == "" && err != nil ||
			want != "" && (!errors.As(err, &bad) || !strings.Contains(bad.Reason, want)) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
	if strictly(fields{body: []byte(`{}`), kind: []byte("k"),
		time: []byte("2026-02-31T00:00:00.000000Z")}) == "" {
		t.Error("the 31st of February")
	}
}

// Since proves only what came after, and can begin after any entry, in a log of one file or many,
// with gaps and without.
func TestSince(t *testing.T) {
	t.Parallel()
	dir, _ := fillSegments(t, 30, 2000)
	writeTo(t, dir, `{"body":{"torn`)
	l := openTest(t, dir)
	mustAppend(t, l, "k", `{}`)
	mustAppend(t, l, "k", `{}`)
	var points []Point
	for e, err := range Entries(dir, Filter{}) {
		var bad *BadEntry
		if !errors.As(err, &bad) {
			must(t, err)
			points = append(points, Point{e.Seq + 1, e.Hash})
		}
	}
	for _, p := range points {
		r, err := Verify(dir, VerifyOptions{Since: &p})
		if err != nil || r.Entries != int64(len(points)) || r.Since != p.Count {
			t.Errorf("since %v: %+v, %v", p.Count, r, err)
		}
		wrong := Point{p.Count, Genesis()}
		var bad *BadEntry
		if _, err := Verify(dir, VerifyOptions{Since: &wrong}); !errors.As(err, &bad) ||
			!strings.Contains(bad.Reason, "never had the head") {
			t.Errorf("since a head that never was: %v", err)
		}
	}
	var bad *BadEntry
	if _, err := Verify(dir, VerifyOptions{Since: &Point{99, Genesis()}}); !errors.As(err, &bad) {
		t.Errorf("since an entry that is not there: %v", err)
	}
	// A change before it is not noticed, one after it is reported.
	name := filepath.Join(dir, segmentName(1))
	b := readAll(t, name)
	b[10] ^= 1
	must(t, writeFile(name, b))
	if _, err := Verify(dir, VerifyOptions{Since: &points[25]}); err != nil {
		t.Errorf("a change before: %v", err)
	}
	if _, err := Verify(dir, VerifyOptions{Since: &points[1]}); !errors.As(err, &bad) ||
		bad.File != segmentName(1) || bad.Line != 1 {
		t.Errorf("a change after: %v", err)
	}
}
