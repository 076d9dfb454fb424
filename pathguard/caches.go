package pathguard

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// cacheTable are the folders of a home that package managers and compilers fill: the only ones in
// ~/.cache, ~/.local/share, ~/.local/state and their like that a sandbox may write without a
// question. The rest is home, because start-up files of shells are there too
// (p10k-instant-prompt-*.zsh, starship, gitstatus). Losing one costs a download.
//
// A line is a folder, what is in it, and the programs that use it. "code" runs in every project,
// outside of any sandbox too: package managers have to write there, but a command line that names a
// file in one means something else, and asks.
//
//go:embed table/caches.txt
var cacheTable string

// A cache is a line of cacheTable.
type cache struct {
	name     string
	code     bool
	programs string // with blanks between
}

// caches is cacheTable with the caches of agents, read once.
var caches = sync.OnceValue(func() []cache {
	all := make([]cache, 0, 192)
	add := func(line string) {
		name, rest, ok := strings.Cut(line, " ")
		if what, programs, _ := strings.Cut(strings.TrimLeft(rest, " "), " "); ok {
			all = append(all, cache{name, what == "code", strings.TrimSpace(programs)})
		}
	}
	for line := range strings.Lines(cacheTable) {
		add(line)
	}
	for f := range agents.Of("cache") {
		add(f.Text())
	}
	return all
})
