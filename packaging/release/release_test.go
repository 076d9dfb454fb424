package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// The same commit in two folders gives the same bytes, and what is in them is what was promised.
func TestHandedOut(t *testing.T) {
	if testing.Short() {
		t.Skip("builds both programs twice")
	}
	env, key := filledEnv(t)
	h := handedOut(t, options{env: env, key: key})
	again := handedOut(t, options{env: env, key: key})
	sums := h.file(t, sumsName)
	if other := again.file(t, sumsName); !bytes.Equal(sums, other) {
		t.Errorf("two folders gave\n%s\nand\n%s", sums, other)
	}
	t.Run("archive", func(t *testing.T) { testArchive(t, h) })
	t.Run("npm", func(t *testing.T) { testNPM(t, h) })
	t.Run("bom", func(t *testing.T) { testBOM(t, h) })
	t.Run("provenance", func(t *testing.T) {
		var s statement
		decode(t, h.file(t, "*.provenance.json"), &s)
		if len(s.Subject) < 5 || len(s.Predicate.BuildDefinition.ResolvedDependencies) != 1 {
			t.Errorf("%+v", s)
		}
		for _, of := range s.Subject {
			if line := of.Digest["sha256"] + "  " + of.Name + "\n"; !bytes.Contains(sums,
				[]byte(line)) {
				t.Errorf("%s has no line %q", sumsName, line)
			}
		}
	})
	t.Run("installer", func(t *testing.T) { testInstaller(t, h) })
	if !strings.Contains(h.lines, "left out  tada-run.rb: packaging/release.env has no HOMEPAGE") {
		t.Errorf("%s", h.lines)
	}
}

// unpacked returns the files of an archive, all of them regular, of root and of one time.
func unpacked(t *testing.T, packed []byte) tree {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	all := tree{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || h.Typeflag != tar.TypeReg || h.Uid != 0 || h.Uname != "" {
			t.Fatalf("%+v: %v", h, err)
		}
		all[h.Name] = file{text, h.FileInfo().Mode()}
	}
}

func testArchive(t *testing.T, h handout) {
	files := unpacked(t, h.file(t, "tada-run_*_linux_*.tar.gz"))
	for _, program := range programs {
		f, err := elf.NewFile(bytes.NewReader(files["bin/"+program].content))
		if err != nil || files["bin/"+program].mode != 0o755 {
			t.Fatal(program, err, files["bin/"+program].mode)
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
				t.Errorf("%s is not static", program)
			}
		}
		for name, first := range map[string]string{
			"share/bash-completion/completions/" + program: "# bash completion for " + program,
			"share/zsh/site-functions/_" + program:         "#compdef " + program,
			"share/fish/vendor_completions.d/" + program + ".fish": "# fish completion for " +
				program + " ",
		} {
			script := string(files[name].content)
			if !strings.HasPrefix(script, first) {
				t.Errorf("%s begins %.40q", name, script)
			}
			for _, other := range programs {
				if other != program && strings.Contains(script, "completion for "+other) {
					t.Errorf("%s is for %s too", name, other)
				}
			}
		}
	}
	for _, name := range []string{"share/man/man1/tadactl.1.gz", "share/man/man1/tada-run.1.gz",
		"share/man/man1/tadactl-audit-verify.1.gz", "share/man/man5/tada-config.5.gz",
		"share/doc/tada-run/LICENSE"} {
		if len(files[name].content) == 0 {
			t.Errorf("there is no %s", name)
		}
	}
}

func testNPM(t *testing.T, h handout) {
	start := unpacked(t, h.file(t, "tada-run-0*.tgz"))
	var about map[string]any
	decode(t, start["package/package.json"].content, &about)
	if about["scripts"] != nil || len(about["bin"].(map[string]any)) != len(programs) {
		t.Errorf("%v", about)
	}
	for name, version := range about["optionalDependencies"].(map[string]any) {
		own := unpacked(t, h.file(t, name+"-"+version.(string)+".tgz"))
		var about map[string]any
		decode(t, own["package/package.json"].content, &about)
		if about["scripts"] != nil || about["os"] == nil || about["cpu"] == nil {
			t.Errorf("%s: %v", name, about)
		}
		for _, program := range programs {
			if own["package/"+program].mode != 0o755 {
				t.Errorf("%s has no program %s", name, program)
			}
		}
	}
}

func testBOM(t *testing.T, h handout) {
	var b bom
	decode(t, h.file(t, "*.cdx.json"), &b)
	listed := map[string]bool{}
	for _, c := range b.Components {
		listed[c.Name+" "+c.Version] = true
	}
	files := unpacked(t, h.file(t, "tada-run_*_linux_*.tar.gz"))
	for _, program := range programs {
		info, err := buildinfo.Read(bytes.NewReader(files["bin/"+program].content))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range info.Deps {
			if !listed[d.Path+" "+d.Version] {
				t.Errorf("%s links %s %s, which is not listed", program, d.Path, d.Version)
			}
		}
	}
	if len(listed) < 20 {
		t.Errorf("%d components", len(listed))
	}
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
}
