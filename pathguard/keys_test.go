package pathguard

import (
	"errors"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// config is a key with a value as a file has it: rules.paths[].access becomes an entry of a rule
// that is complete.
func config(k Key, value string) string {
	name := k.Name
	if list, field, ok := strings.Cut(name, "[]."); ok {
		needed := map[string]string{"rules.commands": "program: x", "rules.paths": "path: /x",
			"rules.hosts": "host: x", "expect": "command: x"}[list]
		rule := "{" + needed + ", verdict: ask"
		for _, given := range []string{"program: x", "path: /x", "host: x", "command: x",
			"verdict: ask"} {
			if strings.HasPrefix(given, field+":") {
				rule = strings.Replace(rule, given, field+": "+value, 1)
				value = ""
			}
		}
		switch field {
		case "answers": // only a rule that allows has it
			rule = strings.Replace(rule, "verdict: ask", "verdict: allow", 1)
		case "options": // only an exact one
			rule += ", exact: true"
		}
		if value != "" {
			rule += ", " + field + ": " + value
		}
		name, value = list, "["+rule+"}]"
	}
	text := value
	for _, part := range reversed(strings.Split(name, ".")) {
		text = "{" + part + ": " + text + "}"
	}
	return text
}

func reversed(s []string) []string {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
	return s
}

// fields are the paths of all leaves of a struct that differ in a and b.
func fields(a, b reflect.Value, path string, out map[string]bool) {
	switch {
	case a.Kind() == reflect.Struct:
		for i := range a.NumField() {
			fields(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name, out)
		}
	case a.Kind() == reflect.Slice && a.Type().Elem().Kind() == reflect.Struct:
		zero := reflect.Zero(a.Type().Elem())
		for i := range b.Len() {
			if i < a.Len() {
				zero = a.Index(i)
			}
			fields(zero, b.Index(i), path, out)
		}
	case !reflect.DeepEqual(a.Interface(), b.Interface()):
		out[path] = true
	}
}

// settable are the paths of all fields that a configuration could set.
func settable(t reflect.Type, path string, out map[string]bool) {
	switch {
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			settable(t.Field(i).Type, path+"."+t.Field(i).Name, out)
		}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		settable(t.Elem(), path, out)
	default:
		out[path] = true
	}
}

// TestEveryKeyIsEverywhere: a field of the settings has a key; a key is read, and stands in what
// `policy init` writes and in what `policy show` prints, with what it does.
func TestEveryKeyIsEverywhere(t *testing.T) {
	template := Template()
	set := map[string]bool{}
	names := map[string]bool{}
	for _, k := range Keys() {
		if names[k.Name] || k.Type == "" || k.Since == "" || k.Example == "" ||
			!strings.HasSuffix(k.About, ".") ||
			!k.IsField() && (k.Default == "" || k.value == nil) {
			t.Errorf("%s is written twice or lacks a column: %+v", k.Name, k)
		}
		names[k.Name] = true
		file := ConfigFile{Path: "example", Layer: UserLayer}
		got, err := decode(file, []byte(config(k, k.Example)), defaults())
		if err != nil {
			t.Errorf("example of %s: %v", k.Name, err)
			continue
		}
		start := defaults()
		if k.Name == "security.command_level" { // two fields, three words
			never, _ := decode(file, []byte(config(k, "never")), defaults())
			fields(reflect.ValueOf(start), reflect.ValueOf(never), "", set)
		}
		fields(reflect.ValueOf(start), reflect.ValueOf(got), "", set)
		if k.Name != "ai" && reflect.DeepEqual(start, got) {
			t.Errorf("the example of %s is the default", k.Name)
		}
		if k.Default != "" && k.Default != "none" {
			same, err := decode(file, []byte(config(k, k.Default)), defaults())
			if err != nil || !reflect.DeepEqual((Policy{set: same}).Lines(),
				(Policy{set: start}).Lines()) {
				t.Errorf("default %s of %s: %v, %+v", k.Default, k.Name, err, same)
			}
			if k.value != nil && written(k.value(start)) != k.Default {
				t.Errorf("%s: the default is shown as %s and described as %s", k.Name,
					written(k.value(start)), k.Default)
			}
		}
		_, last := cutLast(k.Name)
		if !regexp.MustCompile(`(?m)^ *# +` + last + `: `).MatchString(template) {
			t.Errorf("`policy init` does not write %s", k.Name)
		}
		if !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(template, "#", "")), " "), k.About) {
			t.Errorf("`policy init` does not say what %s does", k.Name)
		}
		if k.IsField() || k.Name == "ai" {
			continue
		}
		p, err := compile(Account{Home: "/home/dev"}, got, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := showOf(t, Default(Account{Home: "/home/dev"}))
		if now := showOf(t, p); now[k.Name] == "" || now[k.Name] == before[k.Name] {
			t.Errorf("`policy show` has %q for %s, and %q for the default", now[k.Name], k.Name,
				before[k.Name])
		}
	}
	all := map[string]bool{}
	settable(reflect.TypeFor[Settings](), "", all)
	for field := range all {
		if !set[field] && !strings.HasPrefix(field, ".Lowered.") {
			// that is what merging leaves of Limits
			t.Errorf("no key sets Settings%s", field)
		}
	}
}

