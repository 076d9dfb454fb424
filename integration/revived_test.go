package integration

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// A run that an earlier version reported lost, and that went on, is shown with its own end, and the
// log is shown with a note that the report was a mistake. The record is complete.
func TestRunReportedLostByMistake(t *testing.T) {
	p := newPlace(t)
	p.run("tada-run true")
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Fatal(err)
	}
	log, err := audit.OpenLog(p.state+"/audit",
		audit.LogOptions{Now: time.Now, BootID: strings.TrimSpace(string(boot)),
			Mark: p.state + "/audit.mark"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct{ kind, body string }{
		{audit.KindIntent,
			`{"command":"make","cwd":"/","sid":"06h0aaaaaaaaaaaa","verdict":"allow"}`},
		{audit.KindOrphan, `{"sid":"06h0aaaaaaaaaaaa","started":false}`},
		{audit.KindStart, `{"authority":"policy","sid":"06h0aaaaaaaaaaaa"}`},
		{audit.KindEnd, `{"sid":"06h0aaaaaaaaaaaa","status":3}`},
	} {
		if _, err := log.Append(e.kind, []byte(e.body), audit.Durable); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"tadactl audit verify --complete; echo $?": "note: reported lost (exec.orphan) while still running, by an earlier version: 06h0aaaaaaaaaaaa\n",
		"tadactl audit verify --complete --json":   `"revived":1`,
		"tadactl sessions --outcome 3":             "  exit 3     make\n",
		"tadactl sessions --outcome 3 --json":      `"revived":true`,
		"tadactl show 06h0aaaaaaaaaaaa":            "ended, exit status 3; it was reported lost before, by mistake\n",
		"tadactl log --kind exec.orphan":           "(by mistake: the run continued, see its later entries)\n",
	} {
		if out := p.run(line); !strings.Contains(out, want) {
			t.Errorf("%s: %s\nwant %q", line, out, want)
		}
	}
	if out := p.run("tadactl sessions --outcome lost"); out != "" {
		t.Errorf("lost: %s", out)
	}
}
