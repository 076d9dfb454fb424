package audit

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cpuTime is the processor time of this process: the fair denominator on a busy machine.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func benchAppend(b *testing.B, d Durability) {
	l := openTest(b, filepath.Join(b.TempDir(), "audit"))
	body := []byte(`{"argv":["ls","-l"],"cwd":"/home/me/project","plan_hash":"` +
		strings.Repeat("a", 64) + `","verdict":"allow"}`)
	for b.Loop() {
		if _, err := l.Append("exec.intent", body, d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendLazy(b *testing.B)    { benchAppend(b, Lazy) }
func BenchmarkAppendDurable(b *testing.B) { benchAppend(b, Durable) }

// What a short-lived process does: open, one durable entry, close.
func BenchmarkOpenAppendClose(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "audit")
	for b.Loop() {
		l, err := OpenLog(dir, LogOptions{Now: time.Now, BootID: testBoot})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := l.Append("k", []byte(`{}`), Lazy); err != nil {
			b.Fatal(err)
		}
		l.Close()
	}
}

// B/s here are bytes of log; the target is 0.5 GB/s for each core.
func BenchmarkVerify(b *testing.B) {
	for _, size := range []int{100, 300, 2000} {
		b.Run(fmt.Sprintf("body=%d", size), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "audit")
			l := openTest(b, dir)
			words := strings.Repeat(`"/home/me/project/src/main.go","--grep=\"a b\"",`, size/48+1)
			body := `{"argv":[` + words[:len(words)-1] + `],"n":12,"ok":true}`
			var n int64
			for n < 32<<20 {
				e := mustAppend(b, l, "exec.intent", body)
				n = e.Offset
			}
			b.SetBytes(n)
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("cores=%d", workers), func(b *testing.B) {
					b.SetBytes(n)
					cpu := cpuTime()
					defer func() { b.ReportMetric(float64(n)*float64(b.N)/1e9/(cpuTime()-cpu).Seconds(), "GB/cpu-s") }()
					for b.Loop() {
						if _, err := Verify(dir, VerifyOptions{Workers: workers}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// The cost of one call before the bytes may be shown: a screen as ls and compilers print it, and
// one long word per line, where every byte could be part of a credential.
func BenchmarkRecord(b *testing.B) {
	for name, line := range map[string]string{
		"text":  "\x1b[32m-rw-r--r--\x1b[0m 1 root root  1234 Jan  1 12:00 some_file_name.txt\r\n",
		"words": fmt.Sprintf("%060d\r\n", 7),
		"exact": "\x00\xff\xfe\x80 not UTF-8\n",
	} {
		for _, size := range []int{1, 100, 4096, 128 << 10} {
			b.Run(fmt.Sprintf("%s/%d", name, size),
				func(b *testing.B) { benchRecord(b, line, size) })
		}
	}
}

func benchRecord(b *testing.B, line string, size int) {
	start := time.Now()
	r, err := Create(filepath.Join(b.TempDir(), "a.cast"), Header{}, RecordOptions{
		Now: func() time.Duration { return time.Since(start) }, Rand: rand.Reader,
		MaxBytes: 1 << 40,
	})
	must(b, err)
	p := []byte(strings.Repeat(line, size/len(line)+1)[:size])
	b.SetBytes(int64(size))
	cpu := cpuTime()
	defer func() { b.ReportMetric((cpuTime()-cpu).Seconds()*1e9/float64(b.N), "cpu-ns/op") }()
	for b.Loop() {
		must(b, r.Output(CodeOutput, p))
		if r.events.sum.Bytes%(64<<20) < int64(size) {
			// the cost is in the call, not in a full disk
			must(b, r.events.f.Truncate(0))
		}
	}
	_, err = r.Close()
	must(b, err)
}

func BenchmarkVerifyTranscript(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.cast")
	r := record(b, path)
	for range 2000 {
		must(b, r.Output(CodeOutput, bytes.Repeat([]byte("some line of text\r\n"), 200)))
	}
	_, err := r.Close()
	must(b, err)
	cast := readAll(b, path)
	b.SetBytes(int64(len(cast)))
	for b.Loop() {
		_, err := verifyTranscript(bytes.NewReader(cast))
		must(b, err)
	}
}

// The lower limit for BenchmarkVerify: SHA-256 alone over lines of that length.
func BenchmarkHashOnly(b *testing.B) {
	for _, size := range []int{300, 500, 2200} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			line := bytes.Repeat([]byte("x"), size)
			b.SetBytes(int64(size))
			for b.Loop() {
				sha256.Sum256(line)
			}
		})
	}
}
