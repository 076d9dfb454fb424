package quarantine

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func testLog(t testing.TB) *Log {
	t.Helper()
	l, err := OpenLog(filepath.Join(t.TempDir(), LogName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func logged(t testing.TB, l *Log) []Event {
	t.Helper()
	text, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	var all []Event
	for line := range strings.Lines(string(text)) {
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

func call(tool string, args ...string) Call {
	input := map[string]any{}
	for i := 0; i+1 < len(args); i += 2 {
		input[args[i]] = args[i+1]
	}
	text, _ := json.Marshal(input)
	return Call{Tool: tool, Input: text, Inside: true}
}

// D-tool-1, D-tool-2, D-tool-3, D-tool-4, D-hook-3, D-hook-12, D-quar-2: three names, byte by byte,
// and no others.
func TestTools(t *testing.T) {
	if got := strings.Join(AllowedTools(), " "); got != "Read Grep Glob" {
		t.Errorf("allowed are %q", got)
	}
	list := DeniedTools()
	if len(list) != 23 {
		t.Errorf("%d tools are listed as denied, want 23", len(list))
	}
	seen := map[string]bool{}
	s := testSession(t, testRoot(t), nil)
	log := testLog(t)
	for _, d := range list {
		switch d.Risk {
		case RiskLow, RiskMedium, RiskHigh, RiskCritical:
		default:
			t.Errorf("%s has the risk %q", d.Name, d.Risk)
		}
		if seen[d.Name] || d.Why == "" || RiskOf(d.Name) != d.Risk {
			t.Errorf("%s: listed twice, without a reason, or its risk is %q", d.Name,
				RiskOf(d.Name))
		}
		seen[d.Name] = true
		if d := s.Enforce(call(strings.ReplaceAll(d.Name, "*", "x__Read"), "file_path",
			mustRefer(t, s, "main.go").URI()), log); d.Allowed || IsToolAllowed(d.Reason) ||
			d.Event.Type != EventToolBlocked {
			t.Errorf("%+v", d)
		}
	}
	for name, want := range map[string]bool{
		"Read": true, "Grep": true, "Glob": true,
		"": false, "read": false, "READ": false, "Read ": false, " Read": false, "Read\x00": false,
		"Read\n": false, "Ｒead": false, "Rеad": false,
		"mcp__x__Read": false, "mcp__tada__Read": false, "ReadFile": false, "Grep2": false,
		"glob": false, "Bash": false, "frobnicate": false,
		strings.Repeat("Read", 1000): false,
	} {
		if IsToolAllowed(name) != want {
			t.Errorf("%q: allowed is %v", name, !want)
		}
		if want {
			continue
		}
		if d := s.Enforce(call(name, "file_path", mustRefer(t, s, "main.go").URI()),
			log); d.Allowed || !d.Quarantined {
			t.Errorf("%q: %+v", name, d)
		}
	}
}

// D-adr-3: the list of denied tools decides nothing; no decision reads it.
func TestDenylistOnlyDocuments(t *testing.T) {
	for _, d := range append(DeniedTools(), DeniedTool{Name: "of no list", Risk: RiskUnknown}) {
		if IsToolAllowed(d.Name) {
			t.Errorf("%s is allowed", d.Name)
		}
	}
	for _, file := range []string{"enforce.go", "rate.go", "search.go", "arguments.go",
		"broker.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "DeniedTools(") {
			t.Errorf("%s looks at the list of denied tools", file)
		}
	}
}

// D-adr-4, D-adapt-4: the core knows no platform.
func TestCoreKnowsNoPlatform(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, "integration/") &&
				!strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s imports %s", file, i.Path.Value)
			}
		}
	}
}

// D-hook-4, D-hook-7, D-hook-8, D-tool-5: the result of each argument; the reason is the first rule
// that it breaks.
func TestEnforce(t *testing.T) {
	root := testRoot(t)
	s := testSession(t, root, func(o *Options) {
		o.MayRead = func(path string) error {
			if strings.HasSuffix(path, ".env") {
				return errors.New("restricted by policy")
			}
			return nil
		}
		o.MaySearch = func(path string) error {
			if path == root || strings.HasSuffix(path, "/sub") {
				return errors.New("holds .env")
			}
			return nil
		}
	})
	clean := filepath.Join(root, "clean")
	if err := errors.Join(os.Mkdir(clean, 0o755), os.Symlink("../..", clean+"/up")); err != nil {
		t.Fatal(err)
	}
	log := testLog(t)
	good := mustRefer(t, s, "main.go").URI()
	bad := strings.Replace(good, "hmac=", "hmac=0", 1)
	forged := good[:strings.Index(good, "hmac=")+5] + someHex + good[strings.Index(good, "&ts"):]
	for _, test := range []struct {
		name string
		call Call
		want EventType
		path string // of the arguments to go on with
	}{
		{"a reference", call("Read", "file_path", good), EventAllowed, root + "/main.go"},
		{"another platform's name for it", call("Read", "filePath", good), EventAllowed,
			root + "/main.go"},
		{"with numbers", Call{Tool: "Read", Inside: true,
			Input: json.RawMessage(`{"file_path":"` + good + `","offset":1,"limit":20}`)},
			EventAllowed, root + "/main.go"},
		{"a plain path", call("Read", "file_path", root+"/main.go"), EventHMACInvalid, ""},
		{"a forged reference", call("Read", "file_path", forged), EventHMACInvalid, ""},
		{"a malformed reference", call("Read", "file_path", bad), EventHMACInvalid, ""},
		{"no path", call("Read"), EventHMACInvalid, ""},
		{"two paths", call("Read", "file_path", good, "path", good), EventToolBlocked, ""},
		{"more than a path", call("Read", "file_path", good, "then", "run"), EventToolBlocked, ""},
		{"a list of paths", Call{Tool: "Read", Inside: true,
			Input: json.RawMessage(`{"file_path":["` + good + `"]}`)}, EventToolBlocked, ""},
		{"a path twice", Call{Tool: "Read", Inside: true,
			Input: json.RawMessage(`{"file_path":"` + good + `","file_path":"/etc/passwd"}`)},
			EventToolBlocked, ""},
		{"no JSON", Call{Tool: "Read", Inside: true, Input: json.RawMessage(`{"file_path":`)},
			EventToolBlocked, ""},
		{"no arguments", Call{Tool: "Read", Inside: true}, EventToolBlocked, ""},
		{"two objects", Call{Tool: "Read", Inside: true, Input: json.RawMessage(`{}{}`)},
			EventToolBlocked, ""},
		{"a huge argument", call("Read", "file_path", strings.Repeat("a", maxArguments)),
			EventToolBlocked, ""},
		{"a tool that is not allowed, with a bad reference", call("Bash", "file_path", bad),
			EventToolBlocked, ""},

		{"a search in a folder", call("Grep", "pattern", "x", "path", clean), EventAllowed, clean},
		{"a search in a relative folder",
			Call{Tool: "Grep", Inside: true, Dir: root,
				Input: json.RawMessage(`{"pattern":"x","path":"clean","-i":true,"-A":3,"output_mode":"content"}`)}, EventAllowed, clean},
		{"a search in a file", call("Grep", "pattern", "x", "path", root+"/main.go"), EventAllowed,
			root + "/main.go"},
		{"a search where the agent works",
			Call{Tool: "Grep", Inside: true, Dir: clean, Input: json.RawMessage(`{"pattern":"x"}`)},
			EventAllowed, clean},
		{"a search over what is restricted", call("Grep", "pattern", "x"), EventToolBlocked, ""},
		{"a search in what is restricted", call("Grep", "pattern", "x", "path", root+"/sub/.env"),
			EventToolBlocked, ""},
		{"a search outside", call("Grep", "pattern", "x", "path", "/etc"), EventToolBlocked, ""},
		{"a search above", call("Grep", "pattern", "x", "path", root+"/../secret"),
			EventToolBlocked, ""},
		{"a search above where the agent works",
			Call{Tool: "Grep", Inside: true, Dir: clean,
				Input: json.RawMessage(`{"pattern":"x","path":"../../secret"}`)}, EventToolBlocked,
			""},
		{"a search through a link", call("Grep", "pattern", "x", "path", root+"/out"),
			EventToolBlocked, ""},
		{"a search through a link in a folder", call("Grep", "pattern", "x", "path", clean+"/up"),
			EventToolBlocked, ""},
		{"a search through an absolute link",
			call("Grep", "pattern", "x", "path", root+"/absolute"), EventToolBlocked, ""},
		{"a search where the agent works, outside",
			Call{Tool: "Grep", Inside: true, Dir: "/etc",
				Input: json.RawMessage(`{"pattern":"x"}`)}, EventToolBlocked, ""},
		{"a search for nothing", call("Grep", "path", clean), EventToolBlocked, ""},
		{"a search by another program", call("Grep", "pattern", "x", "path", clean, "--pre", "sh"),
			EventToolBlocked, ""},
		{"a search with names outside", call("Grep", "pattern", "x", "path", clean, "glob", "../*"),
			EventToolBlocked, ""},
		{"a search with a dot dot as text", call("Grep", "pattern", "../x", "path", clean),
			EventAllowed, clean},

		{"names in a folder", call("Glob", "pattern", "**/*.{go,mod}", "path", root), EventAllowed,
			root},
		{"names at the root", call("Glob", "pattern", "*"), EventAllowed, root},
		{"absolute names", call("Glob", "pattern", "/etc/*", "path", root), EventToolBlocked, ""},
		{"names above", call("Glob", "pattern", "sub/../../*", "path", root), EventToolBlocked, ""},
		{"names above in brackets", call("Glob", "pattern", "[.][.]/*", "path", root),
			EventToolBlocked, ""},
		{"names above in braces", call("Glob", "pattern", ".{.,x}/*", "path", root),
			EventToolBlocked, ""},
		{"names above, escaped", call("Glob", "pattern", `\.\./*`, "path", root), EventToolBlocked,
			""},
		{"names of the home", call("Glob", "pattern", "~/*", "path", root), EventToolBlocked, ""},
		{"names elsewhere", call("Glob", "pattern", "*", "path", "/etc"), EventToolBlocked, ""},
		{"no names", call("Glob", "path", root), EventToolBlocked, ""},
	} {
		d := s.Enforce(test.call, log)
		if d.Event == nil || d.Event.Type != test.want ||
			d.Allowed != (test.want == EventAllowed) || !d.Quarantined ||
			d.Allowed == (d.Reason != "") {
			t.Errorf("%s: %+v, event %+v; want %s", test.name, d, d.Event, test.want)
			continue
		}
		got := ""
		for _, key := range []string{"path", "file_path", "filePath"} {
			if v, ok := d.Input[key].(string); ok {
				got = v
			}
		}
		if got != test.path {
			t.Errorf("%s: goes on with %q, want %q", test.name, got, test.path)
		}
	}
}

// D-hook-2: a caller that is not in quarantine is for the normal policy, and not for this log.
func TestOthersPass(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	log := testLog(t)
	if _, err := s.Register("reviewer", nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Call{{Tool: "Bash"}, {Tool: "Bash", Agent: "main"},
		{Tool: "Bash", Platform: "p1"}} {
		if d := s.Enforce(c, log); !d.Allowed || d.Quarantined || d.Event != nil {
			t.Errorf("%+v: %+v", c, d)
		}
	}
	if n := len(logged(t, log)); n != 0 {
		t.Errorf("%d events were logged", n)
	}
}

// D-hook-10, D-hook-11, D-spawn-4, D-quar-6: who is confined, from before the first call on.
func TestWhoIsHeld(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	log := testLog(t)
	a, err := s.Register("reviewer", nil)
	if err != nil || !a.IsQuarantine || a.State != AgentReady || a.SessionID != s.ID ||
		a.KeyHandle != s.ID {
		t.Fatalf("%+v, %v", a, err)
	}
	s.Bind("p1")
	for what, c := range map[string]Call{
		"the agent":                          {Agent: "reviewer"},
		"an agent of that kind":              {Agent: "a7", Kind: "reviewer"},
		"a child of it":                      {Agent: "a8", Parent: "reviewer"},
		"nobody, in a session of it":         {Platform: "p1"},
		"another agent, in a session of it":  {Platform: "p1", Agent: "main"},
		"who says so itself":                 {Inside: true},
		"who says so, by a name that is not": {Inside: true, Agent: "main"},
	} {
		for _, tool := range []string{"Bash", "Task", "Agent"} {
			c.Tool = tool
			if d := s.Enforce(c, log); d.Allowed || !d.Quarantined {
				t.Errorf("%s: %+v", what, d)
			}
		}
	}
	s.Enforce(Call{Agent: "reviewer", Tool: "Glob", Input: json.RawMessage(`{"pattern":"*"}`)}, log)
	got, ok := s.Agent("reviewer")
	if !ok || got.State != AgentBusy || got.Calls != 10 || got.Denied != 9 {
		t.Errorf("metadata: %+v, %v", got, ok)
	}
	if _, ok := s.Agent("main"); ok {
		t.Error("an agent is known that was never registered")
	}
	s.destroy()
	if got, _ := s.Agent("reviewer"); got.State != AgentEnded || !s.Holds(Call{Agent: "reviewer"}) {
		t.Errorf("after its end: %+v", got)
	}
	for _, name := range []string{"", strings.Repeat("x", maxName+1)} {
		if _, err := s.Register(name, nil); err == nil {
			t.Errorf("%q was registered", name)
		}
	}
}

// D-sec-H2, D-rate-1, D-rate-3, D-rate-5, D-hook-5: 100 calls in any minute, and denied ones count.
func TestRate(t *testing.T) {
	c := newClock()
	var r rates
	for i := range 100 {
		if got := r.check("a", c.Now()); got != (RateResult{Allowed: true}) {
			t.Fatalf("call %d: %+v", i, got)
		}
		c.advance(100 * time.Millisecond)
	}
	got := r.check("a", c.Now())
	if got.Allowed || got.Reason == "" || got.RetryAfter != 50*time.Second {
		t.Errorf("call 101: %+v", got)
	}
	if !r.check("b", c.Now()).Allowed {
		t.Error("another agent pays for it")
	}
	c.advance(50*time.Second - time.Millisecond)
	if r.check("a", c.Now()).Allowed {
		t.Error("allowed before the first call was 60 s ago")
	}
	c.advance(time.Millisecond)
	if !r.check("a", c.Now()).Allowed {
		t.Error("denied 60 s after the first call")
	}
	if r.check("a", c.Now()).Allowed {
		t.Error("one call left the window, and two came in")
	}

	log := testLog(t)
	s := testSession(t, testRoot(t), func(o *Options) { o.Now = c.Now })
	good := call("Read", "file_path", mustRefer(t, s, "main.go").URI())
	forged := call("Read", "file_path", someReference(s.Root()+"/main.go").URI())
	for i := range 100 { // under unregistered names, which share one account
		forged.Agent = fmt.Sprint("a", i)
		if d := s.Enforce(forged, log); d.Allowed || d.Event.Type == EventRateLimited {
			t.Fatalf("call %d: %+v", i, d.Event)
		}
	}
	if d := s.Enforce(good, log); d.Allowed || d.Event.Type != EventRateLimited {
		t.Errorf("a good call after 100 bad ones: %+v", d.Event)
	}
	if d := s.Enforce(call("Bash"), log); d.Event.Type != EventToolBlocked {
		t.Errorf("beyond the limit, the reason of a denied tool is %q", d.Event.Type)
	}
	c.advance(time.Minute)
	if d := s.Enforce(good, log); !d.Allowed {
		t.Errorf("a minute later: %+v", d.Event)
	}
}

// D-hook-9: a panic is a denial.
func TestPanicDenies(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	log := testLog(t)
	good := call("Read", "file_path", mustRefer(t, s, "main.go").URI())
	s.o.MayRead = func(string) error { panic("a bug") }
	if d := s.Enforce(good, log); d.Allowed || !d.Quarantined || d.Reason == "" {
		t.Errorf("%+v", d)
	}
	if d := s.Enforce(good, nil); d.Allowed || !d.Quarantined {
		t.Errorf("without a log: %+v", d)
	}
	if d := (Decision{}); d.Allowed {
		t.Error("the zero decision allows")
	}
}

// D-quar-4, D-hook-8: when the time is over, every call is denied, with that reason.
func TestEnforceAfterTheEnd(t *testing.T) {
	c := newClock()
	s := testSession(t, testRoot(t), func(o *Options) { o.Now = c.Now })
	log := testLog(t)
	good := call("Glob", "pattern", "*")
	c.advance(DefaultTimeout)
	for _, tool := range []Call{good, call("Bash")} {
		if d := s.Enforce(tool, log); d.Allowed || d.Event.Type != EventTimeout {
			t.Errorf("%s: %+v", tool.Tool, d.Event)
		}
	}
	s.destroy()
	if d := s.Enforce(good, log); d.Allowed || !d.Quarantined {
		t.Errorf("a destroyed session: %+v", d)
	}
}

// D-hook-1, D-hook-6: every call has one decision and one line.
func TestEveryDecisionIsLogged(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	log := testLog(t)
	uri := mustRefer(t, s, "main.go").URI()
	names := append(AllowedTools(), "", "read", "x\x1b[2J")
	for _, d := range DeniedTools() {
		names = append(names, d.Name)
	}
	names = append(names, "frobnicate")
	if len(names) != 30 {
		t.Fatalf("%d names", len(names))
	}
	for _, name := range names {
		if d := s.Enforce(call(name, "file_path", uri, "pattern", "x"), log); !d.Quarantined ||
			d.Event == nil {
			t.Errorf("%q: %+v", name, d)
		}
	}
	if err := log.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := len(logged(t, log)); n != len(names) {
		t.Errorf("%d calls, %d lines", len(names), n)
	}
}
