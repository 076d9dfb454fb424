package cli

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "1": 1, "500M": 500 << 20, "1G": 1 << 30,
		"2T": 2 << 40, "20K": 20 << 10} {
		if n, err := parseSize(text); err != nil || n != want {
			t.Errorf("%q is %d, %v; want %d", text, n, err, want)
		}
	}
	for _, bad := range []string{"0", "-1", "1GB", "G", "1.5G", "1 G", "GG", "1KM",
		"9223372036854775807T", "x"} {
		if n, err := parseSize(bad); err == nil {
			t.Errorf("%q is taken for %d bytes", bad, n)
		}
	}
}

func TestParseTime(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"": {}, "2h": now.Add(-2 * time.Hour), "7d": now.Add(-7 * 24 * time.Hour),
		"2026-03-01T12:00:00Z": now.Add(-24 * time.Hour),
		"2026-03-01":           time.Date(2026, 3, 1, 0, 0, 0, 0, time.Local),
		"2026-03-01 08:30":     time.Date(2026, 3, 1, 8, 30, 0, 0, time.Local),
	} {
		if at, err := parseTime(text, now); err != nil || !at.Equal(want) {
			t.Errorf("%q is %v, %v; want %v", text, at, err, want)
		}
	}
	for _, bad := range []string{"yesterday", "0d", "-1h", "2026-13-01", "1", "99999d"} {
		if at, err := parseTime(bad, now); err == nil {
			t.Errorf("%q is taken for %v", bad, at)
		}
	}
}

// A line is found however writes split it, and the last one without a line end too.
func TestFinder(t *testing.T) {
	const text = "one\ntwo three\n\nthree"
	for size := 1; size <= len(text); size++ {
		var got []string
		g := finder{text: []byte("three"), found: func(n int, line string) error {
			got = append(got, fmt.Sprint(n, line))
			return nil
		}}
		for at := 0; at < len(text); at += size {
			if _, err := g.Write([]byte(text[at:min(at+size, len(text))])); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.line(); err != nil || fmt.Sprint(got) != "[2two three 4three]" {
			t.Errorf("in pieces of %d: %q, %v", size, got, err)
		}
	}
}

// A reader who interrupts a replay needs no message: it ends with 130 and prints nothing. Any other
// error is reported.
func TestInterruptedReplay(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &ctl{}
	if err := c.left(ctx, io.ErrUnexpectedEOF); err != io.ErrUnexpectedEOF || c.status != 0 {
		t.Errorf("not interrupted: %v, status %d", err, c.status)
	}
	cancel()
	if err := c.left(ctx, io.ErrUnexpectedEOF); err != io.ErrUnexpectedEOF {
		t.Errorf("failed: %v", err)
	}
	if err := c.left(ctx, fmt.Errorf("wait: %w", ctx.Err())); err != nil || c.status != 130 {
		t.Errorf("interrupted: %v, status %d", err, c.status)
	}
}
