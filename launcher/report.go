package launcher

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// A Report is a judgement as `tadactl check` prints it. Its JSON is a stable contract.
type Report struct {
	ID       string              `json:"id"`
	Verdict  string              `json:"verdict"` // allow, ask, deny
	Risk     int                 `json:"risk"`    // 0 to 3
	Reasons  []ReportReason      `json:"reasons"`
	Effects  map[string][]string `json:"effects"` // read, write, delete, exec, net
	Opaque   []string            `json:"opaque"`  // the pieces that could not be read
	PlanHash string              `json:"plan_hash"`
	ReportBounds
	ReportOpens
	Grant string `json:"grant,omitempty"` // by which it runs without a question
	// protected files because of which a run is refused first; only Check looks
	Tampered []string `json:"tampered,omitempty"`
	Error    string   `json:"error,omitempty"`
}

// A ReportReason is one rule that spoke. The span is in bytes of the command line.
type ReportReason struct {
	Rule    string `json:"rule"`
	Verdict string `json:"verdict"`
	Message string `json:"message"`
	Path    string `json:"path,omitempty"`
	Instead string `json:"instead,omitempty"`
	Span    [2]int `json:"span"`

	said string // the words that the span covers, and the command that contains them; for people
}

// ReportBounds are the bounds of what a run can do.
type ReportBounds struct {
	// the level that it would run at: strong, base, or none
	Sandbox string `json:"sandbox"`
	// whether what it changes can be taken back: true, "partly" or false
	Reversible any         `json:"reversible" jsonschema:"true, partly or false"`
	Lacks      []past.Lack `json:"irreversible,omitempty"` // what cannot

	// why no question can be asked now, on a machine of a fleet; only Check looks
	Offline string `json:"offline,omitempty"`

	undo string // the same in words, where that matters to a person
}

// ReportOpens is what a run gets beside what its line names.
type ReportOpens struct {
	// the network in one line, in the caller's language; "" for none
	Network string `json:"network,omitempty"`
	// Unix sockets of daemons that its programs want, with the program
	Daemons []string `json:"daemons,omitempty"`
	// hosts of package registries; those that may be reached stand in effects.net too
	Registries []ReportRegistry `json:"registries,omitempty"`
	// connections that grants allow, with the program and the grant; only Check looks
	Granted []string `json:"granted,omitempty"`
	// variables with credentials that an agent's session gets
	Keys []string `json:"keys,omitempty"`
}

// A ReportRegistry is one host of a package registry.
type ReportRegistry struct {
	Host string `json:"host"` // HOST:PORT
	Tool string `json:"tool"` // that asks it
	From string `json:"from"` // the setting that names it; "" for a built-in one
	Asks bool   `json:"asks"` // a file of the workspace names it: it is not reached unasked

	text string
}

// Report returns the judgement under the caller's id.
func (j *Judgement) Report(id string) Report {
	r := Report{
		ID: id, Verdict: j.Verdict.Decision.String(), Risk: j.Verdict.Risk, PlanHash: j.Hash(),
		Reasons: []ReportReason{}, Opaque: []string{}, Effects: j.named(),
		ReportBounds: ReportBounds{Sandbox: j.level.String(),
			Reversible: j.Verdict.Reversible.Value()},
	}
	if j.Verdict.Decision == pathguard.Ask || len(r.Effects["delete"]) > 0 {
		r.undo = j.undoText()
	}
	for _, loss := range j.Verdict.Losses {
		r.Lacks = append(r.Lacks, past.Lack{Path: loss.Path, Why: loss.Why})
	}
	locale := j.Locale()
	for _, reason := range j.Verdict.Reasons {
		r.Reasons = append(r.Reasons, ReportReason{
			Rule: reason.Rule, Verdict: reason.Decision.String(), Message: reason.In(locale),
			Path:    reason.Path,
			Instead: reason.InsteadIn(locale), Span: [2]int{reason.Span.Start, reason.Span.End},
			said: cause(j.Plan.Script, reason),
		})
	}
	reach := j.contacts()
	r.Network = reach.line(locale)
	r.Daemons = pathguard.Daemons(j.Script, reach.others())
	for _, g := range reach.registries {
		if !g.Asks && !slices.Contains(r.Effects["net"], g.Host) {
			r.Effects["net"] = append(r.Effects["net"], g.Host)
		}
		r.Registries = append(r.Registries, ReportRegistry{g.Host, g.Tool, g.From, g.Asks,
			reach.registryText(g)})
	}
	if j.client != nil {
		r.Keys = j.client.Keys
	}
	for _, o := range j.Script.Opaque {
		r.Opaque = append(r.Opaque, o.Text)
	}
	return r
}

