package pathguard

// An Action is a column of the built-in table.
type Action int

// The actions.
const (
	ToList    Action = iota // names only
	ToRead                  // content
	ToWrite                 // create, write, append
	ToChange                // mode, owner, times
	ToDelete                // one name
	ToWipe                  // a whole tree
	ToSweep                 // by pattern, whatever matches
	ToExecute               // as a program, or as code
	actions
)

var actionNames = [actions]string{"list", "read", "write", "change mode", "delete one",
	"delete tree", "delete by wildcard", "execute"}

// String returns the name of the action as `policy show` prints it.
func (a Action) String() string { return actionNames[a] }

// A Place is where a target really is. A target can be in several; the strictest counts.
type Place int

// The places.
const (
	InWorkspace   Place = iota
	IsWorkspace         // its root
	InRegenerable       // below node_modules, dist, target ...
	InProtected         // what runs later: .git, hooks, CI files, agent settings
	InTemp              // /tmp and its like
	InCache             // of package managers and compilers
	InCachedCode        // of those caches, what runs in every project
	InToolDir           // where the account installs programs
	InStartup           // shell rc, systemd user units, ssh
	InSecret            // keys, tokens, histories
	InReadOnly          // security.readonly_paths
	InHome              // of the account, and none of the above
	InSystem            // /etc, /usr, /var ...
	InPrograms          // directories of the system's programs
	InOutside           // anywhere else
	IsRoot              // / or a directory of the system itself
	IsHome              // the home directory itself, or above it
	IsDevice            // a device that is not a harmless one
	InKernel            // /proc and /sys
	InProcess           // another process
	InUnknown           // unknown
	InRestricted        // security.restricted_paths
	InState             // of tada-run itself
	places
)

var placeNames = [places]string{
	"workspace", "the workspace directory", "build output", "protected names", "temporary files",
	"tool cache", "code in a tool cache", "installed tools",
	"startup files", "secrets", "readonly_paths", "home", "system", "system programs",
	"other paths", "/ or a system directory",
	"the home directory", "devices", "/proc and /sys", "another process", "unknown path",
	"restricted_paths", "tada-run's own files",
}

// String returns the name of the place as `policy show` prints it.
func (p Place) String() string { return placeNames[p] }

// A Cell is what the table says about one action in one place.
type Cell struct {
	Decision Decision
	Rule     string // the reason; "" for an allow
}

var yes = Cell{Allow, ""}

func ask(rule string) Cell  { return Cell{Ask, rule} }
func deny(rule string) Cell { return Cell{Deny, rule} }

// balanced is the built-in policy. What the sandbox can contain needs no question; what cannot be
// undone, leaves the sandbox, or runs later does.
//
// The columns are ToList, ToRead, ToWrite, ToChange, ToDelete, ToWipe, ToSweep, ToExecute.
var balanced = [places][actions]Cell{
	InWorkspace: {yes, yes, yes, yes, yes, ask("delete.tree"), ask("delete.pattern"), yes},
	IsWorkspace: {yes, yes, yes, yes, ask("delete.tree"), ask("delete.tree"), ask("delete.tree"),
		yes},
	InRegenerable: {yes, yes, yes, yes, yes, yes, yes, yes},
	InProtected: {yes, yes, ask("write.protected"), ask("write.protected"),
		ask("delete.protected"), ask("delete.protected"), ask("delete.protected"), yes},
	InTemp:       {yes, yes, yes, yes, yes, yes, ask("delete.pattern"), ask("exec.stray")},
	InCache:      {yes, yes, yes, yes, yes, ask("delete.outside"), ask("delete.outside"), yes},
	InCachedCode: {yes, yes, ask("write.cache"), ask("write.cache"), yes, yes, yes, yes},
	InToolDir: {yes, yes, ask("write.startup"), ask("write.startup"), ask("delete.outside"),
		ask("delete.outside"), ask("delete.outside"), yes},
	InStartup: {yes, yes, ask("write.startup"), ask("write.startup"), ask("delete.outside"),
		ask("delete.outside"), ask("delete.outside"), yes},
	InSecret: {yes, ask("read.secret"), yes, yes, yes, yes, yes, ask("read.secret")},
	InReadOnly: {yes, yes, ask("path.readonly"), ask("path.readonly"), ask("path.readonly"),
		ask("path.readonly"), ask("path.readonly"), yes},
	InHome: {yes, yes, ask("write.home"), ask("write.home"), ask("delete.outside"),
		ask("delete.outside"), ask("delete.outside"), ask("exec.stray")},
	InSystem: {yes, yes, ask("write.system"), ask("write.system"), ask("delete.outside"),
		ask("delete.outside"), ask("delete.outside"), ask("exec.stray")},
	InPrograms: {yes, yes, ask("write.system"), ask("write.system"), ask("delete.outside"),
		ask("delete.outside"), ask("delete.outside"), yes},
	InOutside: {yes, yes, ask("write.outside"), ask("write.outside"), ask("delete.outside"),
		ask("delete.outside"), ask("delete.outside"), ask("exec.stray")},
	IsRoot: {yes, yes, ask("write.system"), deny("write.root"), deny("delete.root"),
		deny("delete.root"), deny("delete.root"), yes},
	IsHome: {yes, yes, ask("write.home"), ask("write.home"), deny("delete.home"),
		deny("delete.home"), deny("delete.home"), yes},
	IsDevice: {yes, deny("read.device"), deny("write.device"), deny("write.device"),
		deny("write.device"), deny("write.device"), deny("write.device"), deny("write.device")},
	InKernel: {yes, yes, ask("write.kernel"), ask("write.kernel"), ask("write.kernel"),
		ask("write.kernel"), ask("write.kernel"), ask("exec.stray")},
	InProcess: {yes, ask("read.process"), ask("write.kernel"), ask("write.kernel"),
		ask("write.kernel"), ask("write.kernel"), ask("write.kernel"), ask("exec.stray")},
	InUnknown: {yes, yes, yes, yes, ask("delete.unknown"), ask("delete.unknown"),
		ask("delete.unknown"), ask("exec.stray")},
	InRestricted: everywhere(deny("path.restricted")),
	InState:      everywhere(deny("path.state")),
}

func everywhere(c Cell) (row [actions]Cell) {
	for i := range row {
		row[i] = c
	}
	return row
}

// A Row is one line of the built-in table.
type Row struct {
	Place Place
	Cells [actions]Cell
}

// Table returns the built-in table, row by row, for people to read.
func Table() []Row {
	rows := make([]Row, places)
	for i := range rows {
		rows[i] = Row{Place(i), balanced[i]}
	}
	return rows
}
