// Package agents describes agent programs as text: one file for each agent, and one reader for all
// of them. To add an agent, write its file; its hook is an adapter in integration/hook/platform.
//
// A fact is a line, KIND WORD..., with a reason after " # ". A line that begins with a blank
// continues the one before it: the two are joined with a blank, except after a comma or a bar. ~ is
// the home of the account.
//
// How the agent is recognised, and what it is called:
//
//	title TEXT               its name in texts for people
//	platform NAME            its name in commands of tada-run, if that is not the name of the file
//	npm PACKAGE              the package that contains it
//	order NUMBER             if the marks of several agents are set, the lowest number wins
//	mark NAME                a variable that it sets in the environment of what it starts
//	conversation MARK [NAME] a mark of its commands, and the variable with its conversation
//	program NAME             its program, by the name of the file or of the process
//	script PART              a script that an interpreter runs, by a part of the path
//	called NAME              what it calls itself where it asks; the first is shown
//	sets NAME                variables for its own use alone; a star ends a family
//	path FOLDER              the end of a folder of PATH, for some of its calls; may have stars
//	saver TEXT               how the text begins that saves the user's shell
//	scratch PATTERN          a folder that it makes for what its commands leave there
//
// Names, as in the tables of package catalog:
//
//	variable NAME...: FACT... environ.txt
//	later NAME...: FACT...    later.txt
//	loads NAME                a workspace file with variables that it sets when it starts a hook
//	secret FILE               secrets.txt; so is each login
//	startup NAME              what it follows or starts when it begins, in the home
//	installed FOLDER          where it installs itself
//	snapshots FOLDER          where it saves the user's shell
//	logs FILES                what was said, which nothing runs or follows
//	saves FILE                a start-up file of the user's that it reads for that
//	cache FOLDER data|code PROGRAM...
//
// What it needs in a session:
//
//	home VARIABLE FOLDER     where it keeps its files, and the variable that names another place:
//	                         in a session that is a folder of the same name in the session's own
//	                         folder
//	copy FILE                a user file that it reads and may rewrite: copied at each start
//	link NAME                a name that it only reads: linked, and stays read-only
//	login FILE               its own credentials: linked, readable and writable in place
//	seed FILE TO KEY,KEY     the members of a JSON object to start with if the session has none
//	rest FOLDER NAME,NAME    everything else there except NAME: linked, because other programs
//	                         read the variable too
//	unpacks VARIABLE         the variable that says where to unpack libraries: in /tmp they would
//	                         have hidden names, which a session may not make there
//	words WORD...            what comes first among the words that it is started with
//	nested WORD,WORD TEXT    said at each start unless the user's words or settings have a WORD
//	host HOST                its vendor's: the API, and what signs in
//	key VARIABLE [HOST]      a credential that it reads, passed on to it alone; HOST is open if it
//	                         is set
//	base VARIABLE            an address that it contacts instead of its vendor's
//	address FILE KEY,KEY     the same in its settings: the values of these keys
//	keyname FILE KEY         the names of further variables with keys, in its settings
//
// What the session writes is read by later sessions of that agent in that workspace, and by nothing
// outside. So links and copies are for what the user has set up for all workspaces; a folder of
// code that the agent fetches for itself (plugins, extensions) is neither linked nor copied.
//
// The settings that stop it from calling hooks, or make it start commands with another shell:
//
//	switch LEVEL FILE KEY VALUE
//	shell FILE KEY              where the user names the shell
//
// A file begins with ~/ in the home, with ./ in a folder of the workspace, or with / for the
// machine's. VALUE is the value that switches hooks off: a boolean, ~TEXT for a list with an
// element that contains the text, or * for any. first, after a KEY that ends in *, is any variable
// with that fact in environ.txt: a shell that starts a hook then runs something else first, which
// can end the hook. A shell setting matters unless its value is tada-run: commands then start with
// another shell.
//
// Where the user's own rules for commands are, which the hook looks through for those that are for
// a command line as a whole:
//
//	rules FILE MEMBER TOOL [VARIABLE]
//	                         the member has lists "deny", "ask" and "exclude" with TOOL(PATTERN),
//	                         or in TOML tables with a decision and the tool; TOOL may be several,
//	                         with commas; the variable names another folder,
//	                         or one that has it
//	policies FILE KEY MEMBER TOOL [VARIABLE]
//	                         the values of the key are files and folders with such tables
//	given OPTION TOOL        an option of its command line: rules that deny
//	given OPTION MEMBER TOOL the same: files, folders or JSON with such a member
//	asks                     its hook can have it ask the user, who then answers for the command
//	                         that the hook returns
//
// How its hook is registered, and how its shell is set:
//
//	settings FOLDER FILE [VARIABLE]
//	                         the file in the folder of its settings that has its hooks, and the
//	                         variable that names another folder
//	hook MEMBER FORM         the list in the file, and how a hook is written (package settings);
//	                         without one, the file is a plugin
//	reads WORD...            what it accepts in its files besides strict JSON
//	extra NAME VALUE [BY]    a member that it needs in the file, not read without the member BY
//	managed FILE [shell]     settings of the machine above those of the user; shell: only the
//	                         shell is looked for there
//	shellby path|login|variable NAME|start NAME
//	                         how it finds its shell if no setting names it; start: other programs
//	                         read the variable too, so only it is started with another
//	patience SECONDS         how long it waits for its hook, if that cannot be set; it then runs
//	                         the call
//	lacks hook|shell TEXT    why it has none
//	note TEXT                what else the user has to do
//	sandbox TEXT             what its own sandbox must allow; "| " begins a line to copy
//	trust FILE               where it records which hooks the user trusts; it skips the others
//
// What it puts around the command of its agent: see shellparse/wrapper/wrappers.txt.
//
// The package imports nothing from this module, so that packages of every floor may read it.
package agents
