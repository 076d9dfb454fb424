package pathguard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The file that activates a virtual environment sets and restores what makes programs load other
// code. Nothing was kept of the shell before, so it restores nothing, unless the line has set what
// it looks for, or may have.
func TestActivate(t *testing.T) {
	files, err := filepath.Glob("testdata/activate/*")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g, root := desk(t, "")
		here := strings.ReplaceAll(string(text), "/srv/app", root+"/w")
		put(t, root+"/w", map[string]string{".venv/bin/activate": here,
			"kept": "_OLD_VIRTUAL_PYTHONHOME=/opt/x\n", "x.py": "print(1)\n"})
		g.expect(t, Allow,
			". .venv/bin/activate",
			"source .venv/bin/activate && python x.py",
			"cd . && set -euo pipefail; source .venv/bin/activate; deactivate",
			"export A=1; if [ -f .venv/bin/activate ]; then . .venv/bin/activate; fi",
			"(source .venv/bin/activate; python x.py)",
		)
		if filepath.Base(file) == "uv" { // a line for zsh in it is none of bash: it is not read
			continue
		}
		g.expect(t, Ask,
			"_OLD_VIRTUAL_PYTHONHOME=/opt/x; . .venv/bin/activate",
			"export _OLD_VIRTUAL_PYTHONHOME=/opt/x && . .venv/bin/activate",
			"_OLD_VIRTUAL_PYTHONHOME=/opt/x . .venv/bin/activate",
			"read _OLD_VIRTUAL_PYTHONHOME < kept; . .venv/bin/activate",
			`printf -v "_OLD_VIRTUAL_PYTHON${X}HOME" /opt/x; . .venv/bin/activate`,
			"export $(cat kept); . .venv/bin/activate",
			". ./kept; . .venv/bin/activate",
			`eval "$(cat kept)"; . .venv/bin/activate`,
			"for x in 1 2; do . .venv/bin/activate; _OLD_VIRTUAL_PYTHONHOME=/opt/x; done",
			"f() { . .venv/bin/activate; }; _OLD_VIRTUAL_PYTHONHOME=/opt/x; f",
			". .venv/bin/activate; _OLD_VIRTUAL_PYTHONHOME=/opt/x; . .venv/bin/activate",
			"trap '_OLD_VIRTUAL_PYTHONHOME=/opt/x' DEBUG; . .venv/bin/activate",
			"[() { _OLD_VIRTUAL_PYTHONHOME=/opt/x; }; . .venv/bin/activate",
			"trap '. .venv/bin/activate' EXIT; _OLD_VIRTUAL_PYTHONHOME=/opt/x",
			"_OLD_VIRTUAL_PYTHONHOME=/opt/x bash .venv/bin/activate",
		)
		g.Caller.Env["_OLD_VIRTUAL_PYTHONHOME"] = "/opt/x"
		g.expect(t, Ask, ". .venv/bin/activate")
	}
}
