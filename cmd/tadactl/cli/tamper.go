package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
)

func (c *ctl) tamper() *cobra.Command {
	cmd := &cobra.Command{Use: "tamper"}
	cmd.PersistentFlags().BoolVar(&c.paranoid, "paranoid", false, "")
	cmd.AddCommand(c.tamperStatus(), c.tamperDiff(), c.tamperAccept(), c.tamperRestore(),
		c.tamperLog())
	return cmd
}

// review looks at the protected files of the current directory.
func (c *ctl) review() (*launcher.Review, error) {
	l, dir, err := c.openHere()
	if err != nil {
		return nil, err
	}
	return l.Review(dir, c.paranoid)
}

// reviewToMend is like review, but also works with a refused configuration.
func (c *ctl) reviewToMend() (*launcher.Review, error) {
	l, err := c.openBy(launcher.Place.OpenToMend)
	if err != nil {
		return nil, err
	}
	dir, err := here()
	if err != nil {
		return nil, err
	}
	return l.Review(dir, c.paranoid)
}

// tellRefused prints what is wrong with the configuration: nothing runs until it is repaired.
func (c *ctl) tellRefused(v *launcher.Review) {
	if v.Refused != nil {
		fmt.Fprintf(c.err, "tadactl: the configuration is refused, so nothing runs: %v\n",
			v.Refused)
	}
}

func (c *ctl) tamperStatus() *cobra.Command {
	return verb("status", cobra.NoArgs, func(*cobra.Command, []string) error {
		v, err := c.reviewToMend()
		if err != nil {
			return err
		}
		c.tellRefused(v)
		if len(v.Findings) > 0 {
			c.status = exit.Tampered
		}
		if c.json {
			return c.printJSON(statusFacts(v))
		}
		return c.printStatus(v)
	})
}

// fileState returns the state of a protected file, as one word.
func fileState(v *launcher.Review, path string) string {
	for _, f := range v.Findings {
		if f.Path == path {
			return string(f.Kind)
		}
	}
	return "clean"
}

func statusFacts(v *launcher.Review) map[string]any {
	files := []map[string]string{}
	for _, path := range v.Files {
		files = append(files, map[string]string{"path": path, "state": fileState(v, path)})
	}
	findings := []any{}
	for _, f := range v.Findings {
		findings = append(findings, map[string]string{
			"path": f.Path, "kind": string(f.Kind), "expected": f.Was.Checksum(),
			"actual": f.Now.Checksum(), "digest": f.Digest,
		})
	}
	return map[string]any{"workspace": v.Root(), "tamper_proof": v.TamperProof,
		"pending": v.Pending, "files": files, "findings": findings}
}

func (c *ctl) printStatus(v *launcher.Review) error {
	mode := "off: a change from outside is reported, archived and accepted;\n" +
		"              tada-run's configuration and hook settings always wait for you"
	if v.TamperProof {
		mode = "on: after a change from outside nothing runs until you decide"
	}
	fmt.Fprintf(c.out, "tamper_proof  %s\n", mode)
	if v.Pending {
		fmt.Fprintf(c.out,
			"              it was switched off in a file, and stays on until: tadactl tamper "+
				"accept %s\n", launcher.ModeName)
	}
	for _, path := range v.Files {
		fmt.Fprintf(c.out, "%-16s  %s\n", fileState(v, path), inert(path))
	}
	if len(v.Findings) > 0 {
		fmt.Fprintln(c.out, "try: tadactl tamper diff")
	}
	return nil
}

func (c *ctl) tamperDiff() *cobra.Command {
	return verb("diff [PATH ...]", nil, func(_ *cobra.Command, args []string) error {
		v, err := c.reviewToMend()
		if err != nil {
			return err
		}
		c.tellRefused(v)
		for _, path := range chosen(v, args) {
			d, err := v.Diff(path)
			if err != nil {
				return &exitError{err, exit.Tampered}
			}
			c.status = exit.Tampered
			if c.json {
				err = c.printJSON(map[string]string{"path": d.Path, "kind": string(d.Kind),
					"digest": d.Digest, "diff": d.Text})
			} else {
				_, err = fmt.Fprint(c.out, d.Text)
			}
			if err != nil {
				return err
			}
		}
		switch {
		case c.status != exit.Tampered || c.json:
		case v.Refused != nil: // nothing is accepted under an unknown configuration
			fmt.Fprintln(c.err, "tadactl: try: tadactl tamper restore")
		default:
			fmt.Fprintln(c.err, "tadactl: try: tadactl tamper accept, or: tadactl tamper restore")
		}
		return nil
	})
}

