package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/docs"
	"github.com/tada-run/tada-run/pathguard"
)

// TestTheManualAndShowHaveEveryKey: tada-config(5) and `policy show --json` have each key of the
// table, the page with its sentence, default, values and example.
func TestTheManualAndShowHaveEveryKey(t *testing.T) {
	page := strings.ReplaceAll(manOfConfig(), `\-`, "-")
	text, err := json.Marshal(policyFacts(pathguard.Default(pathguard.Account{Home: "/home/dev"})))
	if err != nil {
		t.Fatal(err)
	}
	var facts map[string]any
	if err := json.Unmarshal(text, &facts); err != nil {
		t.Fatal(err)
	}
	for _, k := range pathguard.Keys() {
		_, entry, ok := strings.Cut(page, ".B "+k.Name+"\n")
		entry, _, _ = strings.Cut(entry, "\n.TP\n")
		for _, part := range []string{k.About, k.Type, k.Values, k.Default, k.Since, k.Example,
			k.Unit()} {
			if !ok || !strings.Contains(entry, strings.ReplaceAll(part, `\`, `\e`)) {
				t.Errorf("the entry of %s lacks %q:\n%s", k.Name, part, entry)
			}
		}
		if k.IsField() {
			continue
		}
		in := facts
		for _, name := range strings.Split(k.Name, ".") {
			v, ok := in[name]
			if !ok {
				t.Errorf("policy show --json lacks %s", k.Name)
			}
			in, _ = v.(map[string]any)
		}
	}
}

// TestConfigurationPage: docs/configuration.md agrees with the table. After a change of the table,
// run it with UPDATE=1.
func TestConfigurationPage(t *testing.T) {
	const page = "../../../docs/configuration.md"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, []byte(pageOfConfig()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil || string(text) != pageOfConfig() {
		t.Errorf("%v: run UPDATE=1 go test -run %s ./cmd/tadactl/cli", err, t.Name())
	}
}

// Each page of docs/ is a manual page too, with its headings.
func TestManTopics(t *testing.T) {
	page, ok := docs.Page("troubleshooting")
	if !ok {
		t.Fatal("there is no such page")
	}
	got := manOfTopic(docs.Topic{Name: "troubleshooting", About: "Messages"}, page)
	for _, want := range []string{".TH TADA\\-TROUBLESHOOTING 7 \"\" tada-run\n.SH NAME\n" +
		"tada\\-troubleshooting \\- Messages\n.SH DESCRIPTION\n.nf\nBegin with these two.",
		"\n.SH A HOOK\n", "\n.SS `needs approval", "\n    $ tadactl doctor\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
