package pathguard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// TestBuiltinDigest keeps the name of the built-in tables true: what a program is taken for is
// fixed when this one is made, and is in the digest of every plan (B-R6.3, E-env-2). After a
// change of a table, run it with UPDATE=1.
func TestBuiltinDigest(t *testing.T) {
	got := builtinDigest()
	if got == builtin {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatalf("a built-in table changed; run UPDATE=1 go test -run %s ./pathguard", t.Name())
	}
	text, err := os.ReadFile("compile.go")
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`const builtin = ".*"`).ReplaceAll(text,
		[]byte(`const builtin = "`+got+`"`))
	if err := os.WriteFile("compile.go", text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestBuiltinNames: every built-in name can be compiled, and none is written twice.
func TestBuiltinNames(t *testing.T) {
	cached, code := cacheNames()
	for _, list := range [][]string{pathname.Secrets(), pathname.Public(), pathname.Startup(),
		cached, code, pathname.ToolDirs()} {
		seen := map[string]bool{}
		for _, name := range list {
			if seen[name] || !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "~/") &&
				!strings.HasPrefix(name, "**/") {
				t.Errorf("%q", name)
			}
			seen[name] = true
		}
	}
	if _, err := compile(Account{Home: "/home/dev"}, defaults(), nil); err != nil {
		t.Error(err)
	}
}

// E-env-2: whatever decides is in the digest.
func TestDigest(t *testing.T) {
	a := Account{Home: "/home/dev", UID: 1000}
	seen := map[string]string{Default(a).Digest(): "default"}
	for _, text := range []string{
		"security: {command_level: always}", "security: {command_level: never}",
		"security: {restricted_paths: [/x]}", "security: {readonly_paths: [/x]}",
		"security: {allow_shell: false}", "security: {allow_terminal_takeover: false}",
		"security: {tamper_proof: true}", "security: {protect: [a]}",
		"network: {default: on}", "network: {default: list}", "network: {allow: [a.b]}",
		"sandbox: {require: strong}", "private_tmp: true", "background: keep",
		"programs: 'deploy: : W*'", "programs: 'deploy: : R*'",
		"rules: {commands: [{program: x, verdict: ask}]}",
		"rules: {commands: [{program: x, verdict: deny}]}",
		"rules: {paths: [{path: /x, verdict: ask}]}",
		"rules: {paths: [{path: /x, access: [read], verdict: ask}]}",
		"rules: {hosts: [{host: x, verdict: ask}]}",
		"rules: {hosts: [{host: x, verdict: ask, message: m}]}",
	} {
		p, err := Load(a, ConfigFile{Path: writeConfig(t, text, 0o600), Layer: WorkspaceLayer})
		if strings.Contains(text, "default: on") || strings.Contains(text, "a.b") ||
			strings.Contains(text, "programs") || strings.Contains(text, "keep") || err != nil {
			var set Settings
			set, err = decode(ConfigFile{Layer: UserLayer}, []byte(text), defaults())
			if err == nil {
				p, err = compile(a, set, nil)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if before, ok := seen[p.Digest()]; ok {
			t.Errorf("%s has the digest of %s", text, before)
		}
		seen[p.Digest()] = text
	}
	for _, other := range []Account{{Home: "/home/x"}, {Home: "/home/dev", EnvHome: "/x"},
		{Home: "/home/dev", StateDir: "/s"}} {
		if seen[Default(other).Digest()] != "" {
			t.Errorf("%+v does not show in the digest", other)
		}
	}
}

// TestTemplate: what init writes is what is built in, and each key that it holds can be switched on
// by itself.
func TestTemplate(t *testing.T) {
	for _, text := range []string{Template(),
		regexp.MustCompile(`(?m)^( *)# (\w+: .*  # example: .*)$`).ReplaceAllString(Template(),
			"$1$2")} {
		set, err := decode(ConfigFile{Path: "template", Layer: UserLayer}, []byte(text), defaults())
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got, want := (Policy{set: set}).Lines(),
			Default(Account{}).Lines(); !reflect.DeepEqual(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	examples := regexp.MustCompile(`(?m)(default: none; example:\n *)# `).ReplaceAllString(Template(), "$1")
	set, err := decode(ConfigFile{Path: "template", Layer: UserLayer}, []byte(examples), defaults())
	if err != nil || set.Limits.Time == 0 || set.Programs == "" {
		t.Errorf("%v\n%s", err, examples)
	}
}

// TestDescribe prints one row for each place, every setting, and how the rows are read.
func TestDescribe(t *testing.T) {
	var b strings.Builder
	if err := dev(t, "security: {restricted_paths: [/srv], command_level: never}\n"+
		"rules: {hosts: [{host: a.b, verdict: deny, message: no}]}").Describe(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`security.command_level +never +`,
		`security.restricted_paths +\[/srv\]`,
		"rules.hosts +{host: a.b, verdict: deny, message: \"no\"}", "delete tree",
		`security.readonly_paths +\[\] `,
		"the strictest row that matches wins"} {
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("lacks %q:\n%s", want, b.String())
		}
	}
	for _, row := range Table() {
		if !strings.Contains(b.String(), "\n"+row.Place.String()+"  ") {
			t.Errorf("lacks %q", row.Place)
		}
	}
}

// builtinDigest computes what builtin has to be.
func builtinDigest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %v %v\n", pathname.Secrets(), pathname.Public(), pathname.Startup(),
		laterNames(), caches())
	fmt.Fprintf(h, "%q %q %q %q %v\n", pathname.ToolDirs(), pathname.SystemDirs, pathname.TempDirs,
		pathname.HarmlessDevices, balanced)
	fmt.Fprintf(h, "%v %v %v %v\n", pathname.Regenerable, pathname.RegenerableEndings,
		deniedHazards, opaqueCells)
	fmt.Fprintf(h, "%v %v %v %v %v\n", pathname.PerhapsRegenerable, append(builders, venvMakers...),
		harmlessLangs, sayings, decoders)
	fmt.Fprintf(h, "%v %v %v %v\n", killers, finders, vague, absentHere)
	fmt.Fprintf(h, "%v %v %q\n", hosts.Registries(), hosts.Ports(), neededNames())
	return hex.EncodeToString(h.Sum(nil))
}