// chosen returns the files that the person named, or all that differ.
func chosen(v *launcher.Review, args []string) []string {
	var paths []string
	for _, a := range args {
		paths = append(paths, v.Path(a))
	}
	if len(args) == 0 {
		for _, f := range v.Findings {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// A decision is the result of a decision about a file.
type decision struct{ checksum, archive string }

// decide goes through the files that a decision is about, one after the other: the named one, or
// all that differ. Each of several is shown on the person's terminal and confirmed there; a single
// one only if ask is set. A file that fails, or is not confirmed, does not stop the others.
func (c *ctl) decide(v *launcher.Review, args []string, ask bool, question func(path string) string,
	word string, do func(path, digest string) (decision, error)) error {
	paths := chosen(v, args)
	if len(paths) == 0 {
		return failf(exit.Usage, "no protected file was changed: nothing to decide")
	}
	var problems []error
	status := exit.Tampered
	for _, path := range paths {
		digest := ""
		if ask || len(paths) > 1 {
			var err error
			if digest, err = c.confirm(v, path, question(path)); errors.Is(err, errUnconfirmed) {
				status = exit.Pending
			}
			if err != nil {
				problems = append(problems, err)
				continue
			}
		}
		d, err := do(path, digest)
		if errors.Is(err, approval.ErrPeer) {
			return err
		}
		if err == nil {
			err = c.reviewed(word, path, d.checksum, d.archive)
		}
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return &exitError{err, status}
	}
	return nil
}

func (c *ctl) tamperAccept() *cobra.Command {
	var reason, digest string
	cmd := verb("accept [PATH] [--reason WHY]", cobra.MaximumNArgs(1), func(cmd *cobra.Command,
		args []string) error {
		if !cmd.Flags().Changed("reason") && term.IsTerminal(int(c.in.Fd())) {
			reason = "accepted at the terminal"
		}
		switch {
		case strings.TrimSpace(reason) != "":
		case cmd.Flags().Changed("reason"):
			return usagef("--reason is empty: say why the change is right")
		default:
			return usagef("without a terminal, --reason is required: say why the change is right")
		}
		v, err := c.review()
		if err != nil {
			return err
		}
		if len(args) == 1 && args[0] == launcher.ModeName {
			if err := v.ConfirmMode(reason); errors.Is(err, approval.ErrPeer) {
				return err
			} else if err != nil {
				return &exitError{err, exit.Tampered}
			}
			return c.reviewed("confirmed", launcher.ModeName, "", "")
		}
		if paths := chosen(v, args); digest != "" && len(paths) > 1 {
			return usagef("%s were changed, and --digest is of one; name it: %s",
				audit.Plural(len(paths), "file"), joined(paths))
		}
		return c.decide(v, args, digest == "",
			func(string) string { return "accept exactly this" }, "accepted",
			func(path, shown string) (decision, error) {
				e, err := v.Accept(path, cmp.Or(digest, shown), reason)
				return decision{e.Checksum, v.ArchivePath(e)}, err
			})
	})
	cmd.Flags().StringVar(&reason, "reason", "", "")
	cmd.Flags().StringVar(&digest, "digest", "", "")
	return cmd
}

// joined returns names in one line.
func joined(paths []string) string {
	var names []string
	for _, path := range paths {
		names = append(names, inert(path))
	}
	return strings.Join(names, " ")
}

var errUnconfirmed = errors.New("not confirmed; left unchanged")

// confirm shows a difference on the person's terminal, asks, and returns the digest of what was
// confirmed. Without a terminal, what was shown before has to be enough.
func (c *ctl) confirm(v *launcher.Review, path, question string) (string, error) {
	if !v.AtPerson() {
		return "", nil // the decision is refused, with the reason
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "", fmt.Errorf("open the terminal: %w", err)
	}
	defer tty.Close()
	d, err := v.Diff(path)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(tty, "%s%s? type yes: ", d.Text, question)
	line, _ := bufio.NewReader(tty).ReadString('\n')
	if strings.TrimSpace(line) != "yes" {
		return "", fmt.Errorf("%s: %w", inert(path), errUnconfirmed)
	}
	return d.Digest, nil
}

func (c *ctl) tamperRestore() *cobra.Command {
	return verb("restore [PATH]", cobra.MaximumNArgs(1), func(_ *cobra.Command,
		args []string) error {
		v, err := c.reviewToMend()
		if err != nil {
			return err
		}
		question := func(path string) string {
			if v.Created(path) {
				return "this file was not there: delete it"
			}
			return "put back what was there"
		}
		return c.decide(v, args, false, question, "restored", func(path, _ string) (decision,
			error) {
			e, err := v.Restore(path)
			return decision{e.Checksum, v.ArchivePath(e)}, err
		})
	})
}

// reviewed prints what was decided.
func (c *ctl) reviewed(word, path, checksum, archive string) error {
	if c.json {
		return c.printJSON(map[string]string{"path": path, "decision": word, "checksum": checksum,
			"archive": archive})
	}
	_, err := fmt.Fprintf(c.out, "%s %s\n", word, inert(path))
	if err == nil && archive != "" {
		_, err = fmt.Fprintf(c.out, "archive %s\n", inert(archive))
	}
	return err
}

func (c *ctl) tamperLog() *cobra.Command {
	return verb("log", cobra.NoArgs, func(*cobra.Command, []string) error {
		l, err := c.openBy(launcher.Place.OpenToMend)
		if err != nil {
			return err
		}
		events, err := l.TamperLog()
		for _, e := range events {
			if c.json {
				if err := c.printJSON(e); err != nil {
					return err
				}
				continue
			}
			if _, err := fmt.Fprintln(c.out, e.Line()); err != nil {
				return err
			}
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return &exitError{err, exit.Tampered}
		}
		return nil
	})
}
