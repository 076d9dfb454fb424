package integration

import "strings"

// A part is something that a start does. A sample of its processor time belongs to the first part
// of the list one of whose functions is on the stack.
type part struct {
	name      string
	functions []string // whole names, or the beginning of names before a *
}

var startParts = []part{
	{"tables of packages, before main", []string{"runtime.doInit1"}},
	{"namespaces made (unshare)", []string{"__x64_sys_unshare"}},
	{"mounts of the sandbox", []string{"__x64_sys_mount", "__x64_sys_pivot_root",
		"__x64_sys_move_mount", "__x64_sys_umount"}},
	{"other steps of the processes of the sandbox", []string{module +
		"/launcher/sandbox.steps.perform"}},
	{"Landlock rules", []string{module + "/launcher/sandbox.(*builder).rules"}},
	{"sandbox derived from the plan", []string{module + "/launcher.(*Judgement).profile"}},
	{"sandbox: filter, steps and pipes", []string{module +
		"/launcher/sandbox.(*Prepared).Begin", module + "/launcher/sandbox.Prepare",
		module + "/launcher.(*built).start", module + "/launcher.reserved.*"}},
	{"arguments, state directory, configuration", []string{module + "/launcher.Place.*",
		module + "/cmd/tada-run/cli.parseArgs", module + "/cmd/tada-run/cli.calm"}},
	{"the line judged", []string{module + "/launcher.(*Launcher).Judge*"}},
	{"the intent in the log, on the disk", []string{module + "/launcher.(*Launcher).announce"}},
	{"the transcript begun, the start in the log", []string{module +
		"/launcher.permitted.start"}},
	{"calls of the command answered", []string{module + "/launcher/broker.*"}},
	{"output passed on, the end in the log", []string{module + "/launcher.(*started).wait",
		module + "/launcher.(*supervision).*", module + "/launcher/session.*"}},
	{"other code of tada-run", []string{module + "/*"}},
	{"Go runtime: threads and their turns", []string{"runtime.mstart1", "runtime.mcall",
		"runtime.mcall.abi0", "runtime.sysmon", "__do_sys_clone"}},
	{"Go runtime: before its first goroutine", []string{"runtime.rt0_go.abi0"}},
	{"the program loaded and unloaded by the kernel", []string{"__x64_sys_execve",
		"__x64_sys_exit_group", "do_exit", "ret_from_fork_asm"}},
}

// partCount is how many samples a part has, and how many of them are of the kernel.
type partCount struct {
	name            string
	samples, kernel int
}

// count reads what perf script prints: a line that begins with the name of the process, then one
// with an address and a function for each call, the innermost first, and an empty line. The last
// count it returns is that of all samples.
func count(script string) []partCount {
	counts := []partCount{{name: "bash itself"}}
	for _, p := range startParts {
		counts = append(counts, partCount{name: p.name})
	}
	counts = append(counts, partCount{name: "else"}, partCount{name: "all"})
	for sample := range strings.SplitSeq(script, "\n\n") {
		process, calls, _ := strings.Cut(strings.TrimSpace(sample), "\n")
		var at int
		switch name, _, _ := strings.Cut(strings.TrimSpace(process), " "); name {
		case "bash":
		case "tada-run":
			at = 1 + partOf(calls)
		default: // it starts the next one, or packs what lies there
			continue
		}
		address, _, _ := strings.Cut(strings.TrimSpace(calls), " ")
		for _, i := range []int{at, len(counts) - 1} {
			if counts[i].samples++; len(address) == 16 { // only the kernel's are that high
				counts[i].kernel++
			}
		}
	}
	return counts
}

// partOf returns the number of the first part that one of the calls belongs to, and behind the last
// one if there is none.
func partOf(calls string) int {
	for i, p := range startParts {
		for _, f := range p.functions {
			if begin, ok := strings.CutSuffix(f, "*"); ok && strings.Contains(calls, " "+begin) ||
				strings.Contains(calls+"\n", " "+f+"\n") {
				return i
			}
		}
	}
	return len(startParts)
}
