package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/cmd/tada-fleet/verbs"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/integration/fleet/ship"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/prompt"
)

// ship says where records are copied to, or prints it.
func (f *fleet) ship(cmd *cobra.Command, _ []string) error {
	o := f.o.Ship
	switch {
	case o.Off:
		return f.change(cmd, func(next *document.Fleet) error {
			next.Ship = document.Shipping{}
			return nil
		}, "nothing is shipped any more; what was shipped stays in the bucket")
	case o.Bucket == "" && o.Endpoint == "" && len(o.Recipients) == 0:
		return f.shipping(cmd)
	case o.Bucket == "" || o.Endpoint == "" || len(o.Recipients) == 0:
		return usagef("--endpoint, --bucket and at least one --recipient are needed")
	}
	to, err := shippingOf(o)
	if err != nil {
		return &usageError{err}
	}
	return f.change(cmd, func(next *document.Fleet) error {
		next.Ship = to
		return nil
	}, fmt.Sprintf("machines ship their records to %q; each needs the key of the bucket: "+
		"tadactl fleet ship-key. Readers need a line that tadactl fleet ship prints", o.Bucket))
}

// shippingOf checks what package document does not know.
func shippingOf(o verbs.Ship) (document.Shipping, error) {
	to := document.Shipping{Endpoint: strings.TrimSuffix(o.Endpoint, "/"),
		Bucket: strings.TrimPrefix(o.Bucket, bucketScheme), Region: o.Region,
		Recipients: o.Recipients}
	if _, err := ship.Recipients(o.Recipients); err != nil {
		return to, err
	}
	for _, text := range o.Witnesses {
		key, url, ok := strings.Cut(text, ",")
		if !ok {
			return to, fmt.Errorf("--witness %q: it must be KEY,URL", text)
		}
		if _, err := audit.NewWitnessKey(key); err != nil {
			return to, err
		}
		to.Witnesses = append(to.Witnesses, document.Witness{Key: key, URL: url})
	}
	return to, nil
}

// shipping prints where records are copied to.
func (f *fleet) shipping(cmd *cobra.Command) error {
	return f.looking(cmd, func(ctx context.Context, d desk) error {
		now, err := d.Fleet(ctx)
		if err != nil {
			return err
		}
		to := now.Ship
		if to.Nowhere() {
			return f.say(map[string]any{"bucket": ""}, "nothing is shipped\n")
		}
		text := fmt.Sprintf("bucket %q at %q\n", to.Bucket, to.Endpoint)
		text += fmt.Sprintf("the file of the team's key needs this line: %s\n", ship.PinLine(now))
		for _, r := range to.Recipients {
			text += fmt.Sprintf("recipient %q\n", r)
		}
		witnesses := []string{}
		for _, w := range to.Witnesses {
			witnesses = append(witnesses, w.URL)
			text += fmt.Sprintf("witness %q at %q\n", w.Key, w.URL)
		}
		return f.say(map[string]any{"bucket": to.Bucket, "endpoint": to.Endpoint,
			"region": to.Region, "recipients": to.Recipients, "witnesses": witnesses,
			"line": ship.PinLine(now)}, "%s", text)
	})
}

// shipKey stores the key of the bucket on this machine: two lines from the standard input, or what
// is typed.
func (f *fleet) shipKey(cmd *cobra.Command, _ []string) error {
	// whoever could set it could have the record go nowhere
	if err := caller.Outside(approval.Enrol); err != nil {
		return err
	}
	l, err := f.place.Open()
	if err != nil {
		return err
	}
	folder := member.In(l.Home())
	if _, err := folder.Load(); err != nil {
		return err
	}
	var words []string
	if term.IsTerminal(int(os.Stdin.Fd())) {
		for _, what := range []string{"access key id: ", "secret: "} {
			word, err := prompt.ReadSecret(cmd.Context(), os.Stdin, what)
			if err != nil {
				return err
			}
			words = append(words, strings.TrimSpace(word))
		}
	} else {
		for lines := bufio.NewScanner(os.Stdin); len(words) < 3 && lines.Scan(); {
			words = append(words, strings.TrimSpace(lines.Text()))
		}
	}
	if len(words) != 2 || len(strings.Fields(strings.Join(words, " "))) != 2 {
		return errors.New("two lines are needed: the id of the access key, and its secret")
	}
	if err := folder.SetShipKey(words[0], words[1]); err != nil {
		return err
	}
	return f.say(map[string]any{"done": "stored"}, "stored\n")
}
