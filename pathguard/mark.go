package pathguard

// A mark is what one rule says about a path and everything below it.
type mark struct {
	kind markKind
	path string    // as the rule spells it, for messages
	real string    // the real path, where the rule names one file that exists
	rule *PathRule // for marked by the configuration
	tool string    // the program that may change it without a question
	only string    // the agents by which it counts, with commas between; "" for anywhere

	swept bool // in an answer of matches: the name was met by a pattern that is for every name
}

type markKind uint8

const (
	markRestricted markKind = iota
	markReadOnly
	markState
	markWorkspaceState // .tada of a workspace: readable, never written
	markSecret
	markPublic // no secret after all: *.pub, .env.example
	markProtected
	markStartup
	markCache
	markCachedCode
	markToolDir
	markRule
)

type markSet uint16

func (s markSet) has(k markKind) bool { return s&(1<<k) != 0 }

// tightens reports whether a mark can only make a verdict stricter. A link in a place where much is
// allowed does not take that permission to its target.
func (m mark) tightens() bool {
	switch m.kind {
	case markPublic, markCache, markToolDir:
		return false
	case markRule:
		return m.rule.Verdict != Allow
	}
	return true
}
