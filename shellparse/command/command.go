package command

// Right is what happens to a name. The zero value is not a right.
type Right int

// The rights. Create makes a name that must not exist or a directory; Write changes
// the content, creating the file where needed.
const (
	Read Right = iota + 1
	Write
	Create
	Delete
	Exec
	Net
)

// Flags are the circumstances of a Right that a judge must know.
type Flags uint

// The flags.
const (
	Recursive Flags = 1 << iota // the whole tree below it
	Append                      // Write that keeps what is there
	Meta                        // mode, owner, times or attributes, not the content
	Link                        // Create of a link; the name it points to is a second effect
	NoFollow                    // a symbolic link itself, not what it points to
	List                        // Read of names only
	Upload                      // Net: bytes of this machine go out
	Source                      // Read by an interpreter that executes it
	// names below it, chosen when the command runs, and not itself (find's {})
	Below
	// a guess from the look of the word: nothing is known of the program, or of the option
	Possible
	// Read of a database, which also writes it if the database is in write-ahead logging mode
	WriteAhead
	// Read of a key that is worked with, and no part of which is printed or written
	Uses
)

// An Arg is one word of a command as far as the text decides it.
type Arg struct {
	Text   string // the value when Static; the pattern when Glob; the known prefix otherwise
	Static bool   // Text is the whole value
	Glob   bool   // Text is a shell pattern
	// Text is a directory, and the value is some name in it (find's {}); Static is false then
	Below bool
	Base  string // with Below: the shell pattern that the last component matches; "" for any
	// not Static but for numbers, and says which lines are printed: a 1 is in the place of each
	Like string
}
