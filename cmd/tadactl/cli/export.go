package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/export"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/state"
)

// exports are the formats. To add one, write its function in package export and a line here.
var exports = []struct {
	name, about string
	write       func(*recording, io.Writer) error
}{
	{"cast", "asciicast v3, for asciinema 3 and its web player", plain(export.Cast)},
	{"cast2", "asciicast v2, for asciinema 2", plain(export.Cast2)},
	{"txt", "the screen, as lines of text", plain(export.Text)},
	{"json", "one object per line: the header, then the events", plain(export.JSON)},
	{"html", "one page for any browser, with a player and the result of `tadactl audit verify`",
		(*recording).html},
}

// plain makes an export that needs only the transcript.
func plain(write func(io.Writer, io.Reader) error) func(*recording, io.Writer) error {
	return func(s *recording, w io.Writer) error { return write(w, s.transcript) }
}

// exportNames are the names of the formats.
func exportNames() (names []string) {
	for _, e := range exports {
		names = append(names, e.name)
	}
	return names
}

func (c *ctl) export() *cobra.Command {
	names := exportNames()
	about := ""
	for _, e := range exports {
		about += fmt.Sprintf("  %-5s  %s\n", e.name, e.about)
	}
	var format string
	cmd := verb("export [ID] --format "+strings.Join(names, "|"), cobra.MaximumNArgs(1),
		func(_ *cobra.Command, args []string) error {
			s, err := c.recording(c.openToRead, args)
			if err != nil {
				return err
			}
			defer s.transcript.Close()
			return unproven(exports[slices.Index(names, format)].write(s, c.out))
		})
	cmd.Long = about
	last := len(names) - 1
	cmd.Flags().StringVar(&format, "format", names[0],
		strings.Join(names[:last], ", ")+" or "+names[last])
	return cmd
}

// html writes the page, with the result of the verification beside the session.
func (s *recording) html(w io.Writer) error {
	p := export.Page{Title: "session " + s.id}
	r, err := s.launcher.Past(s.id)
	if err != nil && !errors.Is(err, state.ErrNoSuch) {
		return err
	}
	if err == nil {
		p.Title = r.Command
		p.Facts = []export.Fact{
			{Name: "Session", Value: s.id},
			{Name: "Began", Value: r.Began.UTC().Format(time.RFC3339)},
			{Name: "Folder", Value: r.Dir},
			{Name: "Agent", Value: r.Agent}, {Name: "Verdict", Value: r.Verdict},
			{Name: "Approval", Value: r.Envelope},
			{Name: "Enforced", Value: r.Level}, {Name: "State", Value: r.State},
		}
		if exit, known := r.Exit(); known {
			p.Facts = append(p.Facts, export.Fact{Name: "Exit status", Value: fmt.Sprint(exit)})
		}
	}
	s.verify(&p)
	p.Facts = append(p.Facts, export.Fact{Name: "Made by", Value: "tadactl " + launcher.Version()})
	p.Facts = slices.DeleteFunc(p.Facts, func(f export.Fact) bool { return f.Value == "" })
	if p.Marks, err = s.marks(); err != nil {
		return err
	}
	return export.HTML(w, s.transcript, p)
}

// verify fills in what the whole log says about the session.
func (s *recording) verify(p *export.Page) {
	report, t, err := s.launcher.VerifySession(s.id)
	p.Facts = append(p.Facts,
		export.Fact{Name: "Log", Value: audit.Plural(report.Entries, "entry")},
		export.Fact{Name: "Head of the log", Value: report.Head.String()})
	if err != nil {
		p.Verdict, p.Reason = export.Refuted, "The record does not verify: "+err.Error()
		return
	}
	if t == nil {
		p.Reason = "The log does not name this session yet."
		return
	}
	p.Verdict, p.Reason = export.Proven, "Log and transcript are as they were written, and agree."
	if !t.Closed {
		p.Reason = "Log and transcript are as they were written. The session had not been closed: " +
			"its end may still come, or was lost."
	}
	p.Facts = append(p.Facts,
		export.Fact{Name: "Transcript", Value: fmt.Sprintf("%s, %s, %v",
			audit.Plural(t.Summary.Count, "event"), audit.Plural(t.Summary.Bytes, "byte"),
			t.Summary.Duration.Round(time.Millisecond))},
		export.Fact{Name: "Head of the transcript", Value: t.Summary.Head.String()})
	if n := len(t.Summary.Redacted); n > 0 {
		p.Facts = append(p.Facts, export.Fact{Name: "Redacted", Value: audit.Plural(n, "event") +
			"; the proofs still hold"})
	}
}
