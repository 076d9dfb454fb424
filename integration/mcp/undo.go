package mcp

import (
	"fmt"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// Undo is the input of undo_run.
type Undo struct {
	Run   string   `json:"run,omitempty" jsonschema:"session of run_command; if omitted, your last"`
	Paths []string `json:"paths,omitempty" jsonschema:"only these files; if omitted, all"`
	Check bool     `json:"check,omitempty" jsonschema:"only show what would be done"`
	Cwd   string   `json:"cwd,omitempty" jsonschema:"a directory in the workspace"`
	Wait  int      `json:"wait_ms,omitempty" jsonschema:"wait for an approval, at most 100000"`
}

// Undone is the result of undo_run.
type Undone struct {
	Undone  bool             `json:"undone"`
	Run     string           `json:"run,omitempty" jsonschema:"that was taken back"`
	Undo    string           `json:"undo,omitempty" jsonschema:"give it as run to redo all"`
	Steps   []Step           `json:"steps" jsonschema:"what was done, or would be"`
	Refused int              `json:"refused,omitempty" jsonschema:"paths left as they are"`
	Refusal *refusal.Refusal `json:"refusal,omitempty" jsonschema:"why nothing was changed"`
	Audit   string           `json:"audit,omitempty" jsonschema:"the head of the log"`
}

// A Step is what an undo does to one path.
type Step struct {
	Path string `json:"path"`
	Do   string `json:"do" jsonschema:"remove, restore, replace, rewrite, mark or refuse"`
	Why  string `json:"why,omitempty"`
}

func undone(u launcher.Undone) Undone {
	out := Undone{Run: u.Taken, Undo: u.Result.Run, Refused: u.Result.Refused, Steps: []Step{},
		Refusal: u.Refusal}
	for _, step := range u.Result.Steps {
		out.Steps = append(out.Steps, Step{step.Path, string(step.Do), step.Why})
	}
	return out
}

// absolute are paths of a client.
func absolute(dir string, paths []string) (list []string) {
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(real, filepath.Base(path))
		}
		list = append(list, path)
	}
	return list
}

// textOf is the answer for clients that do not read the structure.
func textOf(u Undone) *sdk.CallToolResult {
	var b strings.Builder
	for _, step := range u.Steps {
		fmt.Fprintf(&b, "%s %s", step.Do, step.Path)
		if step.Why != "" {
			fmt.Fprintf(&b, " (%s)", step.Why)
		}
		b.WriteByte('\n')
	}
	switch {
	case len(u.Steps) == 0:
		b.WriteString("nothing to do\n")
	case u.Undone:
		fmt.Fprintf(&b, "undone; to do it again: undo_run with run %s\n", u.Undo)
	}
	fmt.Fprintf(&b, "audit=%s", u.Audit)
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: b.String()}}}
}
