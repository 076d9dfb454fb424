package integration

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// axe is the source of axe-core, which looks at a page for what keeps people from using it.
var axe = sync.OnceValues(func() (string, error) {
	f, err := os.Open(filepath.Join("testdata", "axe", "axe.min.js.gz"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
})

// accessible requires that axe-core finds nothing serious on the page.
func (b *browser) accessible(name string) {
	b.t.Helper()
	source, err := axe()
	if err != nil {
		b.t.Fatal(err)
	}
	if b.run("typeof axe") == "undefined" {
		b.run(source + "; 0")
	}
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	text := b.run("axe.run().then((r) => JSON.stringify(r.violations))")
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		b.t.Fatalf("%v: %.200s", err, text)
	}
	for _, v := range found {
		if slices.Contains([]string{"serious", "critical"}, v.Impact) {
			b.t.Errorf("%s: %s: %s: %.300q %.300q", name, v.Impact, v.Help, v.Nodes[0].HTML,
				v.Nodes[0].FailureSummary)
		}
	}
}

// A page that people cannot use is found.
func TestAxeFinds(t *testing.T) {
	t.Parallel()
	inner := &testing.T{}
	b := newBrowser(t)
	b.open("data:text/html,<p style='color:%23ccc;background:%23fff'>pale</p><input>")
	b.t = inner
	b.accessible("a bad page")
	if !inner.Failed() {
		t.Error("axe-core finds nothing on a page with pale text and an input without a name")
	}
}
