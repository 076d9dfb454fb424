package integration

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/tada-run/tada-run"

// plan lists every folder with Go files, the folders of this module that it may import, and the
// reason for each edge. An import that is not here fails the test.
var plan = map[string]map[string]string{
	"shellparse": {
		"shellparse/syntax": "it parses the text into a tree",
		"shellparse/eval":   "it runs the tree in the abstract",
	},
	"shellparse/syntax": {},
	"shellparse/eval": {
		"shellparse/syntax":  "text inside the text is parsed in the same way",
		"shellparse/command": "the meaning of a program's words is a separate table",
		"shellparse/code":    "names in inline programs are read separately",
		"shellparse/filter":  "the output of base64 -d for known text",
		"shellparse/wrapper": "what agent programs put around a command is a separate table",
		"shellparse/catalog": "the launcher uses the same table of variables",

		"shellparse/catalog/agents": "where agents' programs save a shell is with their other facts",
	},
	"shellparse/filter": {},
	"shellparse/command": {
		"shellparse/catalog": "the launcher uses the same table of git's settings",
	},
	"shellparse/catalog": {
		"shellparse/catalog/agents": "names that belong to one agent are with its other facts",
	},
	"shellparse/catalog/agents": {},
	"shellparse/wrapper": {
		"shellparse/catalog/agents": "what an agent's program writes is with its other facts",
	},
	"shellparse/code": {
		"shellparse/command": "its facts use the rights of the table",
		"shellparse/catalog": "a variable means the same in a program as in a shell",
	},
	"approval": {
		"shellparse/catalog/agents": "how to recognise an agent's program is with its other facts",

		"approval/canonical": "what is stored and signed is canonical JSON",
		"approval/plan":      "the rules read the plan of a question",
		"approval/private":   "keys, trust lists and phrases are files of this user alone",
		"approval/render":    "whether a page was cut, and how long it takes to read, are rules too",
	},
	"docs":               {},
	"approval/canonical": {},
	"approval/bolt": {
		"approval":         "it implements the database of the rules",
		"approval/private": "its files belong to this user alone",
		"approval/flock":   "one process changes it at a time",
	},
	"approval/etcd": {
		"approval": "it implements the database of the rules",
	},
	"approval/relay": {
		"approval":            "it implements the database of the rules",
		"approval/private":    "its socket is in a folder of this user alone",
		"approval/relay/wire": "it asks the process that has the database",
	},
	"approval/relay/served": {
		"approval":            "it lets others use a database of the rules",
		"approval/private":    "its socket is in a folder of this user alone",
		"approval/flock":      "one process serves a socket at a time",
		"approval/relay/wire": "it answers the clients",
	},
	"approval/relay/wire": {
		"approval": "an error of the database is the same on both sides",
	},
	"approval/plan": {
		"approval/canonical": "a plan is canonical JSON",
	},
	"approval/private": {},
	"approval/passkey": {
		"approval":           "it checks the answers that passkeys sign, and their entries",
		"approval/canonical": "an entry of the record has one spelling",
		"approval/private":   "the list of passkeys is a file of this user alone",
	},
	"approval/passkey/passkeytest": {},
	"approval/flock":               {},
	"approval/plan/plantest": {
		"approval/canonical": "a plan is canonical JSON",
	},
	"approval/render": {
		"approval/canonical": "a payload is shown as the value that it encodes",
		"approval/plan":      "the page shows the risk, the friction and the hash of a plan",
	},
	"audit": {
		"approval/canonical": "entries use the same spelling as plans",
		"approval/flock":     "one process appends at a time",
		"audit/sorted":       "what is known of each transcript exceeds the memory",
		"shellparse/catalog": "the launcher uses the same table of tokens",
	},
	"audit/sorted":    {},
	"audit/zstandard": {},
	"audit/screen":    {},
	"audit/archive": {
		"audit":              "packed in its format, dropped with an entry",
		"approval/canonical": "the entry says why",
	},
	"audit/plans": {
		"audit":          "a pack is compressed like a transcript",
		"approval/flock": "one process packs at a time",
	},
	"audit/play": {
		"audit":        "a session is shown only as far as it is proven",
		"audit/screen": "the viewer's terminal gets pictures, never the recorded bytes",
	},
	"audit/export": {
		"audit":      "nothing unproven is exported",
		"audit/play": "text is what a person saw; line ends are those of a terminal",
	},
	"audit/runs": {
		"audit": "it reads entries",
	},
	"audit/ocsf": {
		"audit":      "each entry is an event",
		"audit/runs": "which says of a run more than its own entry does",
	},
	"audit/witness": {
		"audit":          "it signs checkpoints of a log",
		"approval/flock": "one process serves from a folder",
	},
	"launcher/seccomp":        {},
	"launcher/broker/network": {"pathguard/proc": "processes are looked at in one place"},
	"launcher/broker/view": {
		"approval/flock": "the runs of a workspace share one ledger",
	},
	"launcher/broker": {
		"pathguard/dirent":        "there is one reader of what lists a folder",
		"launcher/broker/view":    "it creates files for the run in shared directories",
		"launcher/seccomp":        "it receives and answers calls, and says which calls it needs",
		"launcher/broker/network": "it asks which hosts may be reached",
		"pathguard/proc":          "processes are looked at in one place",
	},
	// The broker is below the sandbox. Whether a listener is available decides which level a run
	// gets, and a command may not start before the broker has it: only Start knows both. So the
	// sandbox opens the broker, with its profile and the listener, and does not know its callers.
	// The other way round, or with the launcher between them, each of the three callers that start
	// a command would have to do this too, and one that forgot it would leave calls unanswered.
	"launcher/sandbox": {
		"pathguard/dirent":        "there is one reader of what lists a folder",
		"launcher/sandbox/rlimit": "it must be initialised before everything else, so it imports nothing",
		"launcher/seccomp":        "forbidden calls become a filter",
		"launcher/broker":         "it answers the calls that the filter passes on",
		"launcher/broker/network": "a profile names hosts",
		"pathguard/proc":          "there is one reader of boot, mounts and processes",
	},
	"launcher/sandbox/attack": {
		"launcher/sandbox":        "it attacks the sandbox",
		"launcher/broker":         "attackers get a view of a shared directory",
		"launcher/broker/network": "attackers may reach one host",
	},
	"launcher/sandbox/rlimit": {},
	"launcher/sandbox/gitmeta": {
		"shellparse/catalog": "the judge uses the same table of git's settings",
	},
	"launcher/session": {
		"launcher/session/wire": "the protocol between a session and its clients",
		"pathguard/proc":        "processes are looked at in one place",
	},
	"launcher/session/wire": {},
	"launcher/undo": {
		"pathguard/dirent": "there is one reader of what lists a folder",
		"pathguard/proc":   "on macOS the name of a descriptor is asked for in one place",
		"approval/flock":   "the runs of an account share one quota",
	},
	"pathguard/tamper": {
		"approval/flock": "one process changes a store at a time",
	},
	"pathguard/pathname": {
		"shellparse/catalog":        "the names that hold secrets are a separate table",
		"shellparse/catalog/agents": "what an agent's program keeps in a home is with its other facts",
	},
	"pathguard/hosts":  {"shellparse": "an endpoint of a script is compared with the entries of a list"},
	"pathguard/proc":   {},
	"pathguard/dirent": {},
	"pathguard/passwd": {"pathguard/proc": "/etc/passwd is read in the same way as the kernel's files"},
	"pathguard/intent": {},
	"pathguard/mounts": {
		"pathguard/pathname": "a mount point is compared as a path",
		"pathguard/proc":     "mounts are read once, for the sandbox too",
	},
	"pathguard/walk": {
		"pathguard/dirent":   "there is one reader of what lists a folder",
		"pathguard/pathname": "a name is split and compared as text",
		"pathguard/proc":     "on macOS the name of a descriptor is asked for in one place",
	},
	"pathguard/resolve": {
		"shellparse":         "it turns the names of a script into files",
		"shellparse/command": "a target has the right with which it was named",
		"shellparse/code":    "it reads makefiles with the reader of their language",
		"shellparse/catalog": "which settings of git name programs is one table",
		"pathguard/pathname": "which names are build output, system programs or secrets",
		"pathguard/walk":     "a name is walked as the kernel walks it",
		"pathguard/mounts":   "a file has other names through mounts",
		"pathguard/hosts":    "a git remote is a host",
		"pathguard/passwd":   "~user is the home of an account",
		"pathguard/intent":   "the caller's own judgement is part of its request",
	},
	"pathguard": {
		"shellparse/catalog/agents": "which files of a workspace an agent loads",
		"pathguard/resolve":         "it judges the plan",
		"pathguard/walk":            "existing built-in names are hidden or protected",
		"pathguard/mounts":          "what is hidden is hidden under every name",
		"pathguard/pathname":        "a path is compared with the built-in names",
		"pathguard/hosts":           "contacted hosts are compared with network.allow",
		"pathguard/intent":          "a caller may request a question",
		"shellparse":                "it judges the commands and effects of a script",
		"shellparse/catalog":        "the names that others run later are a separate table",
		"shellparse/command":        "rules are about the rights with which a target was named",
		"shellparse/code":           "which calls of a program are worth a reason",
	},
	"pathguard/presets": {},
	"pathguard/frozen": {
		"pathguard/resolve": "it writes and reads its plans",
		"shellparse":        "an effect says which command it is of",
	},
	"launcher/control": {
		"launcher/broker":       "from inside, it finds its socket",
		"approval":              "the same rules say who may take control and who may decide",
		"audit":                 "credentials on the screen are hidden in a report",
		"audit/play":            "the screen as bytes",
		"audit/screen":          "it shows the current screen to a client, and a report contains its lines",
		"launcher/sandbox":      "it freezes the session's processes, and finds its socket from inside",
		"launcher/session":      "it types into the terminal, under a lease",
		"launcher/session/wire": "it speaks to clients",
		"pathguard/proc":        "processes are looked at in one place",
	},
	"launcher/environ": {
		"shellparse/catalog/agents": "the variables and folders that an agent's program sets for itself",

		"shellparse/catalog": "the judge uses the same table of variables",
	},
	"launcher/notice": {},
	"launcher/caller": {
		"approval":         "approval decides by these facts",
		"launcher/notice":  "a program chooses its own name, so it is shown inert",
		"launcher/sandbox": "whether this process is in one of our sandboxes",
		"launcher/state":   "a process is identified by its start time too",
		"pathguard/proc":   "there is one reader of what the kernel says about a process",
	},
	"launcher/exit": {},
	// A fleet: only cmd/tada-fleet links these.
	"integration/fleet/document": {
		"approval":           "documents are signed with the keys of answers, and say whose count",
		"approval/canonical": "a document has one spelling",
		"approval/plan":      "it is read as a plan is",
	},
	"integration/fleet/keyspace": {},
	"integration/fleet/pages":    {},
	"integration/fleet/history": {
		"integration/fleet/document": "what follows what is said there",
		"integration/fleet/keyspace": "where the documents are",
	},
	"integration/fleet/registrar": {
		"approval":                   "the registrar's key is one of them",
		"approval/canonical":         "an invitation has one spelling",
		"approval/plan":              "the founder may allow any risk",
		"approval/private":           "its folder belongs to one user alone",
		"integration/fleet/document": "it signs the records of machines",
		"integration/fleet/history":  "it follows the documents as machines do",
		"integration/fleet/keyspace": "it makes the roles for the keys that machines use",
		"integration/fleet/pages":    "orders are read a few at a time",
		"launcher/state":             "a file of its folder is replaced as those of a machine are",
	},
	"integration/fleet/cosign": {
		"approval/canonical":         "a request has one spelling",
		"approval/plan":              "and is read as a plan is",
		"audit":                      "it is about checkpoints of a log",
		"audit/witness":              "which a machine cosigns as any witness does",
		"integration/fleet/document": "the registrar's records say which machine has which key",
		"integration/fleet/keyspace": "where requests and answers are",
		"launcher/upkeep":            "the key of a log",
	},
	"integration/fleet/member": {
		"approval/plan":               "times are written in one way",
		"approval/private":            "its files belong to this user alone",
		"integration/fleet/document":  "what it keeps was checked there",
		"integration/fleet/registrar": "it joins by that protocol",
		"launcher/state":              "they are in the state directory",
	},
	"integration/fleet/agent": {
		"approval":                   "it publishes questions and hands in answers",
		"approval/bolt":              "approvals move out of the file when a machine joins",
		"approval/etcd":              "and into etcd",
		"approval/relay/served":      "from where the agent serves them",
		"approval/canonical":         "what it says has one spelling",
		"approval/plan":              "and is written as a plan is",
		"audit":                      "runs are counted in its words",
		"audit/witness":              "a request to cosign has a proof",
		"integration/fleet/cosign":   "it cosigns for others, and asks them",
		"integration/fleet/document": "it obeys what administrators sign",
		"integration/fleet/history":  "and follows them through their changes",
		"integration/fleet/keyspace": "where questions and answers are",
		"integration/fleet/member":   "the files of the machine",
		"integration/fleet/pages":    "what is there is read a few at a time",
		"integration/fleet/ship":     "it ships the record",
		"launcher":                   "the store takes answers, and runs are ended, through it",
		"launcher/state":             "the bundles that the machine has are read there",
	},
	"integration/fleet/ship": {
		"approval/canonical":         "a manifest has one spelling",
		"approval/plan":              "and is read as a plan is",
		"audit":                      "what it ships is a log and transcripts, and what is proven",
		"audit/plans":                "and plans",
		"audit/witness":              "a witness cosigns checkpoints before they are shipped",
		"audit/zstandard":            "objects are compressed before they are encrypted",
		"integration/fleet/cosign":   "other machines cosign them too",
		"integration/fleet/document": "it says where to, and which machine has which key",
		"launcher":                   "the record belongs to a state directory",
		"launcher/record":            "the kinds of entries",
		"launcher/upkeep":            "which has a key that signs for it",
		"launcher/state":             "its note is replaced as files of that are",
	},
	"integration/fleet/columns": {
		"audit":                      "it takes entries",
		"audit/runs":                 "which are put together to runs",
		"integration/fleet/document": "a row has the labels of its machine",
	},
	"integration/fleet/people": {
		"approval":                   "what people sign",
		"approval/canonical":         "what machines say has one spelling",
		"approval/plan":              "and is read as a plan is",
		"audit":                      "runs are counted in its words",
		"integration/fleet/document": "the documents that they change",
		"integration/fleet/history":  "and that lead to the newest",
		"integration/fleet/keyspace": "where all of it is",
		"integration/fleet/pages":    "which is read a few values at a time",
	},
	"cmd/tada-fleet":       {"cmd/tada-fleet/cli": "the program"},
	"cmd/tada-fleet/verbs": {},
	"cmd/tada-fleet/cli": {
		"launcher/replay":             "it judges the runs of machines again",
		"approval":                    "keys, and the errors of the store",
		"approval/render":             "a question's risk is what its page says",
		"integration/fleet/agent":     "tadactl fleet agent",
		"integration/fleet/cosign":    "status says who cosigns",
		"integration/fleet/document":  "it reads labels, and changes documents",
		"integration/fleet/history":   "a link is made from the newest document",
		"integration/fleet/keyspace":  "where the approvals of a machine are",
		"integration/fleet/member":    "the files of the machine",
		"integration/fleet/people":    "what people do",
		"integration/fleet/registrar": "tadactl fleet init, serve and invite",
		"integration/fleet/ship":      "tadactl fleet ship and verify",
		"integration/fleet/columns":   "tadactl fleet export",
		"integration/distant":         "the inbox of tadactl reads what is printed there",
		"audit":                       "what verify finds is counted in its words",
		"audit/zstandard":             "the agent ships what is packed",
		"cmd/tada-fleet/verbs":        "the tree of its verbs",
		"launcher/caller":             "who may make the machine a member",
		"launcher/state":              "the home of the account, for the service of the agent",
		"launcher":                    "the state directory",
		"launcher/exit":               "its exit statuses",
		"launcher/notice":             "whether a terminal shows UTF-8",
		"launcher/permit":             "questions are shown, and answers signed",
		"launcher/prompt":             "it asks for the passphrase of a key",
		"pathguard":                   "cases that fail are shown",
	},
	"launcher/refusal": {
		"launcher/exit":   "a refusal ends tada-run with a status",
		"launcher/notice": "a message is shown to a person",
		"pathguard":       "it contains the reasons of a verdict",
	},
	"launcher/permit": {
		"approval/flock":   "a question for which a process waits is a locked file",
		"approval":         "the rules about questions, answers and grants",
		"approval/bolt":    "the store is a database of the state directory",
		"approval/relay":   "the store of a machine of a fleet is behind the fleet's agent",
		"approval/plan":    "an answer is for the hash of a plan",
		"approval/render":  "texts of a person or the store are shown inert",
		"audit":            "each change of the store is an entry of the log",
		"launcher/caller":  "what the kernel says about a process that answers",
		"launcher/exit":    "the exit status of a request that waits or is denied",
		"launcher/notice":  "a diff is shown with inert names",
		"launcher/prompt":  "it asks the person at this terminal",
		"launcher/record":  "the log of the state directory",
		"launcher/refusal": "a request without approval is refused",
		"launcher/state":   "store, marks and locks are in the state directory",
		"pathguard":        "the verdict says whether to ask a person",
	},
	"launcher/past": {
		"approval":        "the entry about an answer says how a request ended",
		"audit":           "it reads entries",
		"launcher/permit": "a run may wait for an answer to its question",
		"launcher/record": "the kinds of entries, and where they are",
		"launcher/state":  "which runs go on, and when an id was made",
		"launcher/undo":   "what a run changed is counted by its journal",
	},
	"launcher/setup": {
		"audit":              "what happens to protected files is recorded",
		"launcher/record":    "in the log of the state directory",
		"launcher/state":     "what was there before is in the state directory",
		"pathguard/pathname": "a folder goes with the last file in it",
		"pathguard/tamper":   "a file with something of tada-run in it is protected",
	},
	"launcher/replay": {
		"approval":           "a grant that no run has used",
		"approval/render":    "commands are shown by the one renderer",
		"audit":              "it reads entries",
		"audit/plans":        "the plans on record",
		"launcher/past":      "how runs ended that asked",
		"launcher/permit":    "the grants that there are",
		"launcher/record":    "the kinds of entries",
		"pathguard":          "the policies that judge",
		"pathguard/frozen":   "plans are judged from the record",
		"pathguard/pathname": "which runs were in a workspace",
		"shellparse/command": "tables of programs are compared",
	},
	"launcher/client": {
		"approval":                  "which agent's program a file is",
		"launcher/broker/network":   "an address in the settings is a host of the sandbox",
		"launcher/environ":          "which names are variables, and where everyone may write",
		"launcher/state":            "the folder of a session belongs to this user alone",
		"pathguard":                 "what policy lets an agent read",
		"pathguard/pathname":        "whether a program is one of the workspace",
		"shellparse/catalog/agents": "what an agent's program needs in a session",
	},
	"launcher/shell": {
		"pathguard":  "the running program is a file that a plan may name",
		"shellparse": "each dialect has a shell",
	},
	"launcher/switches": {
		"launcher/client":           "where an agent's program has its settings",
		"launcher/environ":          "which variables a shell acts on first",
		"launcher/shell":            "whether a shell in the settings is this program",
		"shellparse/catalog/agents": "which settings switch hooks off",
	},
	"launcher/preimage": {
		"launcher/broker":    "it announces changes",
		"launcher/control":   "the process of a command inside, whose end is looked at",
		"launcher/past":      "which runs are meant, and what one changed",
		"launcher/sandbox":   "where a run may write, and what its sandbox could not announce",
		"launcher/state":     "what is kept is in the state directory",
		"launcher/undo":      "it keeps the files",
		"pathguard":          "policy says how much is kept, and for how long",
		"pathguard/pathname": "a change is in a folder of the run or not",
	},
	"launcher/upkeep": {
		"approval":           "who may accept a changed record, and how a key is stored",
		"approval/canonical": "an entry of the record has one spelling",
		"audit":              "the formats and proofs",
		"audit/plans":        "plans are packed, and deleted with the entries that name them",
		"launcher/permit":    "a person is asked, and the store knows where the log ended",
		"launcher/record":    "which log and transcripts they are",
		"launcher/replay":    "which plans entries name",
		"launcher/state":     "keys, checkpoints and locks are in the state directory",
	},
	"launcher/live": {
		"audit":            "which runs go on",
		"launcher/control": "a session is reached by its socket",
		"launcher/past":    "what the record says about a run",
		"launcher/state":   "whether a process is the one that started a run",
	},
	"launcher/prompt": {
		"approval/render":  "it uses the one renderer of pages",
		"launcher/notice":  "a terminal without UTF-8 gets plain pages",
		"launcher/session": "it reads keys where no program can type them",
	},
	"launcher/record": {
		"approval/canonical": "entries are written in one spelling",
		"pathguard/tamper":   "what happens to protected files is recorded",
		"audit":              "the formats and proofs",
		"audit/archive":      "transcripts of sessions that are over",
		"launcher/state":     "where the record is stored",
	},
	"launcher/state": {
		"approval/flock":   "a file in use is locked",
		"approval/private": "an order to freeze is a file of this user alone",
		"pathguard/proc":   "there is one reader of boot and processes",
		"pathguard/passwd": "there is one reader of an account's home in /etc/passwd",
		"launcher/notice":  "the process that holds a lock is shown by its command line",
	},
	// Above permit, and not in it: tada-run links permit, and takes no answers by passkey.
	"launcher/pairing": {
		"approval":         "it stores the answers that passkeys sign",
		"approval/passkey": "pairings and assertions are checked there",
		"approval/private": "the address of the console is in a file of this user alone",
		"launcher/permit":  "the store, the record, and who may enrol",
		"launcher/state":   "passkeys and the pending pairing are in the state directory",
	},
	// Above broker/network, and linked by tadactl alone: it is an HTTP client.
	"launcher/push": {
		"approval/passkey":        "a subscription belongs to a paired passkey",
		"approval/private":        "its key is in a file of this user alone",
		"audit":                   "questions are counted in its words",
		"launcher/broker/network": "which addresses are not public is one list",
		"launcher/state":          "subscriptions are in the state directory",
	},
	"launcher/watch": {
		"pathguard/pathname":       "whether a repository is where the command could write",
		"launcher/refusal":         "a refused connection is reported in the words of its question",
		"launcher/broker":          "what a run did with the network is reported and recorded",
		"audit":                    "the bytes missing from a transcript are counted in its words",
		"launcher/environ":         "variables that a command lacks are reported in the words of that table",
		"launcher/notice":          "it reports its findings to a person",
		"launcher/sandbox":         "how the command ended, and what its sandbox was",
		"launcher/sandbox/gitmeta": "what a command left for git to run is removed",
		"pathguard":                "a part of the plan is not a finding",
		"shellparse":               "steps that the line itself gave to git are not findings",
		"shellparse/command":       "nor are the rights that the line named",
	},
	"launcher": {
		"pathguard/pathname":        "whether one path is below another",
		"launcher/client":           "the agent's program of a session",
		"launcher/shell":            "how the shell is called, and where it is",
		"launcher/switches":         "a person is told what switches hooks off",
		"launcher/preimage":         "what a run changes is kept, as it was before",
		"launcher/upkeep":           "the record is verified, proven and maintained",
		"launcher/live":             "a run is told to stop by a signal",
		"launcher/replay":           "another policy is tried beside the one in force",
		"launcher/setup":            "the settings of other programs in which tada-run has a part",
		"launcher/undo":             "what was kept of runs is put back",
		"launcher/broker":           "its profile says what may be shared",
		"launcher/broker/view":      "a folder that programs look for cannot be a workspace",
		"approval/flock":            "one person edits the configuration at a time",
		"shellparse/catalog/agents": "which agents take variables from a workspace",
		"shellparse/wrapper":        "what a hook writes around a command that no shell can parse",

		"pathguard/intent":        "a batch is the commands of an intent",
		"pathguard/proc":          "the default limits depend on the kernel",
		"pathguard/passwd":        "a person who accepts a change is named by the account",
		"pathguard/walk":          "a protected file is a path, not a descriptor",
		"launcher/state":          "what is stored, and which other processes use it",
		"launcher/record":         "every step is recorded, in the log of the state directory",
		"launcher/past":           "what has run, read from the record",
		"launcher/exit":           "the result of a request is an exit status",
		"launcher/refusal":        "a refusal if nothing ran",
		"launcher/permit":         "step 3: the approval",
		"launcher/caller":         "who may answer, and for whom a run is",
		"approval/plan":           "hash, risk and origin of a plan",
		"approval/render":         "questions are shown by the one renderer",
		"launcher/environ":        "the table of variables that a command gets",
		"shellparse":              "step 1: the text",
		"shellparse/command":      "effects are reported with the rights of their names",
		"pathguard":               "step 2: the files and the verdict",
		"pathguard/frozen":        "every step: the plan is on record",
		"approval/bolt":           "approvals are stored in a file",
		"approval":                "the envelopes, events and levels of trust",
		"approval/canonical":      "plan and record are written in one spelling",
		"launcher/sandbox":        "step 4: the sandbox",
		"launcher/notice":         "messages to a person beside the command's output",
		"launcher/watch":          "what is compared before and after a command",
		"launcher/broker/network": "the hosts of a plan are rules of the sandbox",
		"launcher/session":        "step 4: the terminal",
		"launcher/session/wire":   "clients of a session are informed about questions",
		"launcher/control":        "how others reach a session",
		"pathguard/tamper":        "before and after every step: protected files",
		"audit":                   "every step: the record",
		"audit/plans":             "and what each verdict depended on",
		"audit/sorted":            "the plans on record exceed the memory",
	},
	"integration":          {},
	"integration/hermetic": {},
	"integration/scale": {
		"approval":           "the runs ask questions",
		"approval/bolt":      "in the store of a run",
		"approval/canonical": "bodies of entries are canonical JSON",
		"audit":              "it writes entries and transcripts as a run does",
		"audit/plans":        "and plans",
		"launcher/permit":    "answers are a person's, and told to the log as a run does",
		"launcher/record":    "the kinds of entries, and where the log is",
		"launcher/state":     "the parts of a state directory, and ids",
	},
	"integration/hook": {
		"launcher/switches":  "the user's rules are in the files that also switch hooks off",
		"launcher/shell":     "a call of a shell is judged as a shell would be called",
		"launcher/setup":     "it reads the settings of a platform",
		"launcher":           "it asks for the judgement, and lets the launcher record the decision",
		"launcher/refusal":   "it tells a platform why its call does not go ahead",
		"shellparse":         "the user's rules are for the simple commands of a line",
		"shellparse/wrapper": "package wrapper recognises what it writes around a command",

		"shellparse/catalog/agents": "where each platform has the user's rules",
	},
	"integration/mcp": {
		"launcher/shell":         "a command is what a shell would be given",
		"launcher/past":          "a result says what a run changed",
		"launcher/permit":        "it knows which calls were approved",
		"launcher":               "a tool is a request to it",
		"launcher/refusal":       "it tells a client why its call does not go ahead",
		"launcher/undo":          "undo_run says what was done to which path",
		"launcher/session":       "a command gets descriptors of its own",
		"integration/quarantine": "read_reference asks the broker of a session",
		"pathguard/tamper":       "an answer about protected files uses the words of that package",
	},
	"integration/hook/settings": {
		"integration/hook": "settings are read as strictly as a platform's calls",

		"shellparse/catalog/agents": "where each platform keeps its hooks and its shell",
	},
	"integration/hook/platform": {
		"integration/hook": "an adapter is a value of its kind",
	},
	"integration/quarantine": {
		"approval/render":         "texts are shown inert",
		"approval/canonical":      "the signed text of a reference has one spelling",
		"approval/flock":          "a slot for an agent is a locked file",
		"audit":                   "its log hides the same secrets as the record",
		"launcher":                "they share the variable that confines an agent",
		"launcher/sandbox":        "a reviewer runs in a sandbox of its own",
		"launcher/broker/network": "its sandbox allows only connections to the model",
	},
	"cmd/tada-run": {
		"cmd/tada-run/cli": "main only calls it",
	},
	"cmd/tada-run/cli": {
		"launcher/shell":        "its arguments are those of a shell",
		"launcher/past":         "what a run of a batch changed",
		"pathguard/intent":      "it reads the intent of a caller",
		"launcher/control":      "inside a session it asks the launcher outside",
		"launcher/exit":         "exit statuses",
		"launcher/refusal":      "it prints why nothing ran",
		"launcher":              "it asks the launcher to run",
		"launcher/environ":      "the hook's line starts without variables that a shell acts on first",
		"launcher/session":      "it passes its descriptors and asks on its terminal",
		"launcher/session/wire": "it is the first client of a session that it started",
		"pathguard":             "it prints verdicts",
		"approval":              "it renders what is asked",
		"pathguard/proc":        "processes are looked at in one place",
	},
	"cmd/tadactl": {
		"cmd/tadactl/cli":         "main only calls it",
		"launcher/sandbox/attack": "doctor --attack starts this program again as the attacker",
	},
	"cmd/tadactl/inbox": {
		"approval":            "it shows questions, and their answers are decisions",
		"approval/plan":       "the hash of a plan, and the tool of one",
		"approval/render":     "questions are shown by the one renderer",
		"audit":               "questions are counted in its words",
		"integration/distant": "the questions of other machines are in the same list",
		"launcher/notice":     "whether a terminal shows UTF-8",
		"launcher/permit":     "it makes the answers",
		"launcher/prompt":     "how pages look on a terminal",
	},
	"integration/console": {
		"launcher/live":    "why a session cannot be shown",
		"launcher/replay":  "it shows what runs teach",
		"launcher/past":    "it shows recorded runs",
		"launcher/pairing": "devices are paired and approve there",
		"launcher/push":    "devices are notified by it",
		"approval/passkey": "a session is named after the passkey that signed in",

		"launcher/permit":       "it makes the answer that a person gave",
		"launcher/state":        "what an address names must be an id",
		"launcher/session/wire": "the page of a terminal is a client of its session",
		"approval/plan":         "hash, risk and origin of a plan",
		"approval/render":       "questions are shown by the one renderer",
		"integration/distant":   "the questions of other machines are in the same list",
		"launcher":              "it opens the same state",
		"approval":              "it shows and decides",
		"audit":                 "what does not verify is told apart from what cannot be read",
		"audit/export":          "the page of a run plays it with its player",
		"audit/play":            "the page of a run has what a person saw of it",
		"audit/screen":          "the largest size of a terminal",
		"launcher/undo":         "an undo is shown before it is confirmed",
		"pathguard":             "the policy in force, and where its parts come from",
	},
	"integration/distant": {
		"approval":       "what machines ask is read as questions",
		"launcher/state": "whether the machine is in a fleet",
	},
	"packaging/release":        {},
	"integration/served":       {},
	"integration/servers/etcd": {},
	"integration/servers/s3":   {},
	"cmd/tadactl/cli": {
		"launcher/live":             "why a session cannot be attached to",
		"cmd/tadactl/inbox":         "the open questions on a screen, and in one line each",
		"launcher/preimage":         "which runs are shown and taken back",
		"launcher/shell":            "a command is judged as the shell would be called",
		"launcher/switches":         "hook status lists what switches hooks off",
		"launcher/upkeep":           "it checks what keys of logs have signed",
		"launcher/replay":           "it judges recorded runs again",
		"launcher/setup":            "it writes into the settings of agents",
		"launcher/past":             "it lists and shows recorded runs",
		"audit/archive":             "a search names a damaged archive and goes on",
		"cmd/tada-fleet/verbs":      "help, manual pages and completion have the verbs of a fleet",
		"docs":                      "tadactl help shows the pages",
		"pathguard/intent":          "the commands of an intent are signed one by one",
		"shellparse/catalog/agents": "which platform starts only hooks that the user trusts",

		"launcher/permit":         "it makes and signs answers, and proves a person",
		"approval/plan":           "hash, risk and origin of a plan",
		"approval/render":         "questions are shown by the one renderer",
		"launcher/control":        "a hook inside a session leaves its calls to the session",
		"launcher/exit":           "exit statuses",
		"launcher/notice":         "whether a terminal shows UTF-8",
		"launcher/prompt":         "it reads passphrases and codes, and lets a person leave a question",
		"launcher/caller":         "a person's commands are refused inside a sandbox",
		"launcher/state":          "it looks up ids by their prefix",
		"integration/console":     "console, and inbox --web",
		"integration/distant":     "the inbox has the questions of other machines",
		"approval/passkey":        "audit verify checks what passkeys have signed",
		"launcher/pairing":        "key pair, key list and key revoke",
		"launcher/push":           "key revoke ends notifications too",
		"launcher":                "it opens the same state and judges in the same way",
		"launcher/sandbox":        "doctor prints what the kernel supports",
		"launcher/sandbox/attack": "doctor --attack attacks the sandbox",
		"launcher/session":        "it asks on the person's terminal, and attaches to sessions",
		"launcher/session/wire":   "attach shows what a session says",
		"launcher/undo":           "it shows changes, and what an undo does",
		"pathguard":               "it prints verdicts and policy",
		"pathguard/presets":       "policy init --for",
		"pathguard/tamper":        "a diff of files is as inert as one of protected files",
		"approval":                "it shows and decides",
		"audit":                   "it replays and verifies",
		"audit/play":              "replay",
		"audit/export":            "export",
		"audit/ocsf":              "audit export",
		"audit/runs":              "which remembers the runs that go on",
		"pathguard/passwd":        "and names the account",
		"audit/witness":           "it is a witness, and asks one",
		"audit/zstandard":         "it packs transcripts and opens packed ones; tada-run does neither",

		"integration/hook":          "it is the hook that platforms start",
		"integration/hook/platform": "the adapter of the platform",
		"integration/quarantine":    "it runs sessions, and asks them",
		"integration/hook/settings": "it registers the hook in them",
		"integration/mcp":           "it is the server that clients start",
	},
}

