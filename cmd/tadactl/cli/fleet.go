package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/cmd/tada-fleet/verbs"
	"github.com/tada-run/tada-run/integration/distant"
	"github.com/tada-run/tada-run/launcher/exit"
)

// fleet has the verbs of a fleet. Each replaces this process by tada-fleet with the words of argv,
// so that this program links no client of etcd.
func (c *ctl) fleet(argv []string) *cobra.Command {
	cmd := &cobra.Command{Use: "fleet"}
	cmd.AddCommand(verbs.All(new(verbs.Options), func(string, *cobra.Command, []string) error {
		words := slices.Clone(argv)
		// if it is also the value of an option before the verb, the rest is the same
		if i := slices.Index(words, cmd.Name()); i > 0 {
			words = slices.Delete(words, i, i+1)
		}
		return execFleet(words[1:])
	})...)
	var each func(*cobra.Command)
	each = func(cmd *cobra.Command) {
		cmd.Args = strictly(cmd.Args)
		for _, below := range cmd.Commands() {
			each(below)
		}
	}
	each(cmd)
	return cmd
}

// execFleet replaces this process by the program, with words.
func execFleet(words []string) error {
	path, err := distant.Program()
	if err != nil {
		return failf(exit.Failed, "%w", err)
	}
	return unix.Exec(path, append([]string{distant.Name}, words...), os.Environ())
}

// fleetRebuild rebuilds the approvals of a machine whose fleet has them.
func (c *ctl) fleetRebuild() error {
	return execFleet(append([]string{"rebuild"}, c.global()...))
}

// global are the options that every verb has.
func (c *ctl) global() (words []string) {
	if c.place.State != "" {
		words = append(words, "--home="+c.place.State)
	}
	if c.json {
		words = append(words, "--json")
	}
	return words
}

// A shipped is a record in a bucket, and what a reader of it has.
type shipped struct {
	identities, documents  []string
	endpoint, region, copy string
	ask                    bool
}

// ofBucket are the options of a shipped.
var ofBucket = []string{"identity", "document", "endpoint", "region", "copy", "ask"}

// options are for a verb whose record may be in a bucket.
func (d *shipped) options(flags *pflag.FlagSet) {
	flags.StringArrayVar(&d.identities, "identity", nil, "")
	flags.StringArrayVar(&d.documents, "document", nil, "")
	flags.StringVar(&d.endpoint, "endpoint", "", "")
	flags.StringVar(&d.region, "region", "", "")
	flags.StringVar(&d.copy, "copy", "", "")
	flags.BoolVar(&d.ask, "ask", false, "")
}

// verify proves what the bucket of a URL has of the machines whose ids follow.
func (d shipped) verify(c *ctl, words []string) error {
	if !strings.HasPrefix(words[0], bucketScheme) {
		return usagef("%q is not the URL of a bucket: s3://BUCKET", words[0])
	}
	line := append([]string{"verify", "--bucket=" + words[0]}, c.global()...)
	for _, path := range d.identities {
		line = append(line, "--identity="+path)
	}
	for _, path := range d.documents {
		line = append(line, "--document="+path)
	}
	for name, value := range map[string]string{"endpoint": d.endpoint, "region": d.region,
		"copy": d.copy} {
		if value != "" {
			line = append(line, "--"+name+"="+value)
		}
	}
	if d.ask {
		line = append(line, "--ask")
	}
	return execFleet(append(append(line, "--"), words[1:]...))
}

// bucketScheme begins the URL of a bucket.
const bucketScheme = "s3://"