// showOf is what Describe prints for each setting.
func showOf(t *testing.T, p Policy) map[string]string {
	t.Helper()
	var b strings.Builder
	if err := p.Describe(&b); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(b.String()) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		out[name] += strings.TrimSpace(rest)
	}
	return out
}

// TestWhereSettingsComeFrom: every value is shown with the lines that it comes from; of rules each
// has its own.
func TestWhereSettingsComeFrom(t *testing.T) {
	a := Account{Home: t.TempDir(), UID: os.Getuid()}
	base := a.Home + "/config.yaml"
	work := t.TempDir() + "/w.yaml"
	if err := errors.Join(os.WriteFile(base, []byte("security:\n  command_level: dangerous\n"+
		"  restricted_paths:\n    - /a\nrules:\n  hosts:\n"+
		"    - {host: a.example, verdict: allow}\n    - {host: b.example, verdict: deny}\n"+
		"limits: {time: 90m, memory: 4096M, cpu: 3s}\n"), 0o644),
		os.WriteFile(work, []byte("security: {command_level: always, restricted_paths: [/b]}\nlimits:\n  time: 2h\n  memory: 1000\nrules:\n  hosts:\n    - {host: c.example, verdict: allow}\n\n    - {host: \"d.example\", verdict: ask, message: \"\\u202ehm\"}\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	p, err := Load(a, ConfigFile{Path: base, Layer: UserLayer})
	if err == nil {
		p, err = p.Tighten(ConfigFile{Path: work, Layer: WorkspaceLayer, Root: "/w"})
	}
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"security.command_level":    {"always|" + work + ":1"},
		"security.restricted_paths": {"[/a, /b]|~/config.yaml:3, " + work + ":1"},
		"security.allow_shell":      {"true|default"},
		"limits.time":               {"1h30m|~/config.yaml:9"},
		"limits.cpu":                {"3s|~/config.yaml:9"},
		"limits.memory":             {"1000|" + work + ":4"},
		"limits.output":             {"none|default"},
		"rules.hosts": {"{host: a.example, verdict: allow}|~/config.yaml:7",
			"{host: b.example, verdict: deny}|~/config.yaml:8",
			"{host: d.example, verdict: ask, message: \u202ehm}|" + work + ":9"},
	}
	got := map[string][]string{}
	for _, row := range p.Lines() {
		got[row[0]] = append(got[row[0]], row[1]+"|"+row[2])
	}
	for name, lines := range want {
		if !reflect.DeepEqual(got[name], lines) {
			t.Errorf("%s: %q, want %q", name, got[name], lines)
		}
	}
	var b strings.Builder
	if err := p.Describe(&b); err != nil || strings.Contains(b.String(), "\u202e") {
		t.Errorf("%v: what a workspace says moves the text:\n%s", err, b.String())
	}
	if q, _ := Load(a, ConfigFile{Path: base, Layer: UserLayer}); q.Digest() == p.Digest() {
		t.Error("the digests are equal")
	}
}

// TestNearestKey: a mistyped key is answered with the one that was meant, a misplaced one with its
// section.
func TestNearestKey(t *testing.T) {
	for text, want := range map[string]string{
		"secuirty: {}":                           "did you mean security?",
		"security: {comand_level: never}":        "did you mean command_level?",
		"protect: [a]":                           "did you mean security.protect?",
		"restricted_path: [/a]":                  "did you mean security.restricted_paths?",
		"security: {memory: 4G}":                 "did you mean limits.memory?",
		"rules: {paths: [{pth: /x}]}":            "did you mean path?",
		"rules: {command: []}":                   "did you mean commands?",
		"network: {registry: [npm]}":             "did you mean registries?",
		"xyzzy: 1":                               `unknown key "xyzzy"; known: security, network`,
		"rules: {hosts: [{host: x, verdic: a}]}": "did you mean verdict?",
	} {
		if _, err := loadText(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	d := decoder{keys: Keys()}
	for _, k := range Keys() {
		// a letter missing anywhere in a name that is long enough, and two exchanged
		section, last := cutLast(k.Name)
		for i := 1; i < len(last) && len(last) > 5; i++ {
			for _, wrong := range []string{last[:i] + last[i+1:],
				last[:i-1] + last[i:i+1] + last[i-1:i] + last[i+1:]} {
				if full := strings.TrimPrefix(section+"."+wrong, "."); wrong != last &&
					d.nearest(full) != "; did you mean "+last+"?" {
					t.Errorf("%s: %q", full, d.nearest(full))
				}
			}
		}
	}
}

// TestForms: every key of the table has a form, and every form is that of a key.
func TestForms(t *testing.T) {
	left := forms()
	for _, k := range Keys() {
		if _, ok := left[k.Name]; !ok || k.read == nil || k.About == "" || k.Example == "" {
			t.Errorf("%+v", k)
		}
		delete(left, k.Name)
	}
	if len(left) > 0 {
		t.Errorf("no keys: %v", slices.Collect(maps.Keys(left)))
	}
}