// testOnly lists the imports within this module that only _test.go files may have.
var testOnly = map[string]map[string]string{
	"approval": {
		"approval/bolt":          "the rules are also tested with the database of the programs",
		"approval/etcd":          "and with that of a fleet",
		"integration/served":     "whose servers are real",
		"approval/relay":         "and with the database of a machine of a fleet",
		"approval/relay/served":  "which a process of the tests has",
		"approval/plan/plantest": "plans for tests",
	},
	"approval/etcd": {
		"approval/bolt":          "tests move from the database of the programs",
		"approval/plan":          "a claim names the hash of a plan",
		"approval/plan/plantest": "plans for tests",
		"integration/served":     "the servers of the tests are real",
	},
	"approval/relay": {
		"approval/bolt":         "an agent of the tests has the database of the programs",
		"approval/relay/served": "and lets the tests use it",
	},
	"approval/relay/served": {
		"approval/bolt": "tests serve the database of the programs",
	},
	"integration/fleet/registrar": {
		"integration/served": "the etcd of the tests is real",
	},
	"integration/fleet/member": {
		"approval": "the registrar of its tests has keys",
	},
	"approval/plan": {
		"approval/plan/plantest": "plans for tests",
	},
	"integration/fleet/cosign": {
		"approval": "a registrar signs the records of machines",
	},
	"integration/fleet/ship": {
		"approval":           "a registrar signs the records of machines",
		"integration/scale":  "a day of many runs is shipped",
		"integration/served": "the bucket is one of a server",
	},
	"cmd/tada-fleet/cli": {
		"launcher/shell":     "a test judges a line",
		"shellparse":         "commands are in a dialect",
		"integration/served": "the bucket of the tests is a part of a real one",
	},
	"integration/fleet/agent": {
		"launcher/shell":              "a test judges a line",
		"approval/plan/plantest":      "plans for tests",
		"audit/zstandard":             "it ships what is packed",
		"integration/fleet/people":    "people answer, freeze and change documents",
		"integration/fleet/registrar": "which has let the machine in",
		"integration/fleet/ship":      "what was shipped is proven",
		"integration/served":          "the servers of the tests are real",
		"launcher/permit":             "a person asks",
		"pathguard":                   "verdicts are compared",
		"shellparse":                  "commands are in a dialect",
	},
	"approval/passkey": {
		"approval/bolt":                "answers are also stored, in the database of the programs",
		"approval/plan/plantest":       "plans for tests",
		"approval/passkey/passkeytest": "a device in software",
	},
	"launcher/push": {
		"approval":                     "tests pair passkeys",
		"approval/passkey/passkeytest": "a device in software",
	},
	"integration/console": {
		"approval/passkey/passkeytest": "a device in software",
		"approval/plan/plantest":       "plans for tests",
	},
	"integration/distant": {
		"approval/plan":          "a question names the hash of its plan",
		"approval/plan/plantest": "plans for tests",
	},
	"launcher/pairing": {
		"approval/passkey/passkeytest": "a device in software",
		"approval/plan/plantest":       "plans for tests",
		"audit":                        "tests verify and forge the record",
		"launcher":                     "tests ask on a real state directory",
	},
	"approval/render": {
		"approval/plan/plantest": "plans for tests",
	},
	"audit/archive": {
		"audit/zstandard": "tests pack with the real codec",
	},
	"audit/ocsf": {
		"approval/canonical": "a log has bodies of no other spelling",
	},
	"audit/plans": {
		"audit/zstandard": "tests pack with the real codec",
	},
	"pathguard/presets": {
		"pathguard":         "each case of a preset is judged",
		"pathguard/resolve": "each case of a preset is judged",
	},
	"pathguard/frozen": {
		"pathguard": "a plan from the record has the verdict that it had",
	},
	"launcher/replay": {
		"approval/canonical": "tests write entries",
		"audit/zstandard":    "tests pack with the real codec",
		"launcher/state":     "a record is in a state directory",
		"shellparse":         "plans are made of lines",
	},
	"launcher/live": {
		"launcher/permit": "what waits for an answer is no run that goes on",
		"launcher/record": "a record is in a state directory",
	},
	"launcher/refusal": {
		"shellparse": "a reason has a position in a text",
	},
	"launcher/preimage": {
		"launcher/permit": "a test reads the runs of a record, which has questions",
		"launcher/record": "a test makes an empty record",
	},
	"launcher/watch": {
		"shellparse/catalog": "tests iterate over its tables",
	},
	"launcher": {
		"shellparse/catalog":     "tests iterate over its tables",
		"audit/zstandard":        "tests pack with the real codec",
		"approval/plan/plantest": "plans for tests",
	},
	"cmd/tadactl/inbox": {
		"approval/canonical": "a test makes the payload of a question",
	},
	"audit": {
		"audit/zstandard": "tests pack with the real codec",
	},
	"shellparse": {
		"shellparse/command": "a test names the rights of effects",
	},
	"integration/mcp": {
		"approval": "a test answers like another machine, with a key",

		"approval/render": "a test reads the page of a question",
		"audit":           "tests look at the entries of the record",
	},
	"integration/hook": {
		"integration/hook/platform": "the same calls go through every adapter",
		"audit":                     "tests look at the entries of the record",
	},
	"integration": {
		"audit/plans":           "runs of a corpus are put on record, to learn from them",
		"launcher/switches":     "a program of each agent is asked what switches its hooks off",
		"launcher/shell":        "transcripts judge lines as a shell would be called",
		"integration/served":    "the etcd of the tests is real",
		"approval/relay/served": "stories have an agent of a fleet",

		"integration/scale":  "a record of many runs is made",
		"launcher/replay":    "recorded runs are judged again",
		"cmd/tada-run/cli":   "transcripts run the real programs in the test binary",
		"cmd/tadactl/cli":    "transcripts run the real programs in the test binary",
		"shellparse":         "the corpus is judged end to end",
		"shellparse/catalog": "no key of its tables may be in code too",

		"shellparse/catalog/agents": "the tests use its facts about each agent",

		"shellparse/eval":    "rare parts of the shell are turned off, to measure what each earns",
		"shellparse/code":    "readers are turned off, to measure what each earns",
		"pathguard":          "the corpus is judged end to end",
		"pathguard/frozen":   "and again from the record",
		"launcher":           "benchmarks judge in process",
		"launcher/permit":    "a person is asked on a terminal",
		"launcher/exit":      "transcripts name statuses",
		"launcher/session":   "benchmarks of a run give it descriptors",
		"launcher/sandbox":   "a story skips only by naming what the kernel lacks",
		"approval":           "tests look at stored envelopes",
		"approval/canonical": "tests look at the bytes of stored envelopes",
		"approval/bolt":      "tests ask more at once than agents may",
		"audit":              "tests look at the entries of the record",
		"audit/export":       "other players are given the same runs",
		"audit/zstandard":    "which are read from packed transcripts too",
		"launcher/record":    "and from where a record keeps them",
		"launcher/state":     "in a state directory",
		"audit/screen":       "what a replay shows on a terminal is read from a model of it",
	},
}

