package command

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// An alarm is a kind whose value is dangerous by what it says.
type alarm struct {
	kind, rule string
	at         func(v value) bool
}

var alarms = []alarm{
	// KEY VALUE of `bundle config set`: a mirror replaces the source of all.
	{"BUNDLECFG", "pkg.foreign-source", func(v value) bool {
		return strings.HasPrefix(v.Text, "mirror.") || strings.HasPrefix(v.Text, "local.")
	}},
	// Where conda(1) takes packages from.
	{"CHANNEL", "pkg.foreign-source", func(v value) bool {
		return !v.Static || !slices.Contains(list("conda-channels"), v.Text)
	}},
	// An operand of date(1): +FORMAT prints, anything else sets the clock.
	{"DATE", "time.set", func(v value) bool { return v.Static && !strings.HasPrefix(v.Text, "+") }},
	// APP MIGRATION of Django: zero takes all of them back.
	{"DJANGO", "db.destroy", func(v value) bool { return v.Text == "zero" }},
	// Where clojure(1) takes code from.
	{"CLJDEPS", "pkg.foreign-source", func(v value) bool {
		return !v.Static || strings.Contains(v.Text, "://")
	}},
	// A key of a framework's settings, which are printed.
	{"CONFIGWORD", "secret.print", func(v value) bool {
		return catalog.SecretSetting(v.Text) || !v.Static
	}},
	{"DOCKERSEC", "container.escape", func(v value) bool {
		return !v.Static || strings.Contains(v.Text, "unconfined") ||
			strings.Contains(v.Text, "disable") || v.Text == "security.insecure"
	}},
	// A template that can print the environment of a container.
	{"ENVFORMAT", "secret.print", func(v value) bool {
		return !v.Static || strings.Contains(v.Text, "Env") ||
			strings.Contains(v.Text, "json .Config")
	}},
	// git gc --prune=DATE: an early date destroys what the reflog could bring back.
	{"GITPRUNE", "git.history", func(v value) bool {
		return v.Text != "" && v.Text != "never" && v.Text != "2.weeks.ago"
	}},
	// What is asked of git's configuration: credentials may be in headers and addresses.
	{"GITSECRET", "secret.print", func(v value) bool {
		name := strings.ToLower(v.Text)
		return strings.Contains(name, "extraheader") || strings.Contains(name, "credential.*") ||
			strings.Contains(name, "cookie")
	}},
	{"GOINSTALL", "pkg.install-global", func(v value) bool {
		return strings.Contains(v.Text, "@") || !v.Static
	}},
	// MODULE=PATH of go mod edit: a folder, or the module of someone else in its place.
	{"GOREPLACE", "pkg.foreign-source", func(v value) bool {
		_, by, ok := strings.Cut(v.Text, "=")
		return ok && by != "" && !strings.HasPrefix(by, ".") && !strings.HasPrefix(by, "/")
	}},
	// The address a server binds, without the port.
	{"HOSTBIND", "net.listen", func(v value) bool { return !v.Static || !loopback(v.Text) }},
	// --pid=host and its kin.
	{"HOSTNS", "container.escape", func(v value) bool { return v.Text == "host" || !v.Static }},
	// A phase or plugin:goal.
	{"MAVEN", "pkg.publish", func(v value) bool {
		return v.Text == "deploy" || strings.HasPrefix(v.Text, "deploy:") ||
			v.Text == "release:perform"
	}},
	// NAME=VALUE of mvn -D: where a goal fetches from.
	{"MAVENDEF", "pkg.foreign-source", func(v value) bool {
		name, by, _ := strings.Cut(v.Text, "=")
		return name == "remoteRepositories" || strings.HasPrefix(name, "archetype") &&
			strings.Contains(by, "://")
	}},
	// BACKEND:NAME of mise(1): what anyone publishes there.
	{"MISETOOL", "code.install", func(v value) bool {
		backend, _, ok := strings.Cut(v.Text, ":")
		return ok && backend != "core" && backend != "path"
	}},
	// -n of nice(1); a negative one takes processor time away from all other users.
	{"NICE", "proc.priority", func(v value) bool { return strings.HasPrefix(v.Text, "-") }},
	// What nix(1) runs: a folder here, or an address that it fetches and runs.
	{"NIXREF", "code.install", func(v value) bool {
		return !v.Static || !strings.HasPrefix(v.Text, ".") && !strings.HasPrefix(v.Text, "#") &&
			strings.ContainsAny(v.Text, ":#") && !strings.HasPrefix(v.Text, "nixpkgs#")
	}},
	// HOST/ACCOUNT/MODEL of ollama(1); its own library has no host.
	{"OLLAMA", "pkg.foreign-source", func(v value) bool {
		host, _, ok := strings.Cut(v.Text, "/")
		return ok && strings.Contains(host, ".")
	}},
	// A word of ps(1) without a dash, in which e shows the environment of each process.
	{"PSWORD", "secret.print", func(v value) bool {
		return strings.Contains(v.Text, "e") && strings.Trim(v.Text, "aefgrTuvwx") == ""
	}},
	// NAME VALUE of tmux set-option: what later windows run, and #(COMMAND) in a status line.
	{"TMUXOPT", "code.alias", func(v value) bool {
		return !v.Static || v.Text == "default-shell" || v.Text == "default-command" ||
			strings.Contains(v.Text, "#(")
	}},
	{"SYSCTL", "kernel.setting", func(v value) bool {
		return !v.Static || strings.Contains(v.Text, "=")
	}},
}

// alarm notes the hazard of a kind at each value that is dangerous.
func (m *matcher) alarm(r role, vs []value) {
	for _, a := range alarms {
		for _, v := range vs {
			if a.kind == r.kind && a.at(v) {
				m.hazard(a.rule, v.at)
			}
		}
	}
}

// secretWords are names whose values are printed. Where the parameter is "any", secrets are printed
// whatever the names are, and without one too.
func (m *matcher) secretWords(r role, vs []value) {
	if r.param == "any" {
		m.hazard("secret.print", 0)
		return
	}
	for _, v := range vs {
		if catalog.SecretName(v.Text) || !v.Static {
			m.hazard("secret.print", v.at)
		}
	}
}
