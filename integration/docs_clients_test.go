package integration

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// The marks around the table in docs/tested.md.
const tableBegins, tableEnds = "<!-- proven by make test-clients -->\n", "<!-- end -->\n"

// TestDocsClients: the table of docs/tested.md has exactly what the client tests proved. UPDATE=1
// writes it.
func TestDocsClients(t *testing.T) {
	list, err := readProofs()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../docs/tested.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(raw), tableBegins)
	had, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatalf("docs/tested.md has no table between %q and %q", tableBegins, tableEnds)
	}
	want := clientTable(list)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("../docs/tested.md", []byte(before+tableBegins+want+tableEnds+after),
			0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, p := range list {
		if clientNamed(p.client).cannot(p.feature) {
			t.Errorf("%s cannot have %s, and %s says %q", p.client, p.feature, proven, p.result)
		}
	}
	if had != want {
		t.Errorf("docs/tested.md is not what %s says; to write it: make golden\n%s", proven, want)
	}
}

// clientTable has a row for each version of a client and a column for each feature, with a dash for
// what the client does not have.
func clientTable(list []proof) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | version | %s |\n|---|---|%s\n", strings.Join(columns(), " | "),
		strings.Repeat("---|", len(columns())))
	for i, p := range list {
		if i > 0 && list[i-1].client == p.client && list[i-1].version == p.version {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s |", p.client, p.version)
		for _, feature := range columns() {
			at := slices.IndexFunc(list, func(q proof) bool {
				return q.client == p.client && q.version == p.version && q.feature == feature
			})
			switch {
			case at >= 0:
				fmt.Fprintf(&b, " %s |", list[at].result)
			case clientNamed(p.client).cannot(feature):
				b.WriteString(" – |")
			default:
				b.WriteString(" |")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// What a run proved replaces what an older one did; what it did not try stays, except for another
// version.
func TestProofs(t *testing.T) {
	old := []proof{{"codex", "1.0.0", "hook", "yes"}, {"gemini", "1.0.0", "shell", "yes"},
		{"gemini", "1.0.0", "hook", "yes"}}
	now := []proof{{"gemini", "1.0.0", "hook", "fails"}, {"codex", "1.0.1", "MCP", "yes"}}
	want := "codex 1.0.1 MCP yes\ngemini 1.0.0 shell yes\ngemini 1.0.0 hook fails\n"
	var got strings.Builder
	for line := range strings.Lines(spellProofs(merge(old, now))) {
		fmt.Fprintln(&got, strings.Join(strings.Fields(line), " "))
	}
	if got.String() != want {
		t.Errorf("%s", got.String())
	}
	for test, want := range map[string]string{
		"TestClients/codex": "hook yes", "TestClients/qwen": "both yes",
		"TestClientsDoors/mcp/codex": "MCP yes", "TestClientsQwenHook": "hook denies only",
	} {
		if feature, result, known := proves(test); !known || feature+" "+result != want {
			t.Errorf("%s proves %q, %q", test, feature, result)
		}
	}
	if _, _, known := proves("TestClientsNew/codex"); known {
		t.Error("a test that no feature names proves one")
	}
}