// forbidden names packages that a binary must not link, with the reason.
var forbidden = map[string]map[string]string{
	"cmd/tada-run": {
		"net":                                "the program that agents call links no network client or server",
		"net/http":                           "costs a millisecond at every start and is attack surface",
		"github.com/spf13/pflag":             "links net",
		"github.com/spf13/cobra":             "getopt is enough for one verb",
		"github.com/klauspost/compress/zstd": "its tables are made at every start",

		"github.com/modelcontextprotocol/go-sdk/mcp": "it links net/http; the server is tadactl's",

		"os/user":       "pulls in cgo or net lookups for what one line of passwd says",
		"html/template": "tada-run serves no web pages",

		"github.com/go-webauthn/webauthn/protocol": "tada-run takes no answers by passkey",
		"rsc.io/qr":                  "pairing a phone is done with tadactl",
		"github.com/coder/websocket": "tada-run serves no web pages",

		"charm.land/bubbletea/v2": "only tadactl has full-screen programs",

		"go.etcd.io/etcd/client/v3": "only the program of a fleet speaks to servers",
		"google.golang.org/grpc":    "only the program of a fleet speaks to servers",

		"github.com/minio/minio-go/v7": "only the program of a fleet speaks to servers",
		"filippo.io/age":               "only the program of a fleet encrypts records",

		"github.com/parquet-go/parquet-go": "only the program of a fleet writes columns",
	},
	"cmd/tadactl": {
		"go.etcd.io/etcd/client/v3": "only the program of a fleet speaks to servers",
		"google.golang.org/grpc":    "only the program of a fleet speaks to servers",

		"github.com/minio/minio-go/v7": "only the program of a fleet speaks to servers",
		"filippo.io/age":               "only the program of a fleet encrypts records",

		"github.com/parquet-go/parquet-go": "only the program of a fleet writes columns",
	},
}

