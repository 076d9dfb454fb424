// Package pathguard finds the real files behind the names of a script, opens each once, and
// says whether policy lets them be touched.
//
// There are three steps, and each is one function:
//
//	plan, err := pathguard.Resolve(script, caller) // disk: names become open files
//	verdict   := policy.Judge(plan)                // pure: plan and policy, nothing else
//	fence     := policy.Fence(plan)                // what the kernel may let the command reach
//
// # Parties
//
// The caller is an agent, or what an agent was told to run. Its command line, directory,
// environment and intent are hostile input: nothing in them can loosen a verdict. The
// repository in the workspace is written by strangers; its .tada/config.yaml can only
// tighten. The account's own file, and above it /etc/tada/config.yaml when root owns it, are
// trusted, after their owner and mode were looked at. Other processes of the account may
// rename and replace files at any moment.
//
// # Resolving
//
// [Resolve] makes the plan: package resolve says how. It opens every file that a name leads to, so
// that what is shown, hashed and granted are the same inodes. A name that does not exist, or is not
// wholly known, is a target that says so.
//
// # Judging
//
// A target is put where it really is: [Place] lists the places. What happens to it is one
// of eight [Action] columns. The built-in table, [Table], says for each pair allow, ask or
// deny. A target can be in several places; every rule that has something to say becomes a
// [Reason], and the strictest decides: deny, then ask, then allow.
//
// Next to the table stand the hazards of the command table (risk 1 informs, 2 and 3 ask), code in
// other languages, what the text does not tell by what it would decide, words that reach a place
// without being the name of an effect, characters that a reader would miss, hosts, and the rules of
// the configuration. Code that was read to its end is judged by what it names; code that could do
// more asks, and so does what was just fetched or decoded. What a compiler makes of files that were
// there before is the project's own program. A rule there that allows takes the place of a built-in
// question and of nothing else: it never lifts a denial, a hazard of another command, or a stricter
// rule, and what cannot be undone (risk 3) only when it names the option.
//
// In a file that is executed, what is certain has the verdict that it would have when typed,
// and the reason names the place: "s.sh:3: git push --force". What is vague there asks
// nothing, because every build script has words of that kind and the fence holds them; nor
// does deleting what does not exist yet. What a secret or a restricted file says is not told.
//
// Every path is compared under all the names that the mounts give it ([Target.Others]), and a file
// with hard links under those of secrets. Writing in place what has a name outside the workspace
// asks (write.linked); to replace it does not. So does a command of which not every write is known
// while the workspace has such a file (code.linked), packages and build output left out.
//
// Restricted and readonly paths are compared by resolved path, by every link on the way, and by
// inode, so that a second name of the same file (a hard link, a bind mount) is no way around. A
// restricted path is also denied to a pattern that could match it, listed or not, when it was aimed
// there. A pattern for every name (../*/x, ~/.*) is judged by what it meets now: to print the name
// of a restricted directory is no access to it, to list it is. Nothing runs in a restricted working
// directory. Of a restricted path that holds what every command needs (/etc, /usr/bin) the sandbox
// leaves what a shell needs to start, [Fence.Needed]; [Policy.Stops] says what such a path takes
// from the others.
//
// A text without a command (blanks, a comment) is allowed: nothing would run. The name build
// or out is build output where .gitignore or info/exclude says so and git tracks nothing below
// it; in a worktree or submodule the repository is believed when it points back.
//
// The zero Policy, Verdict and Decision deny.
//
// # The fence
//
// When every write is known ([Fence.Exact]) the fence has these writes and nothing wider;
// else also the workspace, temporary files and caches. A kernel has no right to one name: to
// make, replace or remove a name is a right to its directory. A [Grant] therefore holds the
// directory, opened when the plan was made, and says the names in it that are meant; and
// [Grant.Broad] says that the directory must not be given as a tree, because it is the root,
// the home, /etc, or has secrets or what runs at login in it:
//
//	rm /srv/p/old.txt    {Path: /srv/p/old.txt, Entry, Parent: /srv/p, Names: [old.txt]}
//	echo x > ~/new       {Path: ~, Missing: new, Entry, Parent: ~, Names: [new], Broad}
//	sed -i s/a/b/ /srv/f {Path: /srv/f, Entry, Parent: /srv}: the new file has any name
//	echo x > /srv/f      {Path: /srv/f}: the file alone, when it exists
//
// Of the secrets, restricted paths and names that run later, only what exists can be hidden
// or kept. The home, ~/.config and the workspace are listed once each; other names are asked
// for one by one. When the writes are not all known, or the plan takes a tree as a whole, the
// workspace is searched breadth first for nested ones, in at most 256 directories and 4,096
// names, past .git and build output. Behind that bound a nested .env is held by the judgement
// alone: a command line that names it asks, code that finds it may read it. [Fence.Partial] says
// that the bound was reached. Restricted names of any depth ("**/vault") are looked for in all of
// the workspace, and what is too large for that is hidden as a whole.
//
// Package managers run code out of their caches and write there, so the fence of a plan of which
// not every write is known leaves the folders of one table open (caches.go); a command line that
// names a file in one asks (write.cache). A folder of it that is not there, and that a program of
// the plan uses, is in [Fence.Caches]. What such a plan leaves in the workspace to run or to
// instruct later, [LaterIn] finds, by another table (laternames.go), as deep as the search for
// nested names goes.
//
// # Configuration
//
// YAML, at most 1 MiB, no aliases, unknown keys refused with their line and the nearest name.
// [Keys] is the one table of keys: the parser, [Template], [Policy.Explain] and the manual page
// tada-config(5) are made from it, so that no key is in one and not in the others. A new key is a
// row of it and a field of [Settings].
//
// A path starts with /, with ~/ (the account's home, and $HOME where it is another, which
// can only tighten), or with **/ for any depth; in a workspace file it may be relative. It
// covers everything below it. A component may hold a shell pattern. A section "ai" is
// passed over: it belongs to a program that shares the file.
//
// The first trusted file may replace what is built in; each further one can only tighten:
// forbidden things are joined, permissions must be given by all, and a rule that allows has
// no effect ([Policy.Notes] names it). The same holds for programs, because saying what one
// does can hide what it does.
//
// # Cost
//
// Every command is a process of its own, so nothing is kept from one to the next and nothing
// is made in advance: the built-in names are compared as they stand, and the disk is asked
// only for what the configuration names. A policy costs some ten system calls, a plan three
// to five for a name that exists, a fence some eighty.
//
// # Failure
//
// A bad configuration is a *[ConfigError] with file and line, and no policy: the launcher
// exits with status 78. Resolve fails only without a directory to stand on or off Linux; a
// name that cannot be resolved is a target that says so, and asks where that matters. A
// verdict that is not an allow is a *[SecurityError] by [Verdict.Err].
//
// # Limits
//
// A judgement is about names. What a program does with a name that it makes up while it
// runs is held by the fence, not by the judge. Between resolving and running, a name can
// come to point elsewhere; what executes must use the open files, not the names. A file
// system that folds case is judged by the spelling of the caller. What a git remote
// stands for is read from the settings of git and ssh, with what they include; where options,
// variables, an earlier command of the line or a condition decide, it is not known. Of an address
// that the text spells out, insteadOf is not applied.
//
// # Example
//
// In the workspace /w, where the link data leads to /home/dev/data:
//
//	rm -rf data/old dist
//
// Two names are removed. The first is walked through the link to /home/dev/data/old: in the
// home, to be wiped with all below, which asks (delete.outside). The second is
// /w/dist: build output, which is allowed. The verdict is ask, with one reason that names
// /home/dev/data/old. After a yes the fence lets the command write these two trees, held by
// the inodes that were shown, and nothing else.
package pathguard
