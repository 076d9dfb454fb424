package launcher

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// B-R1.4.8: the files of code of a plan, by which names they are opened, and whether all of them
// are opened without a flag.
func TestScriptsOfAPlan(t *testing.T) {
	some, req := world(t)
	l := atBase(t, some)
	dir, err := filepath.EvalSymlinks(req.Dir)
	if err != nil || os.MkdirAll(dir+"/sub", 0o755) != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"by.sh": "#!/bin/bash\necho\n", "by.py": "print()\n",
		"env.py":       "#!/usr/bin/env python3\nprint()\n",
		"outer.sh":     "bash by.sh; ./by.sh; sh -c '. ./by.sh'\n",
		"Makefile":     "include more.mk\nall:\n\t@echo\n",
		"more.mk":      "x = 1\n",
		"package.json": `{"scripts": {"by": "echo"}}`, "conf.toml": "\n"} {
		if err := hermetic.WriteProgram(dir+"/"+name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("by.sh", dir+"/alias"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		line  string
		plain bool
		names []string
	}{
		{"bash by.sh", true, []string{"/by.sh"}},
		{"dash ./alias", true, []string{"/by.sh", "/alias"}},
		{"cd sub && bash ../by.sh", true, []string{"/by.sh", "/sub/../by.sh"}},
		{". ./by.sh", true, []string{"/by.sh"}},
		{"./by.sh && true", true, []string{"/by.sh"}},
		{"bash outer.sh", true, []string{"/outer.sh", "/by.sh"}},
		{"make", true, []string{"/Makefile", "/more.mk"}},
		{"python3 by.py", false, []string{"/by.py"}},
		{"bash by.sh; python3 by.py", false, []string{"/by.sh", "/by.py"}},
		{"./env.py && true", false, []string{"/env.py"}},
		{"npm run by", false, []string{"/package.json"}},
		{"cat by.sh", true, nil},
	} {
		req.Shell.Text = test.line
		j, err := l.Judge(req)
		if err != nil {
			t.Fatal(err)
		}
		var own []*os.File
		list, err := j.scripts(&own)
		if err != nil {
			t.Fatal(err)
		}
		plain, names := true, map[string]bool{}
		for _, s := range list {
			plain = plain && s.Plain
			for _, name := range s.Names {
				names[name] = true
			}
		}
		for _, name := range test.names {
			if !names[dir+name] {
				t.Errorf("%s: %s is not among %v", test.line, name, names)
			}
		}
		if plain != test.plain || len(test.names) == 0 && len(list) > 0 {
			t.Errorf("%s: plain %v, %v", test.line, plain, names)
		}
		for _, f := range own {
			f.Close()
		}
		j.Close()
	}
}