// topLevel is every entry that the root folder may have; adding one is a decision.
var topLevel = []string{
	".ci", ".git", ".gitignore", ".golangci.yml", "CONTRIBUTING.md", "LICENSE", "Makefile",
	"README.md",
	"SECURITY.md", "approval", "audit", "bin", "cmd", "docs", "go.mod", "go.sum", "integration",
	"launcher", "packaging",
	"pathguard", "shellparse",
}

type source struct {
	folder string // relative to the root, slash separated
	file   string
	test   bool
	ast    *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("found %d Go files: the walk looks in the wrong place", len(all))
	}
	return all
}

// parsed returns the sources, which are read once for all tests.
var parsed = sync.OnceValues(func() (all []source, err error) {
	err = filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "bin") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil,
			parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel("..", filepath.Dir(p))
		all = append(all, source{filepath.ToSlash(rel), d.Name(), strings.HasSuffix(p, "_test.go"),
			f})
		return nil
	})
	return all, err
})

func imports(f *ast.File) []string {
	var paths []string
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

func TestImportsFollowThePlan(t *testing.T) {
	for _, s := range sources(t) {
		allowed, planned := plan[s.folder]
		if !planned {
			t.Errorf("folder %q is not in the plan of the house", s.folder)
			continue
		}
		for _, p := range imports(s.ast) {
			to, house := strings.CutPrefix(p, module+"/")
			if !house || to == s.folder {
				continue
			}
			if _, ok := allowed[to]; ok {
				continue
			}
			if _, ok := testOnly[s.folder][to]; s.test && (ok || to == ownSurroundings) {
				continue
			}
			t.Errorf("%s/%s imports %q: the plan has no such arrow", s.folder, s.file, to)
		}
	}
}

const ownSurroundings = "integration/hermetic"

// asInstalled are the tests that build programs as they are installed, which use the account that
// runs the tests: only on request, with the make target, or with a state directory for each verb.
var asInstalled = map[string]string{
	"clients_test.go":     "make test-clients",
	"docker_test.go":      "make test-docker",
	"hook_speed_test.go":  "make bench-hook",
	"pairs_linux_test.go": "make bench-pairs",
	"peers_test.go":       "make bench-peers",

	"fleet_program_linux_test.go": "tada-fleet gets --home with each verb",
	"address_linux_test.go":       "tada-run gets --home with each run",
}

// TestTestsAreHermetic requires a separate environment for tests that use files or programs, and
// programs under test that know only the account that the test gives them.
func TestTestsAreHermetic(t *testing.T) {
	for _, s := range sources(t) {
		if text := read(t, path.Join("..", s.folder, s.file)); s.test &&
			s.file != "house_test.go" && asInstalled[s.file] == "" &&
			strings.Contains(text, `"go", "build"`) && strings.Contains(text, "/cmd/") {
			t.Errorf("%s/%s builds a program as it is installed, which reads the configuration of this account", s.folder, s.file)
		}
	}
	uses, apart := map[string]string{}, map[string]bool{ownSurroundings: true}
	for _, s := range sources(t) {
		for _, p := range imports(s.ast) {
			switch {
			case !s.test:
			case p == "os" || p == "os/exec":
				uses[s.folder] = s.file
			case p == module+"/"+ownSurroundings:
				apart[s.folder] = true
			}
		}
	}
	for folder, file := range uses {
		if !apart[folder] {
			t.Errorf("%s/%s uses files or programs; add a TestMain that calls hermetic.Tests",
				folder, file)
		}
	}
}

// TestBinariesLinkOnlyWhatTheyNeed asks the go command what each program links, packages of
// other modules included. The test cache does not know what that command read: sources are
// read here as well, so that a changed import runs the test again.
func TestBinariesLinkOnlyWhatTheyNeed(t *testing.T) {
	sources(t)
	if _, err := os.ReadFile("../go.sum"); err != nil {
		t.Fatal(err)
	}
	for binary, why := range forbidden {
		list := exec.Command("go", "list", "-deps", "./"+binary)
		list.Dir = ".."
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%v: %v", list, err)
		}
		linked := strings.Fields(string(out))
		if !slices.Contains(linked, module+"/"+binary) {
			t.Fatalf("%v does not name %s itself", list, binary)
		}
		for p, reason := range why {
			if slices.Contains(linked, p) {
				t.Errorf("%s links %q: %s; see: go list -deps ./%s", binary, p, reason, binary)
			}
		}
	}
}

