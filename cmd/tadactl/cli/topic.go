package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/docs"
)

// topic is `tadactl help`: a page of docs/, or what the verb's --help prints. A page goes before a
// verb of the same name, and says how to read the other.
func (c *ctl) topic() *cobra.Command {
	cmd := verb("help [TOPIC | COMMAND]", nil, func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && args[0] == "topics" {
			return c.topics()
		}
		about, _, err := cmd.Root().Find(args)
		if len(args) == 1 {
			if page, ok := docs.Page(args[0]); ok {
				return c.page(page, err == nil, args[0])
			}
		}
		if err != nil || about.HasParent() && about.Name() != args[len(args)-1] {
			return usagef("no topic or command %q; try: tadactl help topics", args)
		}
		fmt.Fprint(c.out, help(about))
		return nil
	})
	for _, t := range docs.Topics() {
		cmd.ValidArgs = append(cmd.ValidArgs, t.Name+"\t"+t.About)
	}
	cmd.ValidArgs = append(cmd.ValidArgs, "topics\tthe list of pages")
	return cmd
}

// topics lists the pages.
func (c *ctl) topics() error {
	list := docs.Topics()
	if c.json {
		return c.printJSON(list)
	}
	for _, t := range list {
		fmt.Fprintf(c.out, "  %-16s %s\n", t.Name, t.About)
	}
	return nil
}

// page prints a page. A verb of that name is mentioned at the end.
func (c *ctl) page(text string, isVerb bool, name string) error {
	return c.paged(func(w io.Writer) error {
		if _, err := io.WriteString(w, docs.Plain(text)); err != nil {
			return err
		}
		if isVerb {
			_, err := fmt.Fprintf(w, "\nThe command: tadactl %s --help\n", name)
			return err
		}
		return nil
	})
}
