package command

// A Use is what one argv does, as far as its words tell. The zero Use is that of a program
// that does nothing, so a caller that gets no entry asks the nil *Spec instead of trusting it.
type Use struct {
	// it changes nothing here or elsewhere; what it starts (Nested) is judged by itself
	ReadOnly bool
	Touches  []Touch // names, in the order in which the words are read
	// empty words in place of a file name: nothing is opened, and nothing else is read instead
	Nameless []int
	Lists    []NameList // files of names, and standard input where it is one
	Hosts    []Host     // places in the network
	Hazards  []Hazard   // what is dangerous whatever the names are
	Nested   []Nested   // what it starts
	Assign   []Assign   // environment that it gives to what it starts
	Clear    bool       // what it starts gets no environment but Assign (env -i)
	Unset    []Arg      // names that it takes out of the environment of what it starts
	Unknown  []int      // option words that a closed entry does not know
	// a file of that directory which it executes by default, as make does its Makefile; "" for none
	Project string
	Dir     *Touch // the directory it works in (git -C, make -C); nil for the caller's
	// the language of what it reads, when that can name files which it takes in; "" when not
	Data string
	// the language in which it executes its standard input; "" when it does not
	StdinCode string
	Filter    string   // where its output comes from: FilterCopy ...; "" when that is not known
	Opaque    []Opaque // what could not be read
}

// What a program does with the bytes that run through it. A judge follows them, because
// `base64 -d | sh` and `curl | sh` hide code from a reader, while `grep | sh` still shows
// where it came from.
const (
	FilterCopy      = "copy"      // the same bytes: cat, tee
	FilterTransform = "transform" // changed bytes: sed, tr, grep
	// bytes that a reader could not have read before: base64 -d, gunzip
	FilterDecode = "decode"
	// shell text that the program itself makes for eval: ssh-agent -s, brew shellenv
	FilterSettings = "settings"
	FilterFetch    = "fetch" // bytes of another machine: curl, wget -O -
	// the variables that it was given: printenv, env without a command
	FilterEnvironment = "environment"
	FilterEndless     = "endless" // bytes for as long as there is a reader: yes
)

// A Touch is one name, and what happens to it.
type Touch struct {
	Right  Right
	Flags  Flags
	Arg    int    // index in args of the word that holds it; -1 when the program adds it by itself
	Text   string // the piece of the word that is the name: after "=", "@", "if=" and their like
	Static bool   // Text is the whole name; else the known prefix, unless Glob
	Glob   bool   // Text is a shell pattern
	Base   string // with Below: the pattern of the last component; "" for any
	InDir  bool   // a relative Text starts from Use.Dir
}

// Word is the name, as a word of its own.
func (t Touch) Word() Arg { return Arg{Text: t.Text, Static: t.Static, Glob: t.Glob} }

// A NameList is a file whose lines are names of trees that the program reads.
type NameList struct {
	Arg  int    // index in args of the word that names the file; -1 for standard input
	File Arg    // the file, when Arg is not -1
	From *Touch // the directory that its names start from; nil for the one the program works in
}

// A Host is a place in the network that is contacted, or listened on.
type Host struct {
	Scheme string // "https", "ssh", ...; "" when the words do not say
	Host   string
	Port   int  // 0 when the words do not say
	Static bool // Host is exactly the host that is contacted
	Upload bool // bytes of this machine go out
	Input  bool // with Upload: those of standard input and no others
	Built  bool // the rest of the address is made at run time, and so could carry anything out
	Arg    int  // index in args; -1 when the program adds it by itself
}

// A Hazard is a danger that is not the name of a file. Rule, Risk and Message are those of
// the hazards table. Risk 1 informs, 2 wants a question, 3 cannot be undone or leaves the
// machine.
type Hazard struct {
	Rule    string
	Risk    int
	Message string
	Arg     int // index in args of the word that causes it
}

// Surroundings are where something runs.
type Surroundings struct {
	Remote  bool // on another machine or in a container: its names are not names here
	Secrets bool // its environment holds secrets that are not of the caller
}

// A Nested is something that the program starts. Exactly one of Argv, Shell and Code is set.
type Nested struct {
	Surroundings
	Via     string // the program that starts it: "xargs", "find -exec"
	Argv    []Arg  // a command, word by word
	Shell   *Arg   // text for a shell
	Code    *Code  // text in another language
	Args    []Arg  // with Shell or Code: $0, $1, ... of it
	Arg     int    // index in args of the word that holds it, or in which Argv starts
	Stdin   bool   // more operands follow from standard input (xargs)
	Delim   string // with Stdin: the one character at which the input is cut; "" for blanks
	Max     int    // with Stdin: how many operands one command gets; 0 for all
	From    *Arg   // with Stdin: the file that is read instead (xargs -a)
	FromArg int    // index in args of From
	// each occurrence of this in Argv becomes such an operand (xargs -I); "" appends them
	Replace  string
	Possible bool     // a guess: the program is not known, and this word is a command's name
	Dir      *Touch   // the directory it starts in; nil for that of the caller
	Env      []Assign // environment it is given on top of the caller's
}

// A Code is program text in a language other than the shell's.
type Code struct {
	Lang string
	Text Arg
}

// An Assign is a variable that is set for what is started.
type Assign struct {
	Name  string
	Value Arg
	Arg   int
}

// An Opaque is a word whose part in the command could not be read.
type Opaque struct {
	Arg    int
	Right  Right // the worst that the word could cause
	Option bool  // as an option: as an operand it does no harm
	Quiet  bool  // the program reads, and most likely the word is no option of it
	Why    string
}