// untested are the folders without tests of their own, with the reason.
var untested = map[string]string{
	"cmd/tada-run": "main is a door; the stories go through it",
	"cmd/tadactl":  "main is a door; the stories go through it",

	"launcher/exit":          "it has constants and nothing else",
	"approval/plan/plantest": "it is for tests",

	"approval/passkey/passkeytest": "it is for tests",
	"shellparse/eval":              "the texts of shellparse's tests and fuzzers go through it",
	"audit/zstandard":              "audit packs with it and opens what was packed",
	"integration/scale":            "integration reads what it makes with every verb",
	"integration/servers/etcd":     "approval/etcd's tests start it",
	"integration/fleet/keyspace":   "the registrar's tests try each of its names",
	"integration/fleet/history":    "the agent's tests are away while people change",
	"integration/fleet/pages":      "the agent's tests fill etcd",
	"integration/fleet/people":     "the agent's tests answer, freeze and change through it",
	"cmd/tada-fleet":               "main is a door; integration's tests go through it",
	"cmd/tada-fleet/verbs":         "the tests of tadactl's verbs walk it",
	"integration/servers/s3":       "integration/fleet/ship's tests start it",
	"integration/hook/platform":    "integration/hook sends the same calls through every adapter",
}

// parts are what the source document requires under these names, where each is, and its entry
// function.
var parts = map[string][2]string{
	"policy":         {"pathguard", "Load"},
	"controller":     {"launcher", "Launcher.Run"},
	"danger checker": {"pathguard", "Guard.CheckCommand"},
	"path checker":   {"pathguard", "Guard.CheckPathAccess"},
	"shell analyzer": {"shellparse", "Parse"},
}

