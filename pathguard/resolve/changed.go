package resolve

import "slices"

// Changed returns the bound programs and files of code that are no longer behind their names, or
// that have another text: replaced, written to, or reached another way by now. A shell or an
// interpreter opens what it executes by name, so this is checked as late as possible.
//
// A plan that binds no text has nothing to lose, and is not looked at again.
func (p *Plan) Changed() ([]string, error) {
	was := p.executes(nil)
	if !slices.ContainsFunc(was, func(x executed) bool { return x.own }) {
		return nil, nil
	}
	now, err := Resolve(p.Script, p.Caller)
	if err != nil {
		return nil, err
	}
	defer now.Close()
	still := map[string]bool{}
	for _, x := range now.executes(nil) {
		still[x.facts] = true
	}
	var changed []string
	for _, x := range was {
		if !still[x.facts] && !slices.Contains(changed, x.path) {
			changed = append(changed, x.path)
		}
	}
	return changed, nil
}

// An executed is one file whose text decides what runs.
type executed struct {
	path, facts string
	own         bool // a user other than root can write it
}

// executes lists those of a plan, and of the files that they execute in turn.
func (p *Plan) executes(list []executed) []executed {
	for i := range p.Programs {
		if x := &p.Programs[i]; x.Path != "" {
			var f Facts
			f.program(x)
			list = append(list, executed{x.Path, string(f), x.Sum != ""})
		}
	}
	for i := range p.Contents {
		x := &p.Contents[i]
		var f Facts
		if x.Why == notRegular { // its time changes with each read and write
			f.place(x.Path, x.ID)
		} else {
			f.content(x)
		}
		list = append(list, executed{x.Path, string(f), x.Why != onlyRoot && x.Why != notRegular})
	}
	for i := range p.Inner {
		list = p.Inner[i].Plan.executes(list)
	}
	return list
}