// JSON is the report on one line.
func (r Report) JSON() string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return `{"verdict":"deny","error":"internal"}`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Text is the report for a person: what, where it really points, why, what else would do.
func (r Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", r.Verdict)
	if r.Risk > 0 {
		fmt.Fprintf(&b, " (risk %d)", r.Risk)
	}
	b.WriteByte('\n')
	for _, reason := range r.Reasons {
		label := reason.Verdict
		if label == pathguard.Allow.String() {
			label = "note" // it informs, and decides nothing
		}
		fmt.Fprintf(&b, "  %-5s %s  [%s]\n", label, notice.Visible(reason.Message), reason.Rule)
		if reason.said != "" {
			fmt.Fprintf(&b, "        by: %s\n", reason.said)
		}
		if reason.Instead != "" {
			fmt.Fprintf(&b, "        allowed instead: %s\n", notice.Visible(reason.Instead))
		}
	}
	for _, kind := range []string{"read", "write", "delete", "exec", "net"} {
		for _, name := range r.Effects[kind] {
			if kind == "net" && r.isRegistry(name) {
				continue
			}
			fmt.Fprintf(&b, "  %-6s %s\n", kind, notice.Visible(name))
		}
	}
	if r.undo != "" {
		fmt.Fprintf(&b, "  undo   %s\n", notice.Visible(r.undo))
	}
	for _, g := range r.Registries {
		fmt.Fprintf(&b, "  net    %s\n", notice.Visible(g.text))
	}
	for _, host := range r.Granted {
		fmt.Fprintf(&b, "  net    %s\n", notice.Visible(host))
	}
	for _, daemon := range r.Daemons {
		fmt.Fprintf(&b, "  daemon %s\n", notice.Visible(daemon))
	}
	if r.Network != "" {
		fmt.Fprintf(&b, "  %s\n", notice.Visible(r.Network))
	}
	for _, name := range r.Keys {
		fmt.Fprintf(&b, "  key    %s\n", notice.Visible(name))
	}
	if r.Grant != "" {
		fmt.Fprintf(&b, "  allowed by grant %s; to revoke it: tadactl grants revoke %[1]s\n",
			r.Grant)
	}
	for _, o := range r.Opaque {
		fmt.Fprintf(&b, "  cannot inspect: %s\n", notice.Visible(o))
	}
	if r.Offline != "" && r.Verdict == pathguard.Ask.String() {
		fmt.Fprintf(&b, "  cannot be asked about now: %s\n", notice.Visible(r.Offline))
	}
	for _, path := range r.Tampered {
		fmt.Fprintf(&b, "  changed from outside: %s; nothing runs until you decide: tadactl "+
			"tamper diff\n", notice.Visible(path))
	}
	return b.String()
}

func (r Report) isRegistry(host string) bool {
	return slices.ContainsFunc(r.Registries,
		func(g ReportRegistry) bool { return g.Host == host && !g.Asks })
}

// cause is the part of a line that a reason is about: its words, and the command that contains
// them. If that is the whole line, cause is empty.
func cause(s *shellparse.Script, reason pathguard.Reason) string {
	words, in := excerpt(s.Text, reason.Span), ""
	if c := reason.Command; c >= 0 && c < len(s.Commands) {
		in = excerpt(s.Text, s.Commands[c].Span)
	}
	whole := excerpt(s.Text, shellparse.Span{End: len(s.Text)})
	switch {
	case words == "" || words == whole || in == whole && len(s.Commands) == 1:
		return ""
	case in == "" || in == words || in == whole:
		return words
	}
	return words + "   in: " + in
}

// maxExcerpt keeps what is shown of a line on one line of a terminal.
const maxExcerpt = 60

func excerpt(text string, span shellparse.Span) string {
	start := max(0, min(span.Start, len(text)))
	words := []rune(strings.TrimSpace(text[start:max(start, min(span.End, len(text)))]))
	if len(words) > maxExcerpt {
		return notice.Visible(string(words[:maxExcerpt])) + " ..."
	}
	return notice.Visible(string(words))
}

// Status is the exit status of a check: 0 allow, 75 ask, 126 deny; 77 when tampering comes first.
func (r Report) Status() int {
	if len(r.Tampered) > 0 {
		return exit.Tampered
	}
	switch r.Verdict {
	case pathguard.Allow.String():
		return 0
	case pathguard.Ask.String():
		return exit.Pending
	}
	return exit.Denied
}

// Unjudged is the report of what could not be judged: it denies, and says why.
func Unjudged(id string, err error) Report {
	return bare(id, pathguard.Deny, 3, err)
}

// Idle is the report of a text that holds nothing to run but comments: a shell does nothing with
// it and succeeds, so nothing is refused. The error says that there is no command.
func Idle(id string) Report { return bare(id, pathguard.Allow, 0, ErrEmpty) }

func bare(id string, d pathguard.Decision, risk int, err error) Report {
	return Report{
		ID: id, Verdict: d.String(), Risk: risk, Error: err.Error(), Reasons: []ReportReason{},
		Opaque: []string{}, ReportBounds: ReportBounds{Reversible: false},
		Effects: map[string][]string{"read": {}, "write": {}, "delete": {}, "exec": {}, "net": {}},
	}
}
