// Package gitmeta finds what a command has left in Git's own folders that would run later, outside any fence, when a person or a prompt
// next calls git there; and takes it back.
//
// A fence can keep a hooks folder read-only, but not one that did not exist yet, and it cannot keep a configuration file that
// git config, git remote and git branch have to rewrite. So the folders are looked at before the run and after it, when none of
// its processes is left, and compared by what they mean:
//
//	before := gitmeta.Look(roots, gitmeta.Most)
//	... run ...
//	for _, c := range before.Changes() {
//		fmt.Println(c)          // "proj/.git/config" sets core.fsmonitor to "./x": git would run it
//		if err := before.Undo(c); err != nil { ... }
//	}
//
// # What is looked at
//
// Every repository at or below the roots, however it came there (init, clone, submodule, worktree, bare, unpacked): a folder .git, a file .git that points to
// one, and any folder that Git would take for one (HEAD, objects, refs). Of each:
//
//	config, config.worktree   settings that name a program or a file of settings (table.go)
//	hooks/*                   what can be executed; samples cannot
//	commondir, .git           pointers, through which all of the above can be somewhere else
//
// Other settings, branches, remotes, objects, new repositories: all of that is ordinary and is not reported.
//
// # Failure
//
// The folders belong to the command, so nothing in them is trusted: no link is followed, no path leads out of its root, sizes are bounded, and a configuration
// that cannot be read as Git reads it counts as a change. Where there are more names than the bound, Snapshot.Incomplete is true
// and the deepest ones were not looked at.
//
// # Limits
//
// A person who calls git there while the command still runs is not protected, nor is what was erased brought back: a repository that is gone is reported, and
// that is all. What Git runs because files of the work tree say so (attributes) takes a driver in the configuration, which is looked at.
package gitmeta
