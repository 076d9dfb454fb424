// Package pathguard finds the real files behind the names of a script, opens each once, and decides
// whether policy lets them be touched.
//
// There are three steps, and each is one function:
//
//	plan, err := pathguard.Resolve(script, caller) // disk: names become open files
//	verdict   := policy.Judge(plan)                // pure: plan and policy, nothing else
//	fence     := policy.Fence(plan)                // what the kernel may let the command reach
//
// # Parties
//
// The caller is an agent, or a program that an agent runs. Its command line, directory, environment
// and intent are hostile input: nothing in them can loosen a verdict. The files in the workspace
// may come from anyone; its .tada/config.yaml can only tighten. The account's own file, and above
// it /etc/tada/config.yaml if root owns it, are trusted once their owner and mode have been
// checked. Other processes of the account may rename and replace files at any moment.
//
// # Resolving
//
// [Resolve] makes the plan; package resolve describes how. It opens every file that a name leads
// to, so that the same inodes are shown, hashed and granted. A name that does not exist, or is not
// wholly known, becomes a target that says so.
//
// # Judging
//
// A target is classified by its real path: [Place] lists the places. What happens to it is one of
// eight [Action] columns. The built-in table, [Table], says for each pair allow, ask or deny. A
// target can be in several places; every rule that applies adds a [Reason], and the strictest
// decides: deny, then ask, then allow.
//
// Beside the table, these are judged: the hazards of the command table (risk 1 informs, 2 and 3
// ask); code in other languages; unknown pieces of the text, by what they would decide; words that
// reach a place without being the name of an effect; characters that a reader would miss; hosts;
// and the rules of the configuration. Code that was read to its end is judged by the names in it.
// Code that could do more asks, and so does code that was just fetched or decoded. The output of a
// compiler whose input existed before counts as the project's own program. A configured rule that
// allows replaces a built-in question and nothing else: it never lifts a denial, a hazard of
// another command or a stricter rule, and it lifts what cannot be undone (risk 3) only if it names
// the option.
//
// In a file that is executed, anything certain gets the verdict that it would get if typed, and the
// reason names the place: "s.sh:3: git push --force". Vague parts of such a file ask nothing,
// because every build script has them and the sandbox contains them; nor does deleting a file that
// does not exist yet. The contents of a secret or a restricted file are never quoted.
//
// Every path is compared under all the names that the mounts give it ([Target.Others]), and a file
// with hard links under those of secrets. Writing in place to a file that has a name outside the
// workspace asks (write.linked); replacing the file does not. A command whose writes are not all
// known also asks while the workspace has such a file (code.linked), not counting packages and
// build output.
//
// Restricted and readonly paths are compared by resolved path, by every link on the way, and by
// inode, so that a second name of the same file (a hard link, a bind mount) is no way around them.
// A restricted path is also denied to a pattern that could match it, listed or not, if the pattern
// was aimed there. A pattern for every name (../*/x, ~/.*) is judged by its present matches:
// printing the name of a restricted directory is not access to it, listing it is. Nothing runs in a
// restricted working directory. If a restricted path holds files that every command needs (/etc,
// /usr/bin), the sandbox leaves readable what a shell needs to start, [Fence.Needed];
// [Policy.Stops] says what such a path takes away from other commands.
//
// A text without a command (blanks, a comment) is allowed: nothing would run. The name build or out
// is build output if .gitignore or info/exclude says so and git tracks nothing below it; in a
// worktree or submodule the repository is believed if it points back.
//
// The zero Policy, Verdict and Decision deny.
//
// # The rights of the sandbox
//
// [Policy.Fence] derives what the sandbox lets a plan reach. If every write is known
// ([Fence.Exact]), that is these writes and nothing wider; otherwise also the workspace, temporary
// files and caches. The kernel has no right for a single name: making, replacing or removing a name
// is a right on its directory. A [Grant] therefore holds the directory, opened when the plan was
// made, and the names in it that are meant. [Grant.Broad] says that the directory must not be
// granted as a tree, because it is the root, the home, /etc, or contains secrets or files that run
// at login:
//
//	rm /srv/p/old.txt    {Path: /srv/p/old.txt, Entry, Parent: /srv/p, Names: [old.txt]}
//	echo x > ~/new       {Path: ~, Missing: new, Entry, Parent: ~, Names: [new], Broad}
//	sed -i s/a/b/ /srv/f {Path: /srv/f, Entry, Parent: /srv}: the new file has any name
//	echo x > /srv/f      {Path: /srv/f}: the file alone, when it exists
//
// Secrets, restricted paths and names that run later can be hidden or protected only if they exist.
// The home, ~/.config and the workspace are listed once each; other names are looked up one by one.
// If the writes are not all known, or the plan takes a tree as a whole, the workspace is searched
// breadth first for nested ones, in at most 256 directories and 4,096 names, skipping .git and
// build output. Beyond that bound only the judgement protects a nested .env: a command line that
// names it asks, but code that finds it may read it. [Fence.Partial] says that the bound was
// reached. Restricted names of any depth ("**/vault") are searched for in the whole workspace, and
// a directory that is too large for that is hidden as a whole.
//
// Package managers run code from their caches and write there. So if the writes of a plan are not
// all known, the sandbox leaves the folders of one table open (caches.go); a command line that
// names a file in one asks (write.cache). A folder of that table that does not exist, and that a
// program of the plan uses, is in [Fence.Caches]. Files that such a plan leaves in the workspace,
// and that are run or obeyed later, are found by [LaterIn], with another table (laternames.go), as
// deep as the search for nested names goes.
//
// # Configuration
//
// YAML, at most 1 MiB, no aliases; an unknown key is refused with its line and the nearest name.
// [Keys] is the one table of keys: the parser, [Template], [Policy.Explain] and the manual page
// tada-config(5) are made from it, so that they always list the same keys. A new key is a row of it
// and a field of [Settings].
//
// A path starts with /, with ~/ (the account's home, and $HOME if that is another directory, which
// can only tighten), or with **/ for any depth; in a workspace file it may be relative. It covers
// everything below it. A component may contain a shell pattern. A section "ai" is skipped: it
// belongs to a program that shares the file.
//
// The first trusted file may replace the built-in settings; each further one can only tighten:
// denials add up, permissions must be given by every file, and a rule that allows has no effect
// ([Policy.Notes] names it). The same holds for descriptions of programs, because describing what a
// program does can hide what it does. What a workspace's rules allow counts once a person has
// accepted it ([ConfigFile.Accepted]).
//
// # Cost
//
// Every command is a process, so nothing is cached from one command to the next and nothing is
// prepared in advance: the built-in names are compared as plain strings, and only the names in the
// configuration are looked up on the disk. A policy costs some ten system calls, a plan three to
// five for a name that exists, the rights of the sandbox some eighty.
//
// # Failure
//
// A bad configuration is a *[ConfigError] with file and line, and no policy: the launcher exits
// with status 78. Resolve fails only if it cannot open the root, or on other systems than Linux and
// macOS. A name that cannot be resolved is a target that says so, and asks where that matters. A
// verdict that is not an allow is a *[SecurityError] by [Verdict.Err].
//
// # Limits
//
// A judgement is about names. The sandbox, not the judgement, contains what a program does with a
// name that it makes up while it runs. Between resolving and running, a name can be made to point
// elsewhere; whatever executes the plan must use the open files, not the names. On a file system
// that folds case, the caller's spelling is judged. The address of a git remote is read from the
// settings of git and ssh, with the files that they include; if options, variables, an earlier
// command of the line or a condition decide, it is not known. insteadOf is not applied to an
// address that the text spells out.
//
// # Example
//
// In the workspace /w, where the link data leads to /home/dev/data:
//
//	rm -rf data/old dist
//
// Two names are removed. The first resolves through the link to /home/dev/data/old: a whole tree in
// the home, which asks (delete.outside). The second is /w/dist: build output, which is allowed. The
// verdict is ask, with one reason that names /home/dev/data/old. Once approved, the command may
// write these two trees, held by the inodes that were shown, and nothing else.
package pathguard
