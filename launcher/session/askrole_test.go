//go:build linux

package session

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

var errElsewhere = errors.New("answered elsewhere")

// askRole asks one question on its standard input's terminal and reports on descriptor 3.
// A line on descriptor 4, or its end, takes the question back.
func askRole(args []string) {
	flags := flag.NewFlagSet("ask", flag.ExitOnError)
	challenge := flags.String("challenge", "", "")
	length := flags.Int("lines", 3, "")
	quiet := flags.Duration("quiet", 20*time.Millisecond, "")
	guard := flags.Duration("guard", 50*time.Millisecond, "")
	limit := flags.Duration("timeout", 0, "")
	others := flags.String("others", "", "")
	flags.Parse(args)

	ctx, cancel := context.WithCancelCause(context.Background())
	if answered := os.NewFile(4, "answered"); answered != nil {
		go func() {
			if _, err := bufio.NewReader(answered).ReadString('\n'); err == nil {
				cancel(errElsewhere)
			}
		}()
	}
	render := func(width int, full bool) string {
		var b strings.Builder
		fmt.Fprintf(&b, "QUESTION width %d full %v\n", width, full)
		for i := range *length {
			fmt.Fprintf(&b, "line %d.\n", i+1)
		}
		return b.String()
	}
	reply, err := Ask(ctx, os.Stdin, render, AskOptions{
		Challenge: *challenge, Quiet: *quiet, Guard: *guard, Timeout: *limit,
		Others: []rune(*others),
	})
	cancel(nil)
	text := fmt.Sprintf("%v %q", reply.Answer, reply.Key)
	if err != nil {
		text = "error " + err.Error()
	}
	fmt.Fprintln(os.NewFile(3, "report"), text)
	if interrupted := (*Interrupted)(nil); errors.As(err, &interrupted) {
		os.Exit(7)
	}
	os.Exit(0)
}
