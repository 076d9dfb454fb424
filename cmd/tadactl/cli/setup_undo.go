package cli

import (
	"errors"
	"fmt"

	"github.com/tada-run/tada-run/integration/hook/settings"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// A backFile is a file that setup has changed, and what becomes of it.
type backFile struct {
	setupFile
	kept     setup.File
	standing setup.Standing
	left     string // why it is left as it is; "" if it is put back
}

// setUpBack shows the files that setup has changed as they were, asks, and puts them back.
func (c *ctl) setUpBack(l *launcher.Launcher, o setupFlags) error {
	files, err := c.filesToPutBack(l, o.agents)
	if err != nil {
		return err
	}
	var changes []*setupFile
	for _, f := range files {
		if f.changes() {
			changes = append(changes, &f.setupFile)
		}
	}
	if !c.json {
		c.printBack(files)
	}
	if !o.show {
		if err := c.consent(o, changes); err != nil {
			return err
		}
		for _, f := range files {
			c.putBack(l, f)
		}
	}
	return c.printLeft(files, changes, o.show)
}

// filesToPutBack are those that setup has changed, for some agents or for all.
func (c *ctl) filesToPutBack(l *launcher.Launcher, names []string) (list []*backFile, err error) {
	var platforms []string
	for _, name := range names {
		a, err := agentCalled(name)
		if err != nil {
			return nil, err
		}
		platforms = append(platforms, a.platform)
	}
	all, err := l.Settings().Kept()
	if err != nil {
		return nil, err
	}
	for _, kept := range setup.Of(all, platforms) {
		f, err := c.backFile(l, kept)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func (c *ctl) backFile(l *launcher.Launcher, kept setup.File) (*backFile, error) {
	r, err := c.registration(kept.Platform, 0)
	if err != nil {
		return nil, err
	}
	r.file = kept.Path
	f := &backFile{setupFile: setupFile{registration: r}, kept: kept}
	f.was, f.standing, err = l.Settings().Standing(kept, c.ours(l, r))
	f.want = f.was
	switch _, change, _ := l.Settings().Protected(r.file); {
	case err != nil:
		f.left = err.Error()
	case change != "":
		f.left = unreviewed
	case f.standing == setup.AsWritten:
		f.want = kept.Before
		if err := setup.Changeable(r.file); err != nil {
			f.left, f.want = err.Error(), f.was
		}
	case f.standing == setup.Changed:
		f.left = f.changed()
	}
	return f, nil
}

// changed says what to do about a file that someone has changed.
func (f *backFile) changed() string {
	text := fmt.Sprintf("it was changed since setup wrote it, and is left as it is; to take out "+
		"only what setup added: tadactl hook uninstall %s", f.Platform)
	if _, known := settings.ShellOf(f.Platform); known {
		text += "; tadactl shell uninstall " + f.Platform
	}
	return text
}

// unreviewed says what to do about a file that someone has changed, and nobody has looked at.
const unreviewed = "it was changed from outside, and is left as it is; look at the change: " +
	"tadactl tamper diff; then restore or accept it, and run this again"

// putBack puts one file back, or notes why it is left.
func (c *ctl) putBack(l *launcher.Launcher, f *backFile) {
	if f.left != "" {
		return
	}
	err := l.Settings().TakeBack(f.kept, c.ours(l, f.registration))
	switch {
	case errors.As(err, new(*tamper.TamperError)):
		f.left = unreviewed
	case errors.Is(err, setup.ErrChanged):
		f.left = f.changed()
	case err != nil:
		f.left = err.Error()
	}
}

func (c *ctl) printBack(files []*backFile) {
	for _, f := range files {
		if f.changes() {
			fmt.Fprintf(c.out, "%s %s\n%s\n", f.doing(), inert(f.file),
				difference(f.file, f.was, f.want))
		}
	}
}

// printLeft prints what became of each file.
func (c *ctl) printLeft(files []*backFile, changes []*setupFile, show bool) error {
	list := []any{}
	for _, f := range files {
		word := "put back"
		switch {
		case f.left != "":
			word = "left"
			c.status = 1
		case show:
			word = "would put back"
		case f.standing == setup.Without:
			word = "without it"
		}
		list = append(list, map[string]string{"file": f.file, "done": word, "why": f.left,
			"diff": difference(f.file, f.was, f.want)})
		if !c.json && (f.left != "" || !show) {
			fmt.Fprintf(c.out, "%-10s %s\n", word, inert(f.file))
			if f.left != "" {
				fmt.Fprintf(c.out, "%-10s %s\n", "", visible(f.left))
			}
		}
	}
	switch {
	case c.json:
		return c.printJSON(map[string]any{"files": list, "plan": digestOf(changes), "done": !show})
	case len(files) == 0:
		fmt.Fprintln(c.out, "nothing to undo: setup has changed no file")
	case show && len(changes) > 0:
		fmt.Fprintf(c.out, "nothing was changed; to do exactly this without being asked: "+
			"tadactl setup --undo --plan %s\n", digestOf(changes))
	}
	return nil
}
