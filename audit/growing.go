package audit

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"time"
)

// A Growing log is read while it grows: each entry once, when it is proven. Segments may be packed
// meanwhile.
type Growing struct {
	dir    string
	o      VerifyOptions
	at     Point
	offset int64 // where the entry after that begins; 0 until the log was read once
	doubts []Gap
	anchor []byte // when the log was read last
}

// Grow returns the log in dir, to be read after a point, which it must have passed through. Of o,
// Key, Mark and Codec count. Nothing is read yet.
func Grow(dir string, o VerifyOptions, after Point) *Growing {
	if after.Count == 0 {
		after.Head = Genesis()
	}
	return &Growing{dir: dir, at: after, o: VerifyOptions{Key: o.Key, Mark: o.Mark, Codec: o.Codec}}
}

// At returns the head after the last entry that was read.
func (g *Growing) At() Point { return g.at }

// Unproven returns why an entry is not proven although it is in a log that verifies: a person
// accepted it. It is "" for one that is.
func (g *Growing) Unproven(e Entry) string {
	for _, d := range g.doubts {
		if d.Covers(e.Offset) {
			return d.Unproven()
		}
	}
	return ""
}

// Entries verifies the log and returns what it has beyond what was read, oldest first. An error, as
// of Verify, is the last thing that is yielded. If entries were removed before they were read, the
// numbers of those that are yielded show it.
func (g *Growing) Entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		g.anchor, _ = ReadPlain(filepath.Join(g.dir, anchorName), anchorSize+1)
		report, err := g.verify()
		if errors.Is(err, fs.ErrNotExist) && g.at.Count == 0 {
			return // nothing was recorded yet
		}
		more := true
		if err == nil {
			more, err = g.read(report, yield)
		}
		if err != nil && more {
			yield(Entry{}, err)
		}
	}
}

// verify verifies what is new, and all of the log the first time, or if the last entry that was
// read is not there any more: it may have been removed, which the rest of the log then says.
func (g *Growing) verify() (Report, error) {
	if g.offset > 0 {
		o := g.o
		o.Since = &g.at
		if report, err := Verify(g.dir, o); err == nil {
			return report, nil
		}
	}
	o := g.o
	if g.at.Count > 0 {
		o.Remember = []Point{g.at}
	}
	return Verify(g.dir, o)
}

// read yields the entries that a report covers. It returns whether the loop wants more.
func (g *Growing) read(report Report, yield func(Entry, error) bool) (more bool, err error) {
	set := func(at int64) bool { // apart, as no entry
		return slices.ContainsFunc(report.Gaps, func(gap Gap) bool { return gap.Holds(at) })
	}
	if report.Bytes == 0 { // a filter has no end at 0
		return true, nil
	}
	g.doubts = append(g.doubts, report.Unproven...)
	text, err := openWhole(g.dir, g.o.Codec)
	if err != nil {
		return true, err
	}
	defer text.Close()
	start, _ := text.Start()
	cut := g.offset < start // what is before was removed, or the log is read for the first time
	for e, err := range text.Entries(Filter{From: g.offset, To: report.Bytes}) {
		var bad *BadEntry
		switch {
		case errors.As(err, &bad) && set(bad.Offset), err == nil && set(e.Offset),
			err == nil && e.Seq < g.at.Count:
			continue
		case err != nil:
			return true, err
		case (e.Seq != g.at.Count || e.Prev != g.at.Head) && !(cut && e.Seq > g.at.Count):
			return true, &BadEntry{File: logName, Seq: e.Seq, Offset: e.Offset, Reason: brokenLink}
		}
		cut = false
		g.at, g.offset = Point{e.Seq + 1, e.Hash}, e.Place().Size
		if !yield(e, nil) {
			return false, nil
		}
	}
	if g.offset = report.Bytes; g.at != (Point{report.Entries, report.Head}) {
		return true, &BadEntry{File: logName, Seq: g.at.Count, Offset: g.offset,
			Reason: "was changed while it was read"}
	}
	return true, nil
}

// openWhole opens all files of a log, one of which may be packed at the same time.
func openWhole(dir string, c Codec) (text *Text, err error) {
	for range 10 {
		text, err = OpenText(dir, c)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return text, err
}

// growsEvery is how often a growing log is looked at.
const growsEvery = 200 * time.Millisecond

// Wait returns when something was appended since Entries began to read, or ctx is done.
func (g *Growing) Wait(ctx context.Context) {
	for ctx.Err() == nil {
		now, err := ReadPlain(filepath.Join(g.dir, anchorName), anchorSize+1)
		if err == nil && !bytes.Equal(now, g.anchor) {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(growsEvery):
		}
	}
}
