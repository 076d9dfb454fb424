package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/pathguard"
)

func (c *ctl) policy() *cobra.Command {
	cmd := &cobra.Command{Use: "policy", Short: "Show, check or start the policy"}
	cmd.AddCommand(c.policyShow(), c.policyCheck(), c.policyInit(), c.policyLearn())
	return cmd
}

func (c *ctl) policyShow() *cobra.Command {
	return verb(&cobra.Command{
		Use:   "show",
		Short: "Print the settings in force and the built-in table",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(policyFacts(l.Policy()))
			}
			return c.printPolicy(l.Policy())
		},
	})
}

// policyFacts is the policy as --json prints it: the settings by the names of the file, and
// the table as place, action, verdict.
func policyFacts(p pathguard.Policy) map[string]any {
	table := map[string]map[string]string{}
	for _, row := range pathguard.Table() {
		cells := map[string]string{}
		for i, cell := range row.Cells {
			cells[pathguard.Action(i).String()] = cell.Decision.String()
		}
		table[row.Place.String()] = cells
	}
	s := p.Settings()
	return map[string]any{
		"digest": p.Digest(), "notes": p.Notes(), "table": table,
		"security": map[string]any{
			"command_level": s.Level.String(), "restricted_paths": s.RestrictedPaths, "readonly_paths": s.ReadOnlyPaths,
			"allow_shell": s.AllowShell, "allow_terminal_takeover": s.AllowTerminalTakeover,
			"tamper_proof": s.TamperProof, "protect": s.Protect,
		},
		"network": map[string]any{
			"default": s.Network.String(), "allow": s.NetworkAllow, "localhost": !s.NoLocalhost, "registries": s.Registries,
		},
		"sandbox": map[string]any{"require": s.Require.String()},
	}
}

func (c *ctl) printPolicy(p pathguard.Policy) error {
	s := p.Settings()
	fmt.Fprintf(c.out, "command_level  %s\nallow_shell    %v\nnetwork        %s\nrequire        %s\n", s.Level, s.AllowShell, s.Network, s.Require)
	for _, list := range []struct {
		name  string
		paths []string
	}{{"restricted", s.RestrictedPaths}, {"read-only", s.ReadOnlyPaths}, {"protected", s.Protect}, {"hosts", s.NetworkAllow}, {"registries", s.Registries}} {
		if len(list.paths) > 0 {
			fmt.Fprintf(c.out, "%-14s %s\n", list.name, strings.Join(list.paths, " "))
		}
	}
	for _, note := range p.Notes() {
		fmt.Fprintf(c.out, "note           %s\n", note)
	}
	fmt.Fprintf(c.out, "digest         %s\n\n", p.Digest())
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for i, row := range pathguard.Table() {
		if i == 0 {
			fmt.Fprint(w, "where it is")
			for a := range row.Cells {
				fmt.Fprintf(w, "\t%s", pathguard.Action(a))
			}
			fmt.Fprintln(w)
		}
		fmt.Fprint(w, row.Place)
		for _, cell := range row.Cells {
			fmt.Fprintf(w, "\t%s", cell.Decision)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

func (c *ctl) policyCheck() *cobra.Command {
	return verb(&cobra.Command{
		Use:   "check",
		Short: "Read the configuration and say whether it would be accepted",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(map[string]string{"digest": l.Policy().Digest()})
			}
			_, err = fmt.Fprintf(c.out, "ok, digest %s\n", l.Policy().Digest())
			return err
		},
	})
}

func (c *ctl) policyInit() *cobra.Command {
	return verb(&cobra.Command{
		Use:   "init",
		Short: "Write a commented configuration, if there is none",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			path := l.Home().Config()
			err = l.InitConfig(sampleConfig)
			if errors.Is(err, fs.ErrExist) {
				return &exitError{fmt.Errorf("%q is there already; edit it, then: tadactl policy check", path), launcher.ExitConfig}
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.out, "wrote %s\nafter you have edited it: tadactl policy check; tadactl tamper accept --reason WHY\n", path)
			return err
		},
	})
}

// sampleConfig says the defaults: a file made of it changes nothing.
const sampleConfig = `# tada-run: what may happen without a question. See: tadactl policy show
# After a change here: tadactl policy check; tadactl tamper accept --reason WHY
security:
  command_level: dangerous        # always | dangerous | never (never asks: what would ask is denied)
  restricted_paths: []            # no access at all: [/etc/shadow, ~/.aws]
  readonly_paths: []              # writing asks: [~/.ssh]
  allow_shell: true               # false: one simple command of literal words only
  allow_terminal_takeover: true
  tamper_proof: false
  protect: [TODO.md]
network:
  default: off                    # off: the hosts that a command line names; list: only allow; on: all
  allow: []                       # and what a command that contacts anybody may reach too: [api.example.com:443, "*.corp.example", 10.1.0.0/16]
  localhost: true                 # this machine's servers, and being one of them
  registries: []                  # whose package tools reach them: [npm, pip, go, cargo, apt, gem]
sandbox:
  require: base                   # strong: refuse to run where namespaces are not available
`
