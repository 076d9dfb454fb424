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
// A name is walked one component at a time as the kernel walks it (path_resolution(7)):
// ".." after a link is the parent of what the link points to, at most 40 links are
// followed, a link at the end is followed by what opens and not by what unlinks or renames,
// and "link/" follows in any case. Most names have no link and no mount on their way; for
// them one openat2(2) with RESOLVE_NO_SYMLINKS and RESOLVE_NO_XDEV gives the same answer.
//
// Below /proc the kernel does not read the text of links. /proc/self and /dev/fd are the
// command's own, so its directory and root are known and its descriptors are nobody's
// business; the links of other processes are jumped through, and what is behind them is
// judged as another process's.
//
// Every target is opened with O_PATH, which needs no permission on the file, waits for no
// FIFO and starts no device, and is carried with its device, inode and mode. What is shown,
// hashed and granted is that inode. Where the name does not exist, the nearest existing
// directory is opened and the rest is kept as text. Where a directory cannot be searched,
// or is gone, the rest of the way is read as text too.
//
// A pattern is expanded now. At most 4,096 matches become targets; when there are more the
// verdict asks, with the count. At most 256 files stay open; the others are bound by device
// and inode alone. A link that the script makes itself is followed by later names as if it
// stood there already.
//
// A program is looked up as the shell does, in the PATH that the command would get, and
// bound by path, inode, size and time; one that an ordinary user can write, by SHA-256 as
// well. So is every file whose text decides what runs: operands of interpreters, makefiles,
// package.json. A file above 16 MiB has no hash, and Content.Why says so.
//
// [Plan.Facts] gives all of it as plain data, in an order that the same plan always has, for
// the launcher to encode, hash and show.
//
// # Judging
//
// A target is put where it really is: [Place] lists the places. What happens to it is one
// of eight [Action] columns. The built-in table, [Table], says for each pair allow, ask or
// deny. A target can be in several places; every rule that has something to say becomes a
// [Reason], and the strictest decides: deny, then ask, then allow.
//
// Next to the table stand the hazards of the command table (risk 1 informs, 2 and 3 ask),
// code in other languages by where it comes from, what the text does not tell by what it
// would decide, characters that a reader would miss, hosts, and the rules of the
// configuration. A rule there that allows takes the place of a built-in question and of
// nothing else: it never lifts a denial, a hazard of another command, or a stricter rule, and
// what cannot be undone (risk 3) only when it names the option.
//
// Restricted and readonly paths are compared by resolved path, by every link on the way, and
// by inode, so that a second name of the same file (a hard link, a bind mount) is no way
// around. A restricted path is also denied to a pattern that could match it, listed or not.
//
// The zero Policy, Verdict and Decision deny.
//
// # Configuration
//
// YAML, at most 1 MiB, no aliases, unknown keys refused with their line:
//
//	security:
//	  command_level: dangerous        # always: ask for all; never: ask nobody, deny instead
//	  restricted_paths: []            # no access
//	  readonly_paths: []              # writing asks
//	  allow_shell: true               # false: one command of literal words
//	  allow_terminal_takeover: true
//	  tamper_proof: false
//	  protect: [TODO.md]
//	network: {default: off, allow: []} # list: only the hosts in allow; off: those that the plan names; on
//	sandbox: {require: base}          # or strong
//	private_tmp: false
//	rules:
//	  commands: [{program: git, args: [push], flags: [--force], verdict: deny, message: ask me}]
//	  paths:    [{path: ~/notes, access: [read, write], verdict: allow}]
//	  hosts:    [{host: "*.example.com", verdict: allow}]
//
// A path starts with /, with ~/ (the account's home, and $HOME where it is another, which
// can only tighten), or with **/ for any depth; in a workspace file it may be relative. It
// covers everything below it. A component may hold a shell pattern. A section "ai" is
// passed over: it belongs to a program that shares the file.
//
// The first trusted file may replace what is built in; each further one can only tighten:
// forbidden things are joined, permissions must be given by all, and a rule that allows has
// no effect ([Policy.Notes] names it).
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
// come to point elsewhere; whoever executes must use the open files, not the names. A file
// system that folds case is judged by the spelling of the caller. A git remote is known by
// its plain url; insteadOf and includes leave it unknown.
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
