package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/integration/quarantine"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/exit"
)

// exitTimeout is the exit status of timeout(1).
const exitTimeout = 124

// quarantineDir contains the sockets, and the memory of which agents were confined.
func quarantineDir(l *launcher.Launcher) string {
	return l.Home().Quarantine()
}

// forgetAfter is how long the agents of a session that is over stay confined. A platform that keeps
// a conversation for longer gives it another id when it is resumed.
const forgetAfter = 24 * time.Hour

// A quarantineState is what every session of these verbs needs.
type quarantineState struct {
	l        *launcher.Launcher
	sessions quarantine.Sessions
	slots    *quarantine.Slots
	log      *quarantine.Log
}

func (c *ctl) quarantineState() (*quarantineState, error) {
	l, err := c.open()
	if err != nil {
		return nil, err
	}
	w := &quarantineState{l: l}
	if w.slots, err = quarantine.NewSlots(filepath.Join(quarantineDir(l), "slots")); err != nil {
		return nil, err
	}
	kept := filepath.Join(l.Home().Dir, "quarantine")
	if err := os.MkdirAll(kept, 0o700); err != nil {
		return nil, err
	}
	w.log, err = quarantine.OpenLog(filepath.Join(kept, quarantine.LogName))
	return w, err
}

// quarantineFlags are the flags of start and run.
type quarantineFlags struct {
	root         string
	ttl, timeout time.Duration
	bind         bool
}

func (f *quarantineFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.root, "root", ".",
		"the directory under review; no references to files outside it")
	cmd.Flags().DurationVar(&f.ttl, "ttl", quarantine.DefaultTTL, "how long a reference is valid")
	cmd.Flags().DurationVar(&f.timeout, "timeout", quarantine.DefaultTimeout,
		"how long the agent may work")
	cmd.Flags().BoolVar(&f.bind, "sha", false,
		"references are valid only while the files keep their content")
}

func (f *quarantineFlags) check() error {
	if f.ttl <= 0 || f.timeout <= 0 {
		return usagef("--ttl and --timeout must be above 0")
	}
	return nil
}

func (w *quarantineState) options(f quarantineFlags) (quarantine.Options, error) {
	root, err := filepath.Abs(f.root)
	if err != nil {
		return quarantine.Options{}, err
	}
	return quarantine.Options{
		Root: root, TTL: f.ttl, Timeout: f.timeout,
		MayRead:   func(path string) error { return forbidden(w.l.MayRead(root, path)) },
		MaySearch: func(path string) error { return forbidden(w.l.MaySearch(path)) },
	}, nil
}

// forbidden words a refusal by policy of something that is not a script.
func forbidden(err error) error {
	if f, ok := errors.AsType[*launcher.ForbiddenError](err); ok {
		return fmt.Errorf("%q may not be read: %s", f.Path, f.Reason)
	}
	return err
}

// refer signs references to files that are named from the caller's directory.
func refer(s *quarantine.Session, files []string, bind bool) ([]quarantine.Reference, error) {
	references := []quarantine.Reference{}
	for _, name := range files {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		r, err := s.Refer(path, bind)
		if err != nil {
			return nil, err
		}
		references = append(references, r)
	}
	return references, nil
}

func (c *ctl) quarantineStart() *cobra.Command {
	var f quarantineFlags
	var agents, platforms []string
	cmd := verb("start [FILE ...]", cobra.ArbitraryArgs, func(cmd *cobra.Command,
		files []string) error {
		if err := f.check(); err != nil {
			return err
		}
		return c.hold(cmd.Context(), f, agents, platforms, files)
	})
	f.add(cmd)
	cmd.Flags().StringArrayVar(&agents, "agent", nil, "")
	cmd.Flags().StringArrayVar(&platforms, "platform-session", nil, "")
	return cmd
}

// aSession is what start prints.
type aSession struct {
	Session    string            `json:"session"`
	Root       string            `json:"root"`
	TTL        int               `json:"ttl_seconds"`
	Timeout    int               `json:"timeout_seconds"`
	References []string          `json:"references"`
	System     string            `json:"system_prompt"`
	User       string            `json:"user_prompt"`
	Env        map[string]string `json:"environment"`
}

