package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// features are what is proved about a client, in the order of the table, and by which tests.
// For a test that proves less, result says so.
var features = []struct{ name, tests, result string }{
	{name: "shell", tests: "TestClientsShell TestClientsDoors/shell " +
		"TestClientsClaudeShellThatIsNone TestClientsCalls/shell TestClientsDirectory/shell"},
	{name: "hook", tests: "TestClients TestClientsDoors/hook " +
		"TestClientsCalls/hook TestClientsDirectory/hook"},
	{name: "hook", tests: "TestClientsQwenHook", result: "denies only"},
	{name: "both", tests: "TestClientsBoth TestClientsDoors/both TestClients/qwen " +
		"TestClientsCalls/both TestClientsDirectory/both"},
	{name: "session", tests: "TestClientsSession TestClientsScreen TestClientsDoors/session " +
		"TestClientsCalls/session TestClientsDirectory/session"},
	{name: "MCP", tests: "TestClientsDoors/mcp " +
		"TestClientsCalls/mcp TestClientsDirectory/mcp"},
	{name: "own rules", tests: "TestClientsRules TestClientsAllowRules TestClientsCodexRefuses TestClientsGivenRules TestClientsAskRules TestClientsCodexSandbox TestClientsClaudeSandbox"},
	{name: "unknown tools", tests: "TestClientsUnknownTool"},
	{name: "file tools", tests: "TestClientsFiles TestClientsCodexPatch"},
	{name: "broken hook", tests: "TestClientsHookNeverFailsOpen TestClientsHooksOff"},
	{name: "freeze", tests: "TestClientsFreeze"},
	{name: "freeze", tests: "TestClientsFreeze/codex TestClientsFreeze/qwen " +
		"TestClientsFreeze/copilot", result: "denies only"},
	{name: "stops", tests: "TestClientsStop"},
	{name: "conversation", tests: "TestClientsConversation"},
	{name: "bad input", tests: "TestClientsFunctionsNamedAsPrograms TestClientsOwnWrapper TestClientsUpdated TestClientsTwoInOneFolder"},
	{name: "typing", tests: "TestClientsCodexTerminal"},
	{name: "", tests: "TestClientsCapture"},
}

// proves finds the feature that a test is about, by the longest name.
func proves(test string) (feature, result string, known bool) {
	longest := ""
	for _, f := range features {
		for name := range strings.FieldsSeq(f.tests) {
			if (test == name || strings.HasPrefix(test, name+"/")) && len(name) > len(longest) {
				longest, feature, result, known = name, f.name, f.result, true
			}
		}
	}
	if result == "" {
		result = "yes"
	}
	return feature, result, known
}

// TestEveryClientTestProves: without this, a client test that is in no row of the table would fail
// with every program, but only where the programs are installed.
func TestEveryClientTestProves(t *testing.T) {
	files, err := filepath.Glob("clients_*test.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^func (TestClients\w*)\(`).
			FindAllSubmatch(text, -1) {
			name := string(found[1])
			_, _, whole := proves(name)
			for _, door := range clientDoors {
				if _, _, known := proves(name + "/" + door); !known && !whole {
					t.Errorf("%s: %s proves no feature through the %s", file, name, door)
				}
			}
		}
	}
}

// proven is what the tests proved, in the order of the clients and of the features. The
// table of docs/tested.md is made from it.
const proven = "testdata/clients/proven.txt"

const provenHead = "# What `make test-clients` proved: client, version, feature, result. It writes this file, and the table of docs/tested.md.\n"

type proof struct{ client, version, feature, result string }

var proofs struct {
	sync.Mutex
	now []proof // of this run
}

// note records the result of the test. A feature fails if one of its tests does.
func (c client) note(t *testing.T) {
	t.Helper()
	feature, result, known := proves(t.Name())
	if !known {
		t.Errorf("%s proves no feature: name it in the table in clients_proven_test.go", t.Name())
	}
	version := c.version(t)
	t.Cleanup(func() {
		if t.Skipped() || feature == "" || os.Getenv("UPDATE") == "" {
			return
		}
		if t.Failed() {
			result = "fails"
		}
		proofs.Lock()
		defer proofs.Unlock()
		i := slices.IndexFunc(proofs.now, func(p proof) bool {
			return p.client == c.name && p.version == version && p.feature == feature
		})
		switch {
		case i < 0:
			proofs.now = append(proofs.now, proof{c.name, version, feature, result})
		case proofs.now[i].result == "yes" || result == "fails":
			proofs.now[i].result = result
		}
		old, err := readProofs()
		if err == nil {
			err = os.WriteFile(proven, []byte(provenHead+spellProofs(merge(old, proofs.now))),
				0o644)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// cannot reports that a client has no such thing: no shell that can be set, no hook, no rules of
// its own for commands, or no tool with which its model types into a running command.
func (c client) cannot(feature string) bool {
	switch feature {
	case "shell", "both":
		return !c.has(feature)
	case "hook", "unknown tools", "file tools", "broken hook", "freeze":
		return !c.hooked()
	case "own rules":
		return clientRules[c.name].levels == nil && givenRules[c.name].argv == nil
	case "typing":
		return c.name != "codex"
	}
	return false
}

// merge replaces earlier proofs with those of this run. Proofs of other versions of the same client
// are dropped.
func merge(old, now []proof) []proof {
	all := slices.Clone(now)
	for _, p := range old {
		tried := slices.ContainsFunc(now, func(n proof) bool { return n.client == p.client })
		same := slices.ContainsFunc(now,
			func(n proof) bool { return n.client == p.client && n.version == p.version })
		again := slices.ContainsFunc(now, func(n proof) bool {
			return n.client == p.client && n.version == p.version && n.feature == p.feature
		})
		if !again && (same || !tried) {
			all = append(all, p)
		}
	}
	order := names(clients)
	slices.SortFunc(all, func(a, b proof) int {
		if n := slices.Index(order, a.client) - slices.Index(order, b.client); n != 0 {
			return n
		}
		if n := byNumbers(a.version, b.version); n != 0 {
			return n
		}
		return slices.Index(columns(), a.feature) - slices.Index(columns(), b.feature)
	})
	return all
}

func names(list []client) (names []string) {
	for _, c := range list {
		names = append(names, c.name)
	}
	return names
}

func columns() (names []string) {
	for _, f := range features {
		if f.name != "" && !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

func spellProofs(list []proof) string {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%-12s %-9s %-14s %s\n", p.client, p.version, p.feature, p.result)
	}
	return b.String()
}

func readProofs() (list []proof, err error) {
	raw, err := os.ReadFile(proven)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		feature := slices.IndexFunc(columns(), func(name string) bool {
			return len(words) > 3 && strings.HasPrefix(strings.Join(words[2:], " "), name+" ")
		})
		if feature < 0 {
			return nil, fmt.Errorf("%s: %q is no client, version, feature and result", proven, line)
		}
		name := columns()[feature]
		list = append(list, proof{words[0], words[1], name,
			strings.TrimPrefix(strings.Join(words[2:], " "), name+" ")})
	}
	return list, nil
}
