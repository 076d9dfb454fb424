// Package agents holds what is known about the programs of agents, as text: a file for each, and
// one reader for all of them. To add an agent, write its file; its hook is an adapter in
// integration/hook/platform.
//
// A fact is a line, KIND WORD..., with a reason behind " # ". A line that begins with a blank
// continues the one before it: a blank is between, but behind a comma or a bar. ~ is the home of
// the account.
//
// How it is recognised, and what it is called:
//
//	title TEXT               in texts for people
//	platform NAME            in commands of tada-run, where that is not the name of the file
//	npm PACKAGE              the package that has it
//	order NUMBER             of several agents whose marks are set, the lowest counts
//	mark NAME                a variable that it sets in the environment of what it starts
//	conversation MARK [NAME] a mark of its commands, and the variable with its conversation
//	program NAME             its program, by the name of the file or of the process
//	script PART              what an interpreter runs, by a part of the path
//	called NAME              what it calls itself where it asks; the first is shown
//	sets NAME                variables for itself alone; a star ends a family
//	path FOLDER              the end of a folder of PATH, for some of its calls; may have stars
//	saver TEXT               how the text begins by which it saves the user's shell
//	scratch PATTERN          a folder that it makes for what its commands leave there
//
// Names, as in the tables of package catalog:
//
//	variable NAME...: FACT... environ.txt
//	later NAME...: FACT...    later.txt
//	loads NAME                a file in a workspace whose variables it has when it starts a hook
//	secret FILE               secrets.txt; so is each login
//	startup NAME              what it follows or starts when it begins, in the home
//	installed FOLDER          where it installs itself
//	snapshots FOLDER          where it saves the user's shell
//	saves FILE                a start-up file of the user's that it reads for that
//	cache FOLDER data|code PROGRAM...
//
// What it needs in a session of its own:
//
//	home VARIABLE FOLDER     where it keeps its things, and the variable by which it is told another
//	                         place: in a session that is below a folder of the session's own, under
//	                         the same name
//	copy FILE                what it reads of the user's and may rewrite: there as it is, fresh at
//	                         each start
//	link NAME                what it only reads: there as a link, and stays read-only
//	login FILE               its own credentials: there as a link, readable and writable in place
//	seed FILE TO KEY,KEY     the members of a JSON object with which it begins where it has none of
//	                         its own
//	rest FOLDER NAME,NAME    what else is there, but for NAME: links, because other programs read
//	                         the variable too
//	unpacks VARIABLE         the variable by which it is told where to unpack libraries: in /tmp
//	                         they would have hidden names, which a session may not make there
//	words WORD...            what comes first among the words that it is started with
//	nested WORD,WORD TEXT    said at each start unless the user's words or settings have a WORD
//	host HOST                its vendor's: the API, and what signs in
//	key VARIABLE [HOST]      a credential that it reads, passed on to it alone; HOST is open where it
//	                         is set
//	base VARIABLE            an address that it contacts in place of its vendor's
//	address FILE KEY,KEY     the same in its settings: the values of these keys
//	keyname FILE KEY         the names of further variables with keys, in its settings
//
// What the session writes is read by later sessions of that agent in that workspace, and by nothing
// outside. So what is a link or a copy is what the user has set up for all workspaces; a folder
// with code that the agent fetches for itself (plugins, extensions) is neither.
//
// The settings by which it stops calling hooks, or starts commands with another shell:
//
//	switch LEVEL FILE KEY VALUE
//	shell FILE KEY              where the user names the shell
//
// A file begins with ~/ in the home, with ./ in a folder of the workspace, or with / for the
// machine's. VALUE is what switches off: a boolean, ~TEXT for a list with an element that has the
// text, or * for any. first, behind a KEY that ends in *, is any variable with that fact in
// environ.txt: what starts a hook through a shell then runs something else first, which can end it.
// shell is any but tada-run: commands are started with another shell.
//
// How its hook is registered, and its shell named:
//
//	settings FOLDER FILE [VARIABLE]
//	                         the file in the folder of its settings that has its hooks, and the
//	                         variable by which it is told another folder
//	hook MEMBER FORM         the list in the file, and how a hook is written (package settings);
//	                         without one, the file is a plugin
//	reads WORD...            what it reads in its files besides strict JSON
//	extra NAME VALUE [BY]    a member that it wants in the file, not read without the member BY
//	managed FILE [shell]     settings of the machine above those of the user; shell: where only the
//	                         shell is looked for
//	shellby path|login|variable NAME
//	                         how it finds its shell, where no setting names it
//	note TEXT                what the user has to do besides
//	sandbox TEXT             what its own sandbox must allow; "| " begins a line to copy
//	trust FILE               where it keeps which hooks the user trusts; it skips the others
//
// What it puts around the command of its agent: see shellparse/wrapper/wrappers.txt.
//
// The package imports nothing of this module, so that packages of every floor may read it.
package agents
