package audit

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// forgeMany is forge for more entries than fit in memory, given as kind and body.
func forgeMany(t *testing.T, entries iter.Seq2[string, string]) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "audit")
	mustAppend(t, openTest(t, dir), "k", `{}`) // for the files beside the log
	f, err := os.Create(filepath.Join(dir, logName))
	must(t, err)
	defer f.Close()
	to, a, line := bufio.NewWriter(f), newAnchor(testBoot), []byte(nil)
	at := stampOf(time.Unix(1767225600, 0))
	for kind, body := range entries {
		line = appendLine(line[:0], kind, []byte(body), a.Head, a.Count, at)
		a.Count, a.Head, a.Last = a.Count+1, sha256.Sum256(line), int64(len(line)+1)
		a.Size += a.Last
		_, err = to.Write(append(line, '\n'))
		must(t, err)
	}
	must(t, to.Flush())
	slots := a.appendSlot(nil, nil)
	a.turn = 1
	must(t, writeFile(filepath.Join(dir, anchorName), a.appendSlot(slots, nil)))
	return dir
}

// runID is the id of a run; they sort by their numbers.
func runID(n int) string { return fmt.Sprintf("run-%021d", n) }

// runs yields some runs from a number on, each with a transcript, and one in ten with a question.
func runs(from, n int, sum Summary) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := from; i < from+n; i++ {
			sid, verdict, authority := runID(i), "allow", "policy"
			question := i%10 == 0
			if question {
				verdict, authority = "ask", "approval"
			}
			more := yield(KindIntent, fmt.Sprintf(`{"plan_hash":"p","sid":"%s","verdict":"%s"}`,
				sid, verdict))
			if question {
				more = more && yield(kindIssued, approvalEvent(sid, "", "pending", "", "", "p")) &&
					yield(kindConsumed, approvalEvent(sid, "pending", "consumed", "executed",
						"n"+sid, "p"))
			}
			if !more || !yield(KindStart, fmt.Sprintf(
				`{"authority":"%s","envelope_id":"%s","sid":"%s"}`, authority, sid, sid)) ||
				!yield(KindClose, string(closeBody(sid, sum))) ||
				!yield(KindEnd, fmt.Sprintf(`{"sid":"%s"}`, sid)) {
				return
			}
		}
	}
}

// least is the least of some peaks: pieces that wait to be joined are more in some than in others.
func least(do func(look func())) uint64 {
	most := peak(do)
	for range 4 {
		most = min(most, peak(do))
	}
	return most
}

// peak calls do with a function that looks how much memory is in use, and returns the most.
func peak(do func(look func())) (most uint64) {
	var mu sync.Mutex
	var last time.Time
	do(func() {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < 20*time.Millisecond {
			return
		}
		runtime.GC()
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		most, last = max(most, live[0].Value.Uint64()), time.Now()
	})
	return most
}

// Verify needs the same memory for four times as many runs: what it knows of each is in a file.
func TestVerifyInBoundedMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.cast")
	sum := sample(t, path)
	cast := readAll(t, path)
	var used []uint64
	for _, n := range []int{8_000, 32_000} {
		dir := forgeMany(t, func(yield func(string, string) bool) {
			yield(KindIntent, `{"plan_hash":"p","sid":"open","verdict":"allow"}`)
			yield(KindStart, `{"authority":"policy","sid":"open"}`)
			runs(0, n, sum)(yield)
		})
		var report Report
		used = append(used, least(func(look func()) {
			var err error
			report, err = Verify(dir, VerifyOptions{Complete: true,
				Transcript: func(string) (io.ReadCloser, error) {
					look()
					return io.NopCloser(strings.NewReader(string(cast))), nil
				},
				Transcripts: func(say func(sid string)) error {
					for i := range n {
						say(runID(i))
					}
					return nil
				},
				Meanwhile: Meanwhile{
					Running:  func(sid string) bool { look(); return sid == "open" },
					Progress: func(string, int64, int64) { look() }}})
			must(t, err)
		}))
		if report.Runs != n+1 || report.Transcripts != n || report.Open != 1 {
			t.Errorf("%+v", report)
		}
	}
	t.Logf("bytes in use: %d", used)
	if used[1] > used[0]*6/5+1<<20 { // 40 bytes a run
		t.Errorf("%d bytes in use for four times the runs, %d before", used[1], used[0])
	}
}

// apart is how many entries are between the two that do not go together: more than are sorted in
// memory.
func apart() int { return 3_000 }

// denied yields so many entries of runs that are not permitted, and dropped of transcripts that are
// gone.
func denied(entries int) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := range entries / 2 {
			yield(KindIntent, fmt.Sprintf(`{"sid":"%s","verdict":"deny"}`, runID(i)))
			yield(KindDenied, fmt.Sprintf(`{"sid":"%s"}`, runID(i)))
		}
	}
}

func dropped(entries int) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := range entries {
			yield(KindDrop, fmt.Sprintf(`{"sid":"%s"}`, runID(i)))
		}
	}
}

