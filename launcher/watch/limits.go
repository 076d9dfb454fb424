package watch

import (
	"fmt"
	"io"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// limitKeys are the keys of the configuration for what a run can come to.
var limitKeys = map[sandbox.Limit]struct {
	key   string
	value func(pathguard.Limits) int64
}{
	sandbox.LimitMemory:    {"memory", func(l pathguard.Limits) int64 { return l.Memory }},
	sandbox.LimitProcesses: {"processes", func(l pathguard.Limits) int64 { return l.Processes }},
	sandbox.LimitCPU:       {"cpu", func(l pathguard.Limits) int64 { return int64(l.CPU) }},
	sandbox.LimitInotify:   {"inotify", func(l pathguard.Limits) int64 { return l.Inotify }},
	sandbox.LimitOutput:    {"output", func(l pathguard.Limits) int64 { return l.Output }},
}

// reachedLimits reports, once and in the log too, which limits the run reached and how to raise
// each: nothing else in its output does.
func reachedLimits(b Before, a After, out io.Writer) Found {
	if a.TimedOut != "" {
		notice.Line(out, a.TimedOut)
	}
	var told []string
	tell := func(what, key string, value int64) {
		line := fmt.Sprintf("%s: its limit is %q; to raise it, set limits: {%s} with "+
			"tadactl policy edit",
			what, pathguard.LimitText(key, value), pathguard.LimitText(key, value*2))
		told = append(told, line)
		notice.Line(out, notice.Visible(line))
	}
	if at, ok := limitKeys[a.Status.Exceeded]; ok {
		tell(fmt.Sprintf("the run was killed because it exceeded a limit (%s)", a.Status.Exceeded),
			at.key, at.value(b.Limits))
	}
	if at, ok := limitKeys[a.Status.Reached]; ok {
		tell(fmt.Sprintf("the kernel refused to exceed a limit (%s)", a.Status.Reached), at.key,
			at.value(b.Limits))
	}
	if n, total := a.Dropped(); n > 0 {
		key, value := "record_rate", b.Limits.RecordRate
		if total {
			key, value = "record", b.Limits.Record
		}
		tell(fmt.Sprintf("%s of output passed on but not recorded", audit.Plural(n, "byte")), key,
			value)
	}
	return finding("limits", told)
}

// Has reports whether limits set a value for what a run can come to; true for what has no key.
func Has(limits pathguard.Limits, l sandbox.Limit) bool {
	at, ok := limitKeys[l]
	return !ok || at.value(limits) != 0
}
