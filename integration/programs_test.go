package integration

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
)

// startsNothing are the folders with tests that start no program that they wrote.
var startsNothing = map[string]string{
	"approval":  "it knows plans and keys",
	"pathguard": "it judges and starts nothing",
}

// TestProgramsAreWrittenApart requires hermetic.WriteProgram for each program that a test writes,
// so that starting it cannot fail while other tests start theirs.
func TestProgramsAreWrittenApart(t *testing.T) {
	seen := 0
	for _, s := range sources(t) {
		top, _, _ := strings.Cut(s.folder, "/")
		if !s.test || startsNothing[top] != "" {
			continue
		}
		name := path.Join("..", s.folder, s.file)
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if on, method := called(call); on == "hermetic" && method == "WriteProgram" {
				seen++
			} else if makesPrograms(call) {
				t.Errorf("%s: a program is made by hermetic.WriteProgram alone; for what is none, "+
					"write the mode as a number, or call hermetic.Chmod", files.Position(n.Pos()))
			}
			return true
		})
	}
	if seen == 0 {
		t.Error("no test writes a program: this looks for the wrong name")
	}
}

// called returns the variable or package of a call, and the name of its function.
func called(call *ast.CallExpr) (on, method string) {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		return fmt.Sprint(s.X), s.Sel.Name
	}
	return "", ""
}

// makesPrograms reports whether a call may give a file a mode with which it can be started: its
// last argument is such a mode, or is not a number.
func makesPrograms(call *ast.CallExpr) bool {
	on, method := called(call)
	switch method {
	case "WriteFile", "OpenFile", "Chmod", "Fchmod", "Fchmodat":
	default:
		return false
	}
	if on == "hermetic" || len(call.Args) == 0 {
		return false
	}
	lit, ok := call.Args[len(call.Args)-1].(*ast.BasicLit)
	if !ok {
		return true
	}
	mode, err := strconv.ParseUint(lit.Value, 0, 32)
	return err != nil || mode&0o111 != 0
}
