package command

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// volume is SOURCE:TARGET[:OPTIONS] of docker run -v. A source without a slash is a volume
// that Docker keeps.
func (m *matcher) volume(_ role, vs []value) {
	for _, v := range vs {
		source, rest, ok := strings.Cut(v.Text, ":")
		if !ok && v.Static {
			continue
		}
		_, options, _ := strings.Cut(rest, ":")
		v.Text, v.Static = source, v.Static || ok
		m.hostFolder(v, slices.Contains(strings.Split(options, ","), "ro"))
	}
}

// mountSpec is type=bind,source=DIR,target=DIR[,readonly].
func (m *matcher) mountSpec(_ role, vs []value) {
	for _, v := range vs {
		source, found, readonly := "", false, false
		for field := range strings.SplitSeq(v.Text, ",") {
			key, val, _ := strings.Cut(field, "=")
			switch key {
			case "source", "src":
				source, found = val, true
			case "readonly", "ro":
				readonly = val == "" || val == "true" || val == "1"
			}
		}
		if found && !strings.Contains(v.Text, "type=volume") {
			m.hostFolder(value{Arg{Text: source, Static: v.Static || !strings.HasSuffix(v.Text,
				source)}, v.at}, readonly)
		}
	}
}

// wholeMachine are folders that give a container control of this machine.
var wholeMachine = []string{"/", "/boot", "/dev", "/etc", "/home", "/lib", "/proc", "/root", "/run",
	"/sys", "/usr", "/var", "/var/lib", "/var/run"}

func (m *matcher) hostFolder(v value, readonly bool) {
	if v.Static && !strings.ContainsAny(v.Text, "/~") && v.Text != "." && v.Text != ".." {
		return
	}
	if readonly {
		m.touch(Read, Recursive, v, true)
	} else { // what is in it, as far as the container changes anything
		m.touch(Write, Recursive|Below, v, true)
	}
	clean := strings.TrimRight(v.Text, "/")
	if clean == "" {
		clean = "/"
	}
	socket := strings.HasSuffix(clean, ".sock")
	if socket {
		m.hazard("container.escape", v.at)
	} else if v.Static && !readonly && catalog.SecretFile(v.Text) {
		m.hazard("secret.print", v.at)
	}
	if v.Static && (socket || slices.Contains(wholeMachine, clean)) {
		m.hazard("container.host-mount", v.at)
	}
}

// image is [HOST[:PORT]/]NAME[:TAG] of a container.
func (m *matcher) image(_ role, vs []value) {
	for _, v := range vs {
		host, _, ok := strings.Cut(v.Text, "/")
		name, _ := hostPort(host)
		switch {
		case !v.Static && !ok:
			m.opaque(v, Exec, "which image runs is not known")
		case !ok || !strings.ContainsAny(host, ".:") || loopback(name):
		case slices.Contains(list("image-registries"), host),
			strings.HasSuffix(host, ".gcr.io"), strings.HasSuffix(host, ".pkg.dev"):
		default:
			m.hazard("container.foreign-image", v.at)
		}
	}
}

// buildContext is the folder that an image is built from, or an address of one.
func (m *matcher) buildContext(_ role, vs []value) {
	for _, v := range vs {
		if strings.Contains(v.Text, "://") || strings.HasPrefix(v.Text, "git@") ||
			strings.HasPrefix(v.Text, "github.com/") {
			m.hazard("code.remote", v.at)
			m.url(role{kind: "URL", param: "https"}, []value{v})
			continue
		}
		if v.Static && v.Text == "-" {
			m.use.Data = "dockerfile"
		}
		m.path(role{kind: "R", marks: []string{"recursive"}}, v)
	}
}

// keyFile is NAME=FILE.
func (m *matcher) keyFile(r role, vs []value) {
	for _, v := range vs {
		name, rest, ok := strings.Cut(v.Text, "=")
		switch scheme, _, addressed := strings.Cut(rest, "://"); {
		case ok && addressed && m.spec.top() == "docker" && scheme != "docker-image":
			m.hazard("code.remote", v.at)
		case ok && !addressed:
			m.path(role{kind: r.param, marks: []string{"recursive"}}, v.piece(len(name)+1))
		}
	}
}

// fields is KEY=VALUE,KEY=VALUE, of which src and dest are names here; without any, the
// word itself is one.
func (m *matcher) fields(r role, vs []value) {
	for _, v := range vs {
		if !strings.Contains(v.Text, "=") {
			if strings.ContainsAny(v.Text, "/.") {
				m.path(role{kind: r.param}, v)
			}
			continue
		}
		for field := range strings.SplitSeq(v.Text, ",") {
			switch key, val, _ := strings.Cut(field, "="); key {
			case "src", "source", "dest", "file":
				m.path(role{kind: r.param}, value{Arg{Text: val, Static: v.Static ||
					!strings.HasSuffix(v.Text, val)}, v.at})
			}
		}
	}
}

// containerCommand is the command that runs inside, behind the entry point that the line gives.
func (m *matcher) containerCommand(_ role, vs []value) {
	var argv []Arg
	at := 0
	for _, g := range m.seen {
		if g.value.kind == "ENTRYPOINT" && g.set && g.v.Text != "" {
			argv, at = []Arg{g.v.Arg}, g.v.at
		}
	}
	if len(vs) > 0 && argv == nil {
		at = vs[0].at
	}
	if argv = append(argv, words(vs)...); len(argv) > 0 {
		m.nest(Nested{Argv: argv, Arg: at, Surroundings: Surroundings{Remote: true}})
	}
}

