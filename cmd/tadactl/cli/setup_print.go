package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// longFile is how many lines of a file that is made or removed are shown before a person is asked:
// more, and the agents that the question is about would scroll away.
const longFile = 12

// print prints what the plan would do: a table of the agents, what is not possible, and the
// difference of each file; of a long one that is made or removed only if whole is set.
func (plan setupPlan) print(out io.Writer, whole bool) {
	fmt.Fprintf(out, "%-12s %-7s %-7s %s\n", "agent", "hook", "shell", "found")
	for _, p := range plan {
		fmt.Fprintf(out, "%-12s", visible(p.title))
		for _, part := range p.parts {
			fmt.Fprintf(out, " %-7s", part.state)
		}
		fmt.Fprintf(out, " %s\n", inert(p.at))
	}
	plan.printWhy(out)
	for _, f := range plan.changes() {
		fmt.Fprintf(out, "\n%s %s", f.doing(), inert(f.file))
		if n := bytes.Count(slices.Concat(f.was, f.want), []byte("\n")); !whole && n > longFile &&
			(f.was == nil || f.want == nil) {
			fmt.Fprintf(out, ": %s; to see them: tadactl setup --dry-run\n", audit.Plural(n, "line"))
			continue
		}
		fmt.Fprintf(out, "\n%s", difference(f.file, f.was, f.want))
	}
}

// printWhy prints what an agent cannot have, why, and what works.
func (plan setupPlan) printWhy(out io.Writer) {
	title := "\nnot possible\n"
	for _, p := range plan {
		none := false
		for _, part := range p.parts {
			if part.why == "" {
				continue
			}
			fmt.Fprintf(out, "%s%-12s %-7s %s\n", title, visible(p.title), part.name,
				visible(part.why))
			title, none = "", true
		}
		if none {
			fmt.Fprintf(out, "%-12s %-7s %s\n", "", "works", p.session())
		}
	}
}

// doing is what happens to a file.
func (f *setupFile) doing() string {
	switch {
	case f.was == nil:
		return "make"
	case f.want == nil:
		return "remove"
	}
	return "change"
}

// difference is a unified difference of a file. nil is no file.
func difference(name string, was, want []byte) string {
	text := tamper.Unified(strings.TrimPrefix(name, "/"), was, want)
	if text == "" {
		return "(an empty file)\n"
	}
	return text
}

// facts are what --json prints of a plan.
func (plan setupPlan) facts() []any {
	list := []any{}
	for _, p := range plan {
		one := map[string]any{"agent": p.name, "platform": p.platform, "title": p.title,
			"found": p.at, "session": p.session(), "files": fileFacts(setupPlan{p}.changes())}
		for _, part := range p.parts {
			one[part.name] = map[string]string{"state": string(part.state), "why": part.why}
		}
		list = append(list, one)
	}
	return list
}

func fileFacts(files []*setupFile) []any {
	list := []any{}
	for _, f := range files {
		list = append(list, map[string]string{"file": f.file, "do": f.doing(),
			"diff": difference(f.file, f.was, f.want)})
	}
	return list
}