// kinds are the three kinds of security tests: of a unit, of the parts together, and through the
// programs.
var kinds = map[string]string{"unit": "pathguard", "integration": "launcher",
	"end to end": "integration"}

// C-7.1, C-8.1: the parts are in folders of their own, each with its manual
// (TestEveryFolderHasOnePackageComment) and its tests, and security is tested in all three ways.
func TestEveryPartHasItsTests(t *testing.T) {
	tests := map[string]int{}
	for _, s := range sources(t) {
		if s.test {
			tests[s.folder] += strings.Count(read(t, path.Join("..", s.folder, s.file)),
				"\nfunc Test")
		} else {
			tests[s.folder] += 0
		}
	}
	for folder, n := range tests {
		if why, ok := untested[folder]; (n == 0) != ok {
			t.Errorf("%s has %d tests; without tests: %q", folder, n, why)
		}
	}
	entries := map[string]bool{}
	for _, d := range declared(t) {
		entries[d.name] = true
	}
	for part, where := range parts {
		if !entries[where[0]+"."+where[1]] {
			t.Errorf("the %s is not where it was: %s.%s", part, where[0], where[1])
		}
	}
	row := regexp.MustCompile(`(?m)^(//|#).*\bC-\d`)
	for kind, folder := range kinds {
		files, err := filepath.Glob(path.Join("..", folder, "*_test.go"))
		stories, err2 := filepath.Glob(path.Join("..", folder, "testdata/script/*.txtar"))
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, file := range append(files, stories...) {
			n += len(row.FindAllString(read(t, file), -1))
		}
		if n < 3 {
			t.Errorf("%s: %d tests of what the source document asks for, in %s", kind, n, folder)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryFolderHasOnePackageComment(t *testing.T) {
	comments := map[string][]string{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		if comments[s.folder] == nil {
			comments[s.folder] = []string{}
		}
		if s.ast.Doc != nil && len(s.ast.Doc.List) > 0 {
			comments[s.folder] = append(comments[s.folder], s.file)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(comments)) {
		if n := len(comments[folder]); n != 1 {
			t.Errorf("%s has %d package comments %q; want one", folder, n, comments[folder])
		}
	}
}

func TestRootHoldsOnlyWhatWasDecided(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(topLevel, e.Name()) {
			t.Errorf("%q stands in the root folder; if it belongs there, add it to topLevel",
				e.Name())
		}
	}
}

// TestLocksHaveOneOwner requires that only approval/flock calls flock(2); it calls it again after a
// signal.
func TestLocksHaveOneOwner(t *testing.T) {
	for _, s := range sources(t) {
		text := read(t, path.Join("..", s.folder, s.file))
		calls := strings.Contains(text, "unix.Flock(") || strings.Contains(text, "syscall.Flock(")
		if owner := s.folder == "approval/flock"; !s.test && calls != owner {
			t.Errorf("%s/%s calls flock(2): %v", s.folder, s.file, calls)
		}
	}
}

func TestNoFolderWithAMeaninglessName(t *testing.T) {
	for _, s := range sources(t) {
		for _, part := range strings.Split(s.folder, "/") {
			switch part {
			case "util", "utils", "common", "types", "internal", "helpers", "misc", "pkg":
				t.Errorf("folder %q: %q says nothing about what lives there", s.folder, part)
			}
		}
	}
}

func TestPlanNamesOnlyFoldersThatExist(t *testing.T) {
	for folder := range plan {
		if _, err := os.Stat(path.Join("..", folder)); err != nil {
			t.Errorf("the plan names %q: %v", folder, err)
		}
	}
}
