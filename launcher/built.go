package launcher

import (
	"os"

	"github.com/tada-run/tada-run/launcher/preimage"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/watch"
)

// A building is a command's terminal, and its sandbox while that is being built.
type building struct {
	*console
	sandbox <-chan built
}

// A built is a sandbox with a command in it that has not begun, or why there is none.
type built struct {
	bounds
	held    *sandbox.Held
	own     []*os.File // ours until the command has them
	watched watch.Comparisons
	wants   *wants // asks about connections; nil if no one is asked
	err     error
}

// bounds are what the command can reach.
type bounds struct {
	profile sandbox.Profile
	exposed []string // protected files that the sandbox has to keep as they are
	gaps
	inherited []int         // descriptors of the caller that the command has too
	withheld  []string      // those that it has not, each with the reason
	folder    string        // of the run's own, in a shared directory; "" for none
	kept      *preimage.Run // what it changes, as it was; nil when nothing is kept
}

// gaps are what a sandbox lacks of what it was to be.
type gaps struct {
	partial  bool           // names to hide were not looked for everywhere
	uncached error          // why a folder of a tool's cache could not be made
	caches   []sandbox.Path // folders of tools' caches, of which nothing is kept
}

func (b *building) build(*Judgement) preparation { return b }

// wait returns the sandbox when it is built, or could not be.
func (b *building) wait() *built {
	made := <-b.sandbox
	return &made
}

func (b *building) cancel() {
	b.wait().cancel()
	b.console.close()
}

// start lets the command run.
func (b *built) start() (*sandbox.Process, sandbox.Receipt, error) {
	defer b.closeOwn()
	return b.held.Go()
}

// cancel ends everything that is held open; nothing of the command has run.
func (b *built) cancel() {
	if b.held != nil {
		b.held.Cancel()
	}
	b.closeOwn()
	b.removeFolder()
	b.kept.Discard()
}

func (b *built) closeOwn() {
	for _, f := range b.own {
		f.Close()
	}
}

// removeFolder removes the run's own folder.
func (b *bounds) removeFolder() {
	if b.folder != "" {
		_ = os.RemoveAll(b.folder)
	}
}

// A preparation is how far a standby is: reserved, building, broken or gone.
type preparation interface {
	build(j *Judgement) preparation // begins to build for j, where that has not begun
	cancel()
}
