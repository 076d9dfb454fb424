package wire

// A Kind is the kind of a message.
type Kind byte

// What clients send.
const (
	Hello   Kind = 'h'
	View    Kind = 'v'
	Update  Kind = 'u'
	Get     Kind = 'g'
	List    Kind = 'l'
	Changes Kind = 'c'
	Commit  Kind = 'x'
	End     Kind = 'e'
	Await   Kind = 'w'
	Looked  Kind = 'd'
	Ask     Kind = 'q'
)

// What servers send.
const (
	Welcome Kind = 'H'
	Begun   Kind = 'B'
	Value   Kind = 'V'
	Names   Kind = 'N'
	Done    Kind = 'D'
	Look    Kind = 'W'
	Fate    Kind = 'A'
	Failed  Kind = 'F'
)

// layouts has the members of each kind, a letter each: see [members].
var layouts = [...]string{
	Hello: "", View: "", Update: "", Get: "bk", List: "b", Changes: "c", Commit: "t", End: "",
	Await: "k", Looked: "yn", Ask: "tn",
	Welcome: "yn", Begun: "yns", Value: "yv", Names: "yl", Done: "", Look: "", Fate: "n",
	Failed: "f",
}

// kinds are the kinds that exist: most have no members, which a layout does not tell from none.
const kinds = "hvuglcxewdqHBVNDWAF"

// A Message is one frame. Which members count depends on its kind; the others are zero.
type Message struct {
	Kind   Kind
	Bucket string
	Key    string // or the id of a question
	Value  []byte
	// Welcome: it can be reached. Begun: the database was made. Value: there is one. Names: more
	// follow. Looked: the wait is over.
	Yes bool
	// Welcome: the time since when it cannot be reached, in seconds. Begun, Ask: how many commits
	// there were. Looked: how long to wait, in nanoseconds. Fate: one of the fates.
	Number  uint64
	Seq     uint64 // of the newest event
	Names   []string
	Changes []Change
	Ticket  Ticket
	Failure Failure
}

// A Ticket identifies a commit: random bytes.
type Ticket [16]byte

// The fates of a commit.
const (
	Never    = 0 // and it will never happen
	Happened = 1
	Unknown  = 2 // too many others have happened since
)

// The ways of a [Change].
const (
	Put     = 'p'
	Delete  = 'd'
	SetSeq  = 's' // Value is the number, 8 bytes
	Changed = 'c' // Key is the question
)

// A Change is one of the changes of a transaction.
type Change struct {
	Way    byte
	Bucket string
	Key    string
	Value  []byte
}

// A Failure is why the database could not be used.
type Failure struct {
	Code byte // one of [codes]
	Path string
	Hint string
	Text string // of an error without a code
}
