package integration

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// upward is the number of backward arrows inside each package that has any. An arrow leads from a
// file to one that declares what it uses; the files are put in the order with the fewest backward
// arrows. The numbers may only go down.
var upward = map[string]int{
	"audit/play":                2,
	"cmd/tada-run/cli":          2,
	"integration/hermetic":      1,
	"integration/hook":          1,
	"integration/hook/settings": 3,
	"integration/mcp":           2,
	"integration/quarantine":    5,
	"launcher":                  4,
	"launcher/session":          2,

	"pathguard/tamper":   5,
	"shellparse/eval":    2,
	"shellparse/wrapper": 3,
}

// wide is the number of fields of each struct with more than maxFields, and the reason. The numbers
// may only go down.
var wide = map[string]struct {
	fields int
	why    string
}{
	"approval.Decision":           {14, "an answer as its signature covers it"},
	"approval.Envelope":           {25, "a stored question: each field is one of its format"},
	"approval.Event":              {24, "an entry of the log: each field is one of its format"},
	"approval.Grant":              {15, "a stored grant: each field is one of its format"},
	"approval.Options":            {15, "settings, each for itself; most have a default"},
	"approval.Stats":              {15, "one number for each thing that is counted"},
	"audit.Anchor":                {15, "a stored file: each field is one of its format"},
	"audit.Report":                {23, "one finding for each thing that is verified"},
	"audit.VerifyOptions":         {13, "settings, each for itself; most are left out"},
	"audit.fact":                  {15, "what is read of the bodies of several kinds of entries"},
	"audit/play.Player":           {16, "the state of one screen, which one goroutine changes"},
	"audit/play.tape":             {13, "a reader with a position, and what it has drawn so far"},
	"audit/screen.Screen":         {14, "the state of a terminal as its manual lists it"},
	"cmd/tada-run/cli.invocation": {33, "one field for each flag"},
	"cmd/tadactl/inbox.board":     {24, "the state of one screen, which one goroutine changes"},
	"cmd/tadactl/cli.entry":       {21, "printed JSON, with the older names of some fields"},
	"cmd/tadactl/cli.health":      {16, "printed JSON: one number for each thing that is counted"},
	"launcher/control.Question":   {20, "a message of a protocol: each field is one of its format"},
	"launcher.Judgement":          {16, "the first phase of a run; later ones hold it"},
	"launcher/past.Run":           {22, "a run as several entries tell it; printed as JSON"},
	"launcher/past.Connection":    {14, "a connection as the record has it; printed as JSON"},
	"launcher/refusal.Refusal":    {16, "printed JSON: each field is one of its format"},
	"launcher.Request":            {23, "all that a run depends on; nothing below reads it"},
	"launcher/sandbox.Profile":    {17, "what a child may touch, a list for each kind"},
	"launcher/sandbox.Status":     {13, "what wait4(2) says, and what the sandbox adds to it"},
	"launcher/session.Session":    {21, "both sides of a relay, which end together"},
	"launcher/session.client":     {17, "the state of one connection, which one goroutine changes"},
	"launcher/session.relay":      {13, "a loop that allocates nothing has its state in one place"},
	"pathguard.Reason":            {13, "a stored reason: each field is one of its format"},
	"pathguard.Settings":          {23, "one for each key; their names are in the digest"},
	"pathguard.ground":            {13, "the state of one walk through a workspace"},
	"pathguard/resolve.Plan":      {15, "the parts of what an approval binds, each a list"},
	"pathguard/tamper.Case":       {13, "a stored file: each field is one of its format"},
	"pathguard/tamper.Event":      {15, "an entry of the log: each field is one of its format"},
	"shellparse/code.grammar":     {18, "one for each way in which the languages differ"},
	"shellparse/code.makefile":    {13, "what make keeps of a makefile, as far as it is literal"},
	"shellparse/code.value":       {14, "the kinds of values of all languages"},
	"shellparse/command.Nested":   {16, "one for each way in which programs start others"},
	"shellparse/command.Spec":     {18, "one for each thing that an entry of the table can say"},
	"shellparse/command.Use":      {17, "one for each thing that a command line can do"},
	"shellparse/command.matcher":  {18, "the state of one reading of an argv"},
	"shellparse/eval.Script":      {14, "the result, with a list for each kind of effect"},
}

// maxFields is how many fields a struct may have. A type with more usually holds the states of
// several moments, some of which are always unset, or is the list of what a format has.
const maxFields = 12

func TestFilesOfAPackageHaveFloors(t *testing.T) {
	for _, p := range checkedPackages(t) {
		arrows := p.arrows()
		up := arrows.back(arrows.order())
		want := upward[p.folder]
		switch n := len(up); {
		case n > want:
			t.Errorf("%s: %d arrows run back up, %d are known:\n\t%s",
				p.folder, n, want, strings.Join(up, "\n\t"))
		case n < want:
			t.Errorf("%s: %d arrows run back up, fewer than %d: lower the number in upward",
				p.folder, n, want)
		}
	}
}

func TestNoTypeGrowsWider(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range checkedPackages(t) {
		scope := p.types.Scope()
		for _, name := range scope.Names() {
			declared, ok := scope.Lookup(name).(*types.TypeName)
			if !ok {
				continue
			}
			body, ok := declared.Type().Underlying().(*types.Struct)
			if !ok || declared.IsAlias() || body.NumFields() <= maxFields {
				continue
			}
			full := p.folder + "." + name
			seen[full] = true
			switch n := body.NumFields(); {
			case n > wide[full].fields:
				t.Errorf("%s has %d fields; at most %d", full, n,
					max(maxFields, wide[full].fields))
			case n < wide[full].fields:
				t.Errorf("%s has %d fields, fewer than %d: lower the number in wide", full, n,
					wide[full].fields)
			}
		}
	}
	for name := range wide {
		if !seen[name] {
			t.Errorf("wide names %s, which is no struct with more than %d fields", name, maxFields)
		}
		if wide[name].why == "" {
			t.Errorf("%s has no reason for its %d fields", name, wide[name].fields)
		}
	}
}