// What contradicts an entry that was read long before is found, whatever was between the two.
// B-R4.1
func TestCompleteFarApart(t *testing.T) {
	t.Parallel()
	issued := kindIssued + " " + approvalEvent("e", "", "pending", "", "", "p")
	died := kindConsumed + " " + approvalEvent("e", "pending", "denied", "denied", "ne", "p")
	used := kindConsumed + " " + approvalEvent("e", "pending", "consumed", "executed", "ne", "p")
	start := `exec.start {"authority":"approval","envelope_id":"e","sid":"%s"}`
	run := []string{`exec.intent {"sid":"a","verdict":"allow"}`,
		`exec.start {"authority":"policy","sid":"a"}`, `exec.end {"sid":"a"}`}
	asked := append(slices.Clone(run), `exec.intent {"plan_hash":"p","sid":"b","verdict":"ask"}`,
		issued, used, fmt.Sprintf(start, "b"), `exec.end {"sid":"b"}`,
		`exec.intent {"plan_hash":"p","sid":"c","verdict":"ask"}`)
	for _, c := range []struct {
		name          string
		before, after []string
		want          string // of the last entry; "" for a complete record
	}{
		{"announced again", run, run[:1], `announces run "a" a second time`},
		{"started again", run, run[1:2], `exec.start of run "a", which had ended`},
		{"ended again", run, run[2:], `exec.end of run "a", which had ended`},
		{"denied after its end", run, []string{`exec.denied {"sid":"a"}`}, "which had ended"},
		{"failed after its end", run, []string{`exec.failed {"sid":"a"}`}, ""},
		{"never announced", run, []string{`exec.failed {"sid":"b"}`}, "never announced"},
		{"asked again", []string{issued, died}, []string{issued},
			`asks question "e" a second time`},
		{"died again", []string{issued, died}, []string{died}, `question "e" died a second time`},
		{"an approval used again", asked, []string{fmt.Sprintf(start, "c")}, "not consumed for it"},
		{"reported lost, and it goes on", []string{run[0],
			`exec.orphan {"sid":"a","started":false}`}, run[1:], ""},
		{"ended long after its start", run[:2], run[2:], ""},
		{"no end", run[:2], nil, "has no end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := forgeMany(t, story(c.before, denied(apart()), c.after))
			r, err := Verify(dir, VerifyOptions{Complete: true})
			var bad *BadEntry
			last := r.Entries - 1
			if c.after == nil {
				last = 1
			}
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want == "":
			case !errors.As(err, &bad) || !strings.Contains(bad.Reason, c.want) || bad.Seq != last:
				t.Errorf("%v, want entry %d %q", err, last, c.want)
			}
		})
	}
}

// story yields entries, each given as its kind and body, around others.
func story(before []string, between iter.Seq2[string, string],
	after []string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, line := range before {
			kind, body, _ := strings.Cut(line, " ")
			yield(kind, body)
		}
		between(yield)
		for _, line := range after {
			kind, body, _ := strings.Cut(line, " ")
			yield(kind, body)
		}
	}
}

// A transcript is compared with all that the log says about it, however far apart that is.
func TestTranscriptsFarApart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.cast")
	sum := sample(t, path)
	cast := readAll(t, path)
	other := sum
	other.Head[0] ^= 1
	ckpt := func(s Summary) string {
		return fmt.Sprintf(`%s {"count":%d,"head":"%s","sid":"a"}`, KindCheckpoint, s.Count, s.Head)
	}
	closed := KindClose + " " + string(closeBody("a", sum))
	for _, c := range []struct {
		name          string
		before, after []string
		gone          string
		want          string
	}{
		{"as it is", []string{ckpt(sum)}, []string{closed}, "", ""},
		{"another before", []string{ckpt(other)}, []string{closed}, "", ""}, // the later counts
		{"another after", []string{ckpt(sum)}, []string{ckpt(other)}, "", "another transcript"},
		{"missing", []string{closed}, nil, "a", "is missing"},
		{"dropped later", []string{closed}, []string{KindDrop + ` {"sid":"a"}`}, "a", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := forgeMany(t, story(c.before, dropped(apart()), c.after))
			there := func(say func(sid string)) error {
				say("stranger")
				for i := range apart() {
					say(runID(i))
				}
				say("a")
				return nil
			}
			r, err := Verify(dir, VerifyOptions{Transcripts: there,
				Transcript: func(sid string) (io.ReadCloser, error) {
					if sid == c.gone || sid != "a" {
						return nil, fs.ErrNotExist
					}
					return io.NopCloser(strings.NewReader(string(cast))), nil
				}})
			var bad *BadEntry
			switch {
			case c.want == "" && (err != nil || r.Unnamed[len(r.Unnamed)-1] != "stranger"):
				t.Errorf("%v, strangers %q", err, r.Unnamed)
			case c.want == "":
			case !errors.As(err, &bad) || !strings.Contains(bad.Reason, c.want):
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
