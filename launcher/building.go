package launcher

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/watch"
)

func (r reserved) build(j *Judgement) preparation {
	c, err := openConsole(j.Request)
	if err != nil {
		r.namespaces.Release()
		return broken{err}
	}
	ready := make(chan built, 1)
	go func() {
		DeepenStack()
		ready <- r.sandbox(j, c)
	}()
	return &building{c, ready}
}

// sandbox builds the sandbox of the plan's own files, and looks at what is compared after the run.
func (r reserved) sandbox(j *Judgement, c *console) (b built) {
	cmd, err := r.lay(j, c, &b)
	if b.err = err; err != nil {
		r.namespaces.Release()
		return b
	}
	b.held, b.err = r.namespaces.Begin(b.profile, cmd)
	b.watched = watch.Look(j.before(b.profile))
	return b
}

// lay derives the sandbox and the command in it from the judgement.
func (r reserved) lay(j *Judgement, c *console, b *built) (cmd sandbox.Command, err error) {
	folder := ""
	if j.client != nil {
		if folder, err = j.client.Furnish(); err != nil {
			return cmd, err
		}
	}
	if cmd, err = c.command(j, &b.own); err != nil {
		return cmd, err
	}
	if j.Request.Hold == nil { // a session may last for days, and its agent updates itself
		if cmd.Scripts, err = j.subject().scripts(&b.own); err != nil {
			return cmd, err
		}
	}
	b.profile, b.exposed, b.gaps = j.profile(folder)
	b.profile.Reach.Barred = r.l.state.IsBarred
	if b.profile.Network == sandbox.Full {
		r.l.state.Serving(j.ground()).AddAll()
	}
	if b.profile.Network == sandbox.Hosts {
		b.profile.Reach.Servers = r.l.state.Serving(j.ground())
		if b.wants = newWants(r.l, j); b.wants != nil {
			b.profile.Reach.Ask, b.profile.Reach.Daemons = b.wants.ask, b.wants.asksDaemon
		}
	}
	if v := b.profile.View; v != nil {
		v.Ledger = r.l.state.Ledger(j.subject().ledgerName())
	}
	if b.folder, err = j.ownFolder(); err != nil {
		return cmd, err
	}
	if b.folder != "" {
		b.profile.Write = append(b.profile.Write, sandbox.Path{Name: b.folder})
		cmd.Env = withFolder(cmd.Env, b.folder)
	}
	except := slices.Concat(names(b.caches), []string{b.folder}, r.l.undoSettings().Except)
	if j.Request.Hold != nil {
		except = append(except, outside(b.profile.Write, j.ground())...)
	}
	b.kept, err = r.l.Keep(&b.profile, r.id, j.ground(), except, j.Verdict.Stands || r.l.stands)
	if err != nil {
		return cmd, err
	}
	b.keepAhead(j)
	cmd.Inherit, b.withheld = handDown(j.Request.Files, b.profile, j.ground())
	if err := b.kept.Opened(cmd.Inherit); err != nil {
		return cmd, err
	}
	b.inherited = cmd.Inherit
	return cmd, b.handIn(cmd.Files)
}

// handIn gives the command something else in the place of a standard input that it must not have.
func (b *built) handIn(files []*os.File) error {
	instead, withheld, err := handIn(files[0], b.profile)
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	if withheld != "" {
		b.withheld = append(b.withheld, withheld)
	}
	if instead != nil {
		b.own, files[0] = append(b.own, instead), instead
	}
	return nil
}

// DeepenStack makes the stack of its goroutine as large as a run needs it, at once: it begins with
// 2 KiB, and each doubling on the way copies the stack to new pages, 3 % of a start.
func DeepenStack() { deepen(0) }

// deepen has the large frame. What counts is its size; the array itself is never touched.
//
//go:noinline
func deepen(n int) byte {
	if n == 0 {
		return 0
	}
	var room [24 << 10]byte
	return room[n%len(room)]
}

// socketFolder names the variable that tells tmux where its sockets are.
const socketFolder = "TMUX_TMPDIR"

// ownFolder makes a folder of the run's own in a shared directory; "" for none. A session has one
// for the sockets of tmux: at the usual name, /tmp/tmux-1000, the person's own tmux would find what
// the session serves there. Where the shared directories are no view, each run has one for its
// temporary files.
func (j *Judgement) ownFolder() (folder string, err error) {
	shared := j.sharedDirs()
	if j.Request.Hold == nil && answersCalls || len(shared) == 0 {
		return "", nil
	}
	if folder, err = os.MkdirTemp(shared[0], "tada-run-"); err != nil {
		err = fmt.Errorf("make a folder of the run's own: %w", err)
	}
	return folder, err
}

// withFolder is an environment that names such a folder. The tmux that the session was started in
// is out of its reach.
func withFolder(env []string, folder string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == socketFolder || name == "TMUX" || name == temporaryFolder && !answersCalls
	})
	if !answersCalls {
		env = append(env, temporaryFolder+"="+folder)
	}
	return append(env, socketFolder+"="+folder)
}
