package plan

// Level is how far the origin of a request is trusted. It never decides whether something is asked;
// it decides what may be allowed beyond this one time. The zero value is the lowest.
type Level int

// The levels, by the origin of the work: the author of the words that led to the request.
const (
	Quarantined Level = iota // text from outside was read: a web page, a mail, a foreign repository
	Agent                    // a program that a person set to work
	Human                    // a person, with their own keys
)

var levelNames = [...]string{"quarantined", "agent", "human"}

func (l Level) String() string {
	if l < 0 || int(l) >= len(levelNames) {
		return levelNames[Quarantined]
	}
	return levelNames[l]
}

// ParseLevel is the inverse of String. What it does not know is Quarantined.
func ParseLevel(name string) Level {
	for l, n := range levelNames {
		if n == name {
			return Level(l)
		}
	}
	return Quarantined
}

// Inherit returns the level of work that was started by other work. A child may say that it is
// trusted less than its parent, never more: otherwise a quarantined program would start a trusted
// child.
func Inherit(parent, asked Level) Level {
	return max(min(parent, asked), Quarantined)
}
