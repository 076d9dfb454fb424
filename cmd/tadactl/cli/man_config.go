package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/pathguard"
)

// What is in tada-config(5) and in docs/configuration.md.
const (
	configFiles = "/etc/tada/config.yaml\n~/.tada/config.yaml\nWORKSPACE/.tada/config.yaml"

	aboutConfig = `A configuration is YAML of at most 1 MiB, without aliases. Every key is optional. An unknown key, a wrong value or a duplicate key is an error, reported with file and line, and nothing runs (exit status 78).

The files are read in the order above. The first one found, /etc/tada/config.yaml (which root must own) or your own, replaces the defaults; every later file can only make the policy stricter, with one exception: a workspace's file comes from the repository, and a rule in it that allows has no effect until you accept exactly this file with tadactl policy accept. tadactl policy show lists the rules without effect.

Other users may read these files. A file that they can write, or that is below a directory that they can write, is refused, with the command that fixes it.

Change your file with tadactl policy edit. Any other change is reported, and nothing runs until you accept it with tadactl tamper accept. tadactl policy show prints what is in force and where each value comes from.

A path starts with /, with ~/ (your home directory) or with **/ (any depth); in a workspace's file it may be relative. It covers everything below it. Any part of it may be a shell pattern.

When several rules match, the strictest verdict wins: deny, then ask, then allow. A rule that allows overrides a built-in question about what it names, but never a denial.`

	exampleConfig = "security: {restricted_paths: [~/.aws]}\nrules:\n" +
		"  commands:\n    - {program: git, args: [push], flags: [--force], verdict: deny, " +
		"message: not from here}"
)

// manOfConfig is tada-config(5): the table of keys, in sections.
func manOfConfig() string {
	var b strings.Builder
	manHeadOf(&b, "tada-config", 5, "configuration of tada-run")
	b.WriteString(".SH SYNOPSIS\n.nf\n" + configFiles + "\n.fi\n.SH DESCRIPTION\n")
	manText(&b, aboutConfig)
	for _, section := range configSections() {
		fmt.Fprintf(&b, ".SH %s\n", cmp.Or(roff(strings.ToUpper(section.name)), "OTHER KEYS"))
		for _, k := range section.keys {
			manKey(&b, k)
		}
	}
	b.WriteString(".SH EXAMPLE\n")
	manLiteral(&b, exampleConfig)
	b.WriteString(
		".SH SEE ALSO\n.BR tadactl-policy (1),\n.BR tadactl-tamper (1),\n.BR tada-run (1)\n")
	return b.String()
}

// A configSection is the keys with the same word before the dot; its name is "" for those without.
type configSection struct {
	name string
	keys []pathguard.Key
}

func configSections() (list []configSection) {
	for _, k := range pathguard.Keys() {
		name, _, nested := strings.Cut(k.Name, ".")
		if !nested {
			name = ""
		}
		if n := len(list); n == 0 || list[n-1].name != name {
			list = append(list, configSection{name: name})
		}
		last := &list[len(list)-1]
		last.keys = append(last.keys, k)
	}
	return list
}

// manKey writes one row of the table.
func manKey(b *strings.Builder, k pathguard.Key) {
	about := k.About + " Type: " + k.Type
	if k.Values != "" {
		about += " (" + k.Values + ")"
	}
	if unit := k.Unit(); unit != "" {
		about += "; unit: " + unit
	}
	about += "."
	if k.Default != "" {
		about += " Default: " + k.Default + "."
	}
	about += " Since " + k.Since + "."
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n.br\nExample: %s\n", roff(k.Name), roff(about), roff(k.Example))
}
