package command

import (
	"slices"
	"strings"
)

// aptOption is KEY=VALUE of apt.conf(5); hooks run a shell as root.
func (m *matcher) aptOption(_ role, vs []value) {
	for _, v := range vs {
		key, _, ok := strings.Cut(v.Text, "=")
		if !ok && !v.Static {
			m.opaque(v, Exec, "it could be a hook")
			continue
		}
		lower := strings.ToLower(key)
		for _, hook := range []string{"invoke", "dir::bin", "proxyautodetect", "pre-install-pkgs"} {
			if strings.Contains(lower, hook) {
				m.shell(role{}, []value{v.piece(len(key) + 1)})
				break
			}
		}
	}
}

// netShow is ifconfig(8) and route(8): one word shows, more of them change.
func (m *matcher) netShow(_ role, vs []value) {
	if len(vs) > 1 {
		m.hazard("net.config", vs[1].at)
	}
}

func (m *matcher) setHostname(_ role, vs []value) {
	for _, v := range vs {
		m.hazard("net.config", v.at)
	}
}

// ipObject is OBJECT COMMAND ... of ip(8). Each may be abbreviated, so only what surely
// shows is taken for harmless.
func (m *matcher) ipObject(_ role, vs []value) {
	if len(vs) > 3 && strings.HasPrefix("netns", vs[0].Text) && strings.HasPrefix("exec",
		vs[1].Text) {
		m.hazard("priv.namespace", vs[0].at)
		m.command(role{}, vs[3:])
		return
	}
	if len(vs) < 2 {
		return
	}
	verb := vs[1].Text
	for _, show := range []string{"show", "list", "lst", "get", "help"} {
		if vs[1].Static && verb != "" && strings.HasPrefix(show, verb) {
			return
		}
	}
	if m.hasPrefix(vs[1], "dev", "to", "table", "type", "up", "scope", "monitor") && verb != "" {
		return
	}
	m.hazard("net.config", vs[1].at)
}

func (m *matcher) hasPrefix(v value, words ...string) bool {
	return v.Static && slices.Contains(words, v.Text)
}

// kill is [-SIGNAL] PID.... A job of this shell and a process whose number a variable holds belong
// to this script; the number -1 is every process.
func (m *matcher) kill(_ role, vs []value) {
	for i := 0; i < len(vs); i++ {
		v := vs[i]
		switch {
		case v.Text == "-l" || v.Text == "-L" || v.Text == "-0" || v.Text == "--list":
			return
		case (v.Text == "-s" || v.Text == "-n" || v.Text == "--signal") && i+1 < len(vs):
			if i++; vs[i].Text == "0" {
				return
			}
		case v.Text == "-1" && i > 0, v.Text == "--" && i+1 < len(vs) && vs[i+1].Text == "-1":
			m.hazard("proc.kill-all", v.at)
		case v.Static && v.Text != "" && v.Text[0] >= '0' && v.Text[0] <= '9', v.Static && i > 0 &&
			strings.HasPrefix(v.Text, "-") && v.Text != "--":
			m.hazard("proc.kill", v.at)
		}
	}
}

// mount is SOURCE TARGET; without operands it lists.
func (m *matcher) mount(_ role, vs []value) {
	if len(vs) == 0 {
		return
	}
	m.hazard("disk.mount", vs[0].at)
	if len(vs) > 1 {
		m.path(role{kind: "R"}, vs[0])
	}
	m.path(role{kind: "W"}, vs[len(vs)-1])
}

// rpmMacro is text that rpm(8) expands: %(...) runs a shell and %{lua:...} is code.
func (m *matcher) rpmMacro(_ role, vs []value) {
	for _, v := range vs {
		if strings.Contains(v.Text, "%(") || strings.Contains(v.Text, "%{lua") || !v.Static {
			m.opaque(v, Exec, "a macro that runs a command")
		}
	}
}

func (m *matcher) service(_ role, vs []value) {
	if len(vs) > 1 && (!vs[1].Static || vs[1].Text != "status") {
		m.hazard("service.control", vs[1].at)
	}
}

func (m *matcher) firewall(_ role, vs []value) {
	if len(vs) == 0 || vs[0].Text != "status" && vs[0].Text != "version" {
		m.hazard("net.config", 0)
	}
}

// luaScript is tshark -X lua_script:FILE.
func (m *matcher) luaScript(_ role, vs []value) {
	for _, v := range vs {
		if strings.HasPrefix(v.Text, "lua_script:") {
			m.source(role{param: "lua"}, []value{v.piece(len("lua_script:"))})
		}
	}
}

// gdbCommand is one command line of gdb(1). One that does more than look and steer is code.
func (m *matcher) gdbCommand(_ role, vs []value) {
	for _, v := range vs {
		text := strings.TrimPrefix(strings.TrimLeft(v.Text, " \t"), "platform ") // as lldb calls it
		v = v.piece(len(v.Text) - len(text))
		name := text[:strings.IndexAny(text+" ", " \t/")]
		switch {
		case strings.HasPrefix(text, "!"):
			m.shell(role{}, []value{v.piece(1)})
		case name == "shell":
			m.shell(role{}, []value{v.piece(len(name) + 1)})
		case !v.Static || name != "" && !slices.Contains(list("gdb-harmless"), name) ||
			strings.Contains(text, "("):
			m.nest(Nested{Code: &Code{"gdb", v.Arg}, Arg: v.at})
		}
	}
}
