// Package gitmeta finds what a command has left in Git's own folders that would run later, outside
// any sandbox, when a person or a prompt next calls git there; and takes it back.
//
// A sandbox can keep a hooks folder read-only, but not one that did not exist yet, and it cannot
// keep a configuration file that git config, git remote and git branch have to rewrite. So the
// folders are looked at before the run and after it, when none of its processes is left, and
// compared by what they mean:
//
//	before := gitmeta.Look(roots, gitmeta.Most)
//	... run ...
//	for _, c := range before.Changes() {
//		fmt.Println(c)          // "proj/.git/config" sets core.fsmonitor to "./x": git would run it
//		aside, err := before.Undo(c)
//		...
//	}
//
// # What is looked at
//
// Every repository at or below the roots, however it came there (init, clone, submodule, worktree,
// bare, unpacked): a folder .git, a file .git that points to one, and any folder that Git would
// take for one (HEAD, objects, refs). Of each:
//
//	config, config.worktree   settings that name a program or a file of settings (shellparse/catalog/git.txt)
//	hooks/*                   what can be executed; samples cannot
//	rebase-merge, sequencer   of what is under way, the steps (exec) and the strategy, which is a program when it is not git's own
//	commondir, .git           pointers, through which all of the above can be somewhere else
//
// What the repositories' configurations named before the run is looked at too, where it lies inside
// the roots: core.hooksPath, include.path, includeIf. A new file .git may point to any folder
// inside the roots, which is then looked at; one that points out of them is reported.
//
// Other settings, branches, remotes, objects, new repositories: all of that is ordinary and is not
// reported.
//
// # What is taken back, and how
//
// A new hook or pointer is removed, a changed one becomes what it was, and in a configuration only
// the settings that matter are removed. Nothing is lost that cannot be brought back: of hooks above
// 64 KiB there is only a digest, so a changed one is moved aside, to NAME.tada-held, and is no
// program any more; so is a configuration that can no longer be read, before the former one comes
// back. Snapshot.Careful is for runs beside which a person works: there everything that would be
// removed or overwritten stays, under such a name. Snapshot.Kept names what the sandbox made
// read-only, in which every change comes from another program.
//
// # Failure
//
// The folders belong to the command, so nothing in them is trusted: no link is followed out of its
// root, and a configuration that cannot be read as Git reads it, or is larger than 1 MiB, counts as
// a change. One look reads no more than its bound of names and 8 MiB, and keeps less: first the
// roots' own repositories, then what was there before the run, then the roots in their order, near
// names first. Nothing that a command adds can keep us from what was there. Where there are more
// names than the bound, Snapshot.Incomplete is true and the deepest ones were not looked at; what
// is beyond the bytes is compared by inode, size and time of change.
//
// # Limits
//
// A person who calls git there while the command still runs is not protected, nor is what was
// erased brought back: a repository that is gone is reported, and that is all. The snapshot is in
// memory: when the launcher is killed (SIGKILL, power), what the command left stays, and the next
// run takes it for what was there before. What Git runs because files of the work tree say so
// (attributes) takes a driver in the configuration, which is looked at. What a person's own
// configuration names (~/.gitconfig), names that begin with ~, and repositories outside of the
// roots, as in /tmp, are not looked at.
package gitmeta