func (c *ctl) hold(ctx context.Context, f quarantineFlags, agents, platforms,
	files []string) error {
	w, err := c.quarantineState()
	if err != nil {
		return err
	}
	defer w.log.Close()
	if err := quarantine.Harden(); err != nil {
		return err
	}
	o, err := w.options(f)
	if err != nil {
		return err
	}
	s, err := w.sessions.Create(o)
	if err != nil {
		return err
	}
	defer func() { _ = w.sessions.Destroy(s.ID) }()
	if len(agents) == 0 {
		agents = []string{s.ID}
	}
	for _, id := range agents {
		if _, err := s.Register(id, w.slots); err != nil {
			return refusedByQuarantine(err)
		}
	}
	for _, id := range platforms {
		s.Bind(id)
	}
	references, err := refer(s, files, f.bind)
	if err != nil {
		return refusedByQuarantine(err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	dir := quarantineDir(w.l)
	quarantine.Forget(ctx, dir, forgetAfter, time.Now())
	b, err := w.sessions.Listen(s, dir, w.log, func(pid, _ int) error { return caller.MayAsk(pid) })
	if err != nil {
		return err
	}
	if err := c.printSession(s, references); err != nil {
		return errors.Join(err, b.Close())
	}
	err = b.Serve(ctx)
	if errors.Is(err, quarantine.ErrTimeout) {
		return &exitError{err, exitTimeout}
	}
	return err
}

func (c *ctl) printSession(s *quarantine.Session, references []quarantine.Reference) error {
	out := aSession{
		Session: s.ID, Root: s.Root(), TTL: int(s.TTL() / time.Second),
		Timeout:    int(s.Timeout() / time.Second),
		References: []string{}, System: s.Prompt(),
		User: quarantine.BuildUserContentPrompt(references),
		Env:  map[string]string{quarantine.Variable: s.ID},
	}
	for _, r := range references {
		out.References = append(out.References, r.URI())
	}
	if c.json {
		return c.printJSON(out)
	}
	fmt.Fprintln(c.out, s.ID)
	for _, uri := range out.References {
		fmt.Fprintln(c.out, uri)
	}
	return nil
}

// refusedByQuarantine gives a refusal its exit status.
func refusedByQuarantine(err error) error { return &exitError{err, exit.Denied} }

// quarantineTime is how long a person waits for a broker.
const quarantineTime = 5 * time.Second

// inQuarantine is the body of a verb that asks the broker of the session in its first argument.
func (c *ctl) inQuarantine(do func(context.Context, quarantine.Client,
	[]string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		client, err := c.quarantineClient(args[0])
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), quarantineTime)
		defer cancel()
		return do(ctx, client, args)
	}
}

// quarantineClient finds the broker of a session.
func (c *ctl) quarantineClient(prefix string) (quarantine.Client, error) {
	l, err := c.open()
	if err != nil {
		return quarantine.Client{}, err
	}
	client, err := quarantine.Find(quarantineDir(l), prefix)
	if errors.Is(err, quarantine.ErrUnknownSession) {
		err = fmt.Errorf("%w; try: tadactl quarantine start", err)
	}
	return client, err
}

func (c *ctl) quarantineRef() *cobra.Command {
	var bind bool
	cmd := verb("ref SESSION FILE ...", cobra.MinimumNArgs(2),
		c.inQuarantine(func(ctx context.Context, client quarantine.Client, args []string) error {
			uris := []string{}
			for _, name := range args[1:] {
				path, err := filepath.Abs(name)
				if err != nil {
					return err
				}
				uri, err := client.Refer(ctx, path, bind)
				if err != nil {
					return refusedByQuarantine(err)
				}
				uris = append(uris, uri)
			}
			if c.json {
				return c.printJSON(map[string]any{"session": client.Session, "references": uris})
			}
			for _, uri := range uris {
				fmt.Fprintln(c.out, uri)
			}
			return nil
		}))
	cmd.Flags().BoolVar(&bind, "sha", false, "")
	return cmd
}

func (c *ctl) quarantineVerify() *cobra.Command {
	return verb("verify SESSION URI", cobra.ExactArgs(2), c.inQuarantine(func(ctx context.Context,
		client quarantine.Client, args []string) error {
		r, err := client.Verify(ctx, args[1])
		if err != nil {
			return refusedByQuarantine(err)
		}
		if !r.Valid {
			c.status = exit.Denied
		}
		switch {
		case c.json:
			return c.printJSON(r)
		case r.Valid:
			_, err = fmt.Fprintf(c.out, "valid  %s\n", r.Path)
		default:
			_, err = fmt.Fprintf(c.out, "%s  %s\n", r.Code, quarantine.Neutral(r.Message, 512))
		}
		return err
	}))
}

func (c *ctl) quarantineStatus() *cobra.Command {
	return verb("status", cobra.NoArgs, c.opened(func(l *launcher.Launcher, cmd *cobra.Command,
		_ []string) error {
		ctx, cancel := context.WithTimeout(cmd.Context(), quarantineTime)
		defer cancel()
		all, err := quarantine.Alive(ctx, quarantineDir(l))
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(map[string]any{"sessions": all})
		}
		for _, a := range all {
			fmt.Fprintf(c.out, "%s  until %s  %s\n", a.Session, time.Unix(a.Deadline,
				0).Format(time.TimeOnly), quarantine.Neutral(a.Root, 512))
			for _, g := range a.Agents {
				fmt.Fprintf(c.out, "  %-5s %4d calls %4d denied  %s\n", g.State, g.Calls,
					g.Denied, quarantine.Neutral(g.ID, 256))
			}
		}
		return nil
	}))
}

func (c *ctl) quarantineEnd() *cobra.Command {
	return verb("end SESSION", cobra.ExactArgs(1), c.inQuarantine(func(ctx context.Context,
		client quarantine.Client, args []string) error {
		if err := client.End(ctx); err != nil {
			return refusedByQuarantine(err)
		}
		return c.say(map[string]any{"session": client.Session, "ended": true}, "%s  ended\n",
			client.Session)
	}))
}