// podCommand is kubectl exec POD [-c NAME] -- CMD.
func (m *matcher) podCommand(_ role, vs []value) {
	for i, v := range vs {
		if v.Text == "--" {
			vs = vs[i+1:]
			break
		}
	}
	m.containerCommand(role{}, vs)
}

// containerFile is NAME:PATH inside, or a name here. The parameter "W" is the target.
func (m *matcher) containerFile(r role, vs []value) {
	for _, v := range vs {
		pod, file, inside := strings.Cut(v.Text, ":")
		inside = inside && !strings.HasPrefix(v.Text, "/") && !strings.HasPrefix(v.Text, ".")
		if inside && r.param != "W" && catalog.SecretFile(file) {
			m.hazard("secret.print", v.at)
		}
		switch {
		case inside && m.spec.top() == "kubectl":
			m.addHost(Host{Scheme: "k8s", Host: pod, Static: true, Upload: r.param == "W"}, v)
		case inside:
		case r.param == "W":
			m.touch(Write, Recursive, v, true)
		default:
			m.touch(Read, Recursive, v, true)
		}
	}
}

// kubeGet is kubectl get KIND...: printing a whole secret shows it.
func (m *matcher) kubeGet(_ role, vs []value) {
	for _, v := range vs {
		kinds := "," + v.Text // secret, secret/x, cm,secrets
		if strings.Contains(kinds, ",secret") && m.has("-o") {
			m.hazard("secret.print", v.at)
		}
	}
}

// bucket is s3://NAME/KEY, gs://NAME/KEY, or a name here.
func (m *matcher) bucket(r role, vs []value) {
	for _, v := range vs {
		if strings.Contains(v.Text, "://") {
			h := parseURL(v.Arg, "")
			h.Upload = r.param == "W"
			m.addHost(h, v)
			continue
		}
		m.path(role{kind: r.param}, v)
	}
}

// cloudVerbs are the verbs of command lines that end in one (gcloud, az, heroku), with the rule
// that each means. Words before it are nouns.
var cloudVerbs = []struct{ verb, rule string }{
	{"delete*", "cloud.destroy"}, {"*-delete", "cloud.destroy"}, {"*:destroy", "cloud.destroy"},
	{"*:delete", "cloud.destroy"}, {"destroy", "cloud.destroy"},
	{"purge", "cloud.destroy"}, {"remove*", "cloud.destroy"}, {"rm", "cloud.destroy"},
	{"reset*", "cloud.destroy"},
	{"stop", "cloud.destroy"}, {"pg:reset", "cloud.destroy"},
	{"*access-token", "secret.print"}, {"*identity-token", "secret.print"},
	{"generate-sas", "secret.print"}, {"*login-token", "secret.print"},
	{"sign-url", "remote.share"}, {"publish*", "net.upload"}, {"terminate*", "cloud.destroy"},
	{"list-keys", "secret.print"}, {"*connection-string*", "secret.print"},
	{"get-credentials", "secret.change"}, {"access", "secret.print"},
	{"upload*", "net.upload"},
	{"abandon", "cloud.change"}, {"add*", "cloud.change"}, {"apply", "cloud.change"},
	{"attach*", "cloud.change"}, {"deallocate", "cloud.destroy"},
	{"maintenance:*", "cloud.change"}, {"create*", "cloud.change"},
	{"deploy*", "cloud.change"}, {"disable*", "cloud.change"}, {"enable*", "cloud.change"},
	{"import*", "cloud.change"},
	{"invoke*", "cloud.change"}, {"move", "cloud.change"}, {"patch", "cloud.change"},
	{"restart", "cloud.change"}, {"resize*", "cloud.change"},
	{"*run", "cloud.change"}, {"export", "cloud.change"}, {"login", "secret.change"},
	{"scale*", "cloud.change"}, {"scp", "cloud.change"},
	{"set*", "cloud.change"}, {"ssh", "cloud.change"},
	{"start", "cloud.change"}, {"submit", "cloud.change"}, {"up", "cloud.change"},
	{"update*", "cloud.change"}, {"*:set", "cloud.change"}, {"*:promote", "cloud.change"},
}

func (m *matcher) cloudWords(_ role, vs []value) {
	config := len(vs) > 0 && vs[0].Text == "config"
	for i, v := range vs {
		if !v.Static {
			m.opaque(v, Write, "it could be a verb")
		}
		if i > 1 && (v.Text == "show" || v.Text == "get" || v.Text == "download") &&
			catalog.SecretName(vs[i-1].Text) {
			m.hazard("secret.print", v.at)
		}
		if i > 0 && v.Text == "list" && (vs[i-1].Text == "appsettings" ||
			vs[i-1].Text == "keys" && m.spec.top() == "az") {
			m.hazard("secret.print", v.at)
		}
		for _, c := range cloudVerbs {
			// A verb follows a noun; the first words after it are names.
			if (i > 0 || strings.Contains(v.Text, ":")) && i < 5 && !config &&
				matchName(c.verb, v.Text) {
				m.hazard(c.rule, v.at)
				return
			}
		}
	}
}

// extraVariables is -e NAME=VALUE, or @FILE.
func (m *matcher) extraVariables(_ role, vs []value) {
	for _, v := range vs {
		if strings.HasPrefix(v.Text, "@") {
			m.path(role{kind: "R"}, v.piece(1))
		}
	}
}
