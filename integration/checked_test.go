package integration

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// starters are the functions that start a program, each with the reason why it may. The only
// executor is launcher.permitted.start.
var starters = map[string]string{
	"launcher.permitted.start": "the executor; a permitted is made by announced.permitted, after every check",
	"launcher.permitted.letGo": "the same in a session, where the process that asked starts it",
	"launcher.built.start":     "the sandbox that permitted.start calls when all is ready",

	"launcher.misspelling.check": "a shell that looks at the syntax of a text, in a fence where it can do nothing else",

	"launcher/sandbox.Start":                  "the fence itself",
	"launcher/sandbox.beltStart.start":        "the fence itself, on macOS",
	"launcher.ExecShell":                      "in a fence that stands, and for this program's own hook",
	"launcher.requestServer.handle":           "a further piece of the line that was let go last",
	"integration/quarantine.Sessions.Review":  "a reviewer, in a fence of its own",
	"launcher/sandbox/attack.World.bare":      "doctor --attack: this program, to see that the attack works without a fence",
	"launcher/sandbox/attack.World.sandboxed": "doctor --attack: this program, in the fence",
	"launcher/sandbox/attack.World.decoy":     "doctor --attack: this program, to be attacked",
	"launcher/sandbox/attack.descend":         "doctor --attack: this program, from inside of the fence",
	"launcher/sandbox/attack.programs":        "doctor --attack: attacks that are programs",
	"launcher/sandbox/attack.guarded":         "doctor --attack: a hidden file that is a program",
	"launcher/sandbox/attack.handles":         "doctor --attack: the same, by a handle or a script",
	"launcher/sandbox/attack.roundabout":      "doctor --attack: a shell that leaves a core dump",
	"cmd/tadactl/cli.registration.canary":     "hook status: the person's own registered hook, with a harmless call",
	"cmd/tadactl/cli.demo.run":                "demo: both programs, in a state of its own",
	"cmd/tadactl/cli.shellCanary":             "setup: the shell that it wrote",
	"cmd/tadactl/cli.ctl.popup":               "a person's terminal multiplexer, with this program in it",

	"launcher/sandbox/attack.plainLine.Try":        "doctor --attack: a line of a shell",
	"launcher/sandbox/attack.plainWorld.sandboxed": "doctor --attack: the same in the fence",

	// make packages, which is neither of the two programs
	"packaging/release.maker.output": "git and go", "packaging/release.maker.goBuild": "go build",
	"packaging/release.describe": "git describe", "packaging/release.maker.nfpm": "nfpm",

	// servers of tests, in tests
	"integration/served.build": "go build", "integration/served.newProcess": "a server",
	"integration/servers/etcd.node.become": "an etcd that is installed",

	"integration/distant.Fleet.command": "the program of a fleet, as a child of this one",

	"cmd/tadactl/cli.execFleet":        "the program of a fleet, in place of this one",
	"cmd/tadactl/cli.editSession.open": "a person's editor",
	"cmd/tadactl/cli.startPager":       "a person's pager",
	"launcher.Launcher.notify":         "a program that the person has named for it",
}

// C-1.1, C-10.1: the executor accepts only what the controller has checked. The types ensure that:
// start is a method of launcher.permitted. This test looks for what the compiler does not see: a
// permitted that another function makes, another caller of the built sandbox, and anything else
// that starts a program.
func TestOnlyWhatIsCheckedStarts(t *testing.T) {
	made, found := 0, map[string]bool{}
	for _, d := range declared(t) {
		ast.Inspect(d.node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if starts(n) || d.folder == "launcher" && calls(n, "made", "start") {
					found[d.name] = true
				}
				if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "new" &&
					isNamed(n.Args[0], "permitted") {
					t.Errorf("%s makes a permitted: only announced.permitted does", d.name)
				}
			case *ast.ValueSpec:
				if n.Type != nil && isNamed(n.Type, "permitted") {
					t.Errorf("%s makes a permitted: only announced.permitted does", d.name)
				}
			case *ast.CompositeLit:
				// Reply{Run: true} lets a process inside a session start its command
				if isNamed(n.Type, "permitted") && d.folder == "launcher" {
					made++
					if d.name != "launcher.announced.permitted" {
						t.Errorf("%s makes a permitted: only announced.permitted does", d.name)
					}
				}
				if d.folder == "launcher" && isNamed(n.Type, "Reply") &&
					slices.ContainsFunc(n.Elts, func(e ast.Expr) bool {
						kv, ok := e.(*ast.KeyValueExpr)
						return ok && fmt.Sprint(kv.Key) == "Run"
					}) {
					found[d.name] = true
				}
			}
			return true
		})
	}
	if made == 0 {
		t.Error("announced.permitted makes no permitted: this looks at the wrong type")
	}
	for name := range found {
		if starters[name] == "" {
			t.Errorf("%s starts a program, and is none of those that may", name)
		}
	}
	for name := range starters {
		if !found[name] {
			t.Errorf("%s starts nothing any more", name)
		}
	}
}

// isNamed reports whether an expression is a type of that name, of this package or another.
func isNamed(e ast.Expr, name string) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == name
	case *ast.SelectorExpr:
		return e.Sel.Name == name
	case *ast.StarExpr:
		return isNamed(e.X, name)
	}
	return false
}

// calls reports whether a call is that of a method on a variable of that name.
func calls(call *ast.CallExpr, on, method string) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && s.Sel.Name == method && fmt.Sprint(s.X) == on
}

// starts reports whether a call starts a program, by its name. Held.Go has no arguments, other
// methods of that name do.
func starts(call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from := fmt.Sprint(s.X)
	switch s.Sel.Name {
	case "Command", "CommandContext":
		return from == "exec"
	case "StartProcess", "Exec", "ForkExec":
		return from == "os" || from == "syscall" || from == "unix"
	case "Start":
		return from == "sandbox"
	case "Go":
		return len(call.Args) == 0
	}
	return false
}

// A declaration is a function or a variable outside of tests.
type declaration struct {
	folder, name string
	node         ast.Node
	receiver     *ast.FieldList // of a method
}

func declared(t *testing.T) []declaration {
	t.Helper()
	var all []declaration
	for _, s := range sources(t) {
		if s.test || s.folder == ownSurroundings {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(),
			strings.Join([]string{"..", s.folder, s.file}, "/"), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				all = append(all, declaration{s.folder, s.folder + "." + receiver(d) + d.Name.Name,
					d, d.Recv})
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						all = append(all,
							declaration{s.folder, s.folder + "." + v.Names[0].Name, v, nil})
					}
				}
			}
		}
	}
	return all
}

// receiver is "T." for a method of T or *T, and "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	on := d.Recv.List[0].Type
	if star, ok := on.(*ast.StarExpr); ok {
		on = star.X
	}
	return fmt.Sprint(on) + "."
}
