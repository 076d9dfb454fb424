package pathguard

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// C-6.1: the five types, by errors.As, and the names of the JSON fields.
func TestC6_1_ErrorTypes(t *testing.T) {
	g, _ := desk(t, "security: {restricted_paths: [~/vault], readonly_paths: ['@/w/vendor']}",
		"w/vendor/x", "home/dev/vault/x")
	tests := []struct {
		line string
		want ErrorType
		path string // the end of the one in the context; "" for none there
	}{
		{"rm -rf /", DangerousCommand, "/"}, {"cat ~/vault/x", RestrictedPath, "~/vault"},
		{"rm vendor/x", ReadOnlyPath, "/w/vendor/x"},
		{"ls > /etc/x", DangerousShell, "/etc/x"}, {"ls |", DangerousShell, ""},
	}
	for _, tt := range tests {
		v, plan, err := g.judge(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		plan.Close()
		var e *SecurityError
		if !errors.As(v.Err(English), &e) || e.Type != tt.want || e.Message == "" {
			t.Fatalf("%q: %+v, want %s", tt.line, e, tt.want)
		}
		rule, _ := e.Context["rule"].(string)
		path, has := e.Context["path"].(string)
		if rule == "" || has != (tt.path != "") || !strings.HasSuffix(path, tt.path) ||
			e.Context["verdict"] != v.Decision.String() {
			t.Errorf("%q: context %v, want the path %q", tt.line, e.Context, tt.path)
		}
		if zh := v.Err(Chinese).Error(); zh == e.Message || zh != v.Reasons[0].In(Chinese) {
			t.Errorf("%q: in Chinese it says %q", tt.line, zh)
		}
		var fields map[string]any
		text, _ := json.Marshal(e)
		if json.Unmarshal(text, &fields); fields["type"] != string(tt.want) ||
			fields["message"] == nil || fields["context"] == nil || len(fields) != 3 {
			t.Errorf("%s", text)
		}
	}
	off, _ := desk(t, "security: {allow_shell: false}")
	v, plan, _ := off.judge("ls | cat")
	plan.Close()
	var e *SecurityError
	if !errors.As(v.Err(English), &e) || e.Type != ShellDisabled {
		t.Errorf("%+v", e)
	}
	if (Verdict{Decision: Allow}).Err(English) != nil || (Verdict{}).Err(English) == nil {
		t.Error("the zero verdict is no error")
	}
}

// C-6.2.1 to C-6.2.5: the messages of the source document, in both languages.
func TestC6_2_Messages(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: [/etc/ssl], readonly_paths: [~/.ssh]}",
		"home/dev/.ssh/")
	tests := []struct{ line, en, zh string }{
		{"rm -rf /", "⚠️  dangerous command: may delete system files: /", "⚠️  危险命令: / 可能删除系统文件"},
		{"cat /etc/ssl", "🚫 access denied: /etc/ssl is restricted", "🚫 拒绝访问: /etc/ssl 受系统保护"},
		{"touch ~/.ssh", "⚠️  read-only: @/home/dev/.ssh must not be written",
			"⚠️  只读保护: @/home/dev/.ssh 不允许写入"},
		{"cat a > /etc/b", "⚠️  dangerous: writes to a system path: /etc/b",
			"⚠️  危险操作: 尝试写入 /etc/b 需要授权"},
		{"git push --force", "replaces history of the remote repository", "⚠️  危险命令: 替换远程仓库的历史"},
		{"rm -rf src", "deletes everything below @/w/src", "删除 @/w/src 下的所有内容"},
	}
	for _, tt := range tests {
		v, plan, err := g.judge(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		plan.Close()
		var en, zh []string
		for _, r := range v.Reasons {
			en = append(en, strings.ReplaceAll(r.In(English), root, "@"))
			zh = append(zh, strings.ReplaceAll(r.In(Chinese), root, "@"))
		}
		if !slices.Contains(en, tt.en) || !slices.Contains(zh, tt.zh) {
			t.Errorf("%q:\n%q\n%q", tt.line, en, zh)
		}
	}
	g.Policy.set.AllowShell = false
	v, plan, _ := g.judge("ls | cat")
	plan.Close()
	if v.Reasons[0].In(Chinese) != "⚠️  Shell 命令已禁用（allow_shell=false）" ||
		v.Reasons[0].In(English) != "⚠️  shell commands are disabled (allow_shell=false)" {
		t.Errorf("%+v", v.Reasons[0])
	}
	for env, want := range map[string]Locale{"LANG=zh_CN.UTF-8": Chinese,
		"LANG=en_US.UTF-8": English, "LANG=C": English, "": English} {
		name, value, _ := strings.Cut(env, "=")
		if LocaleOf(map[string]string{name: value}) != want {
			t.Errorf("%s", env)
		}
	}
	if LocaleOf(map[string]string{"LANG": "zh_CN", "LC_ALL": "C"}) != English {
		t.Error("LC_ALL does not win")
	}
}

// C-6.2.1, U7: what is said in one language is said in the other, with the same values in it.
func TestEveryTextInBothLanguages(t *testing.T) {
	values := regexp.MustCompile(`[{][a-z]*[}]`)
	for _, id := range ruleIDs() {
		r, _ := ruleTextOf(id)
		if en, zh := values.FindAllString(r.en, -1), values.FindAllString(r.zh, -1); r.en == "" ||
			r.zh == "" || r.en == r.zh || !slices.Equal(en, zh) && id != "delete.root" {
			t.Errorf("%s: %q, %q", id, r.en, r.zh)
		}
		if (r.instead == "") != (r.insteadZh == "") {
			t.Errorf("%s, instead: %q, %q", id, r.instead, r.insteadZh)
		}
	}
	hazards := map[string]bool{}
	files, err := filepath.Glob("../shellparse/*/*.go")
	tables, err2 := filepath.Glob("../shellparse/code/*.txt")
	if err := errors.Join(err, err2); err != nil || len(files) == 0 || len(tables) == 0 {
		t.Fatal(files, tables, err)
	}
	files = append(files, tables...)
	read := map[string]*regexp.Regexp{"../shellparse/command/table/hazards.txt": regexp.MustCompile(`(?m)^([a-z]+[.][a-z-]+): `)}
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			read[name] = regexp.MustCompile(`(?:Rule: "|[" ]hazard )([a-z]+[.][a-z-]+)[" ]`)
		}
	}
	for name, id := range read {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range id.FindAllSubmatch(text, -1) {
			hazards[string(m[1])] = true
			if zh := hazardZh(string(m[1]), "x: y"); !strings.HasSuffix(zh, ": y") || len(zh) < 6 {
				t.Errorf("%s: %s is %q in Chinese", name, m[1], zh)
			}
		}
	}
	if len(hazards) < 100 {
		t.Errorf("only %d hazards were found", len(hazards))
	}
	for line := range strings.Lines(hazardsZh) {
		if id, _, ok := strings.Cut(line, ": "); ok && line[0] != '#' && !hazards[id] {
			t.Errorf("%s is no hazard", id)
		}
	}
}