// A checked package is one of this module with the types of its identifiers.
type checked struct {
	folder string
	fset   *token.FileSet
	files  []*ast.File
	types  *types.Package
	info   types.Info
}

// checkedPackages type-checks the packages of the module from their sources, and what they import
// from the compiler's export data, once for all tests. It reads the sources itself, so that the
// test cache knows them.
func checkedPackages(t *testing.T) []checked {
	t.Helper()
	sources(t)
	all, err := typeChecked()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var typeChecked = sync.OnceValues(func() (all []checked, err error) {
	own, export, err := listed()
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(name string) (io.ReadCloser, error) {
		return os.Open(export[name])
	})
	for _, l := range own {
		p := checked{folder: strings.TrimPrefix(l.ImportPath, module+"/"), fset: fset}
		p.info.Uses, p.info.Defs = map[*ast.Ident]types.Object{}, map[*ast.Ident]types.Object{}
		for _, name := range l.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil,
				parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			p.files = append(p.files, f)
		}
		config := types.Config{Importer: from}
		if p.types, err = config.Check(l.ImportPath, fset, p.files, &p.info); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
})

// A goPackage is what the go command says of a package.
type goPackage struct {
	ImportPath, Export, Dir string
	GoFiles                 []string
}

// listed returns the packages of the module, and the export data of all that they import.
func listed() (own []goPackage, export map[string]string, err error) {
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles",
		"./...")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("%v: %w", list, err)
	}
	export = map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("%v: %w", list, err)
		}
		export[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module+"/") {
			own = append(own, p)
		}
	}
	if len(own) < 10 {
		return nil, nil, fmt.Errorf("%v names %d packages of the module", list, len(own))
	}
	return own, export, nil
}

// arrows are the uses between the files of a package: for each file, the files that declare what it
// uses, with one of the names.
type arrows map[string]map[string]string

func (p checked) arrows() arrows {
	all := arrows{}
	for _, f := range p.files {
		all[p.base(f.Pos())] = map[string]string{}
	}
	for _, f := range p.files {
		from := p.base(f.Pos())
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := p.info.Uses[id]
			if used == nil || used.Pkg() != p.types || !declaredOutside(used, p.types) {
				return true
			}
			to := p.base(used.Pos())
			if last, seen := all[from][to]; to != from && (!seen || used.Name() < last) {
				all[from][to] = used.Name()
			}
			return true
		})
	}
	return all
}

// declaredOutside reports whether a name is one of the package's or a method. What a function
// declares for itself leads nowhere, and a field leads where its type does.
func declaredOutside(o types.Object, in *types.Package) bool {
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return o.Parent() == in.Scope()
}

func (p checked) base(at token.Pos) string {
	return path.Base(filepath.ToSlash(p.fset.File(at).Name()))
}

// order puts users before what they use, so that few arrows lead back: the greedy search of Eades,
// Lin and Smyth ("A fast and effective heuristic for the feedback arc set problem", 1993), then
// single moves as long as one of them helps.
func (a arrows) order() []string {
	left := slices.Sorted(maps.Keys(a))
	var head, tail []string
	take := func(i int) string {
		name := left[i]
		left = slices.Delete(left, i, i+1)
		return name
	}
	degrees := func(name string) (out, in int) {
		for _, other := range left {
			if _, ok := a[name][other]; ok {
				out++
			}
			if _, ok := a[other][name]; ok {
				in++
			}
		}
		return out, in
	}
	for len(left) > 0 {
		best, most := 0, -1<<30
		kind := ""
		for i, name := range left {
			out, in := degrees(name)
			if out == 0 {
				best, kind = i, "sink"
				break
			}
			if in == 0 {
				best, kind = i, "source"
				break
			}
			if out-in > most {
				best, most = i, out-in
			}
		}
		if name := take(best); kind == "sink" {
			tail = append(tail, name)
		} else {
			head = append(head, name)
		}
	}
	slices.Reverse(tail)
	return a.improve(append(head, tail...))
}

// improve moves single files to the place with the fewest backward arrows, until no move helps.
func (a arrows) improve(order []string) []string {
	has := func(from, to string) int {
		if _, ok := a[from][to]; ok {
			return 1
		}
		return 0
	}
	for moved := true; moved; {
		moved = false
		for i := 0; i < len(order); i++ {
			name := order[i]
			best, gain := i, 0
			for j, sum := i+1, 0; j < len(order); j++ { // after order[j]
				if sum += has(order[j], name) - has(name, order[j]); -sum < gain {
					best, gain = j, -sum
				}
			}
			for j, sum := i-1, 0; j >= 0; j-- { // before order[j]
				if sum += has(name, order[j]) - has(order[j], name); -sum < gain {
					best, gain = j, -sum
				}
			}
			if best != i {
				order = slices.Insert(slices.Delete(slices.Clone(order), i, i+1), best, name)
				moved = true
			}
		}
	}
	return order
}

// back returns the arrows that lead to an earlier file of the order.
func (a arrows) back(order []string) []string {
	at := map[string]int{}
	for i, name := range order {
		at[name] = i
	}
	var back []string
	for from, uses := range a {
		for to, name := range uses {
			if at[to] < at[from] {
				back = append(back, fmt.Sprintf("%s -> %s (%s)", from, to, name))
			}
		}
	}
	slices.SortFunc(back, cmp.Compare[string])
	return back
}
