package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tada-run/tada-run/approval/canonical"
)

// ErrPayload is returned for bytes that are not a canonical plan.
var ErrPayload = errors.New("payload is not a canonical plan")

// A Plan is what is read from a payload.
type Plan struct {
	WorkItem string
	Agent    string
	Calls    []string // tool_call_id of each call, in order
	Risk     int
	Trust    Level
	Rules    []string // that asked, at most maxRules
	Kin      string   // what near-identical plans have in common: see kinOf
}

// maxRules is how many rules an event names. They are for statistics; the plan has them all.
const maxRules = 16

// Read takes from the payload the values that a question repeats, so that the two cannot disagree.
func Read(payload []byte) (Plan, error) {
	v, err := canonical.Parse(payload)
	if err != nil {
		return Plan{}, fmt.Errorf("%w: %v", ErrPayload, err)
	}
	top, ok := v.(map[string]any)
	if !ok {
		return Plan{}, fmt.Errorf("%w: not an object", ErrPayload)
	}
	f := Fields(top)
	p := Plan{
		WorkItem: f.Text("work_item_id"), Agent: f.Text("agent_name"), Risk: MaxRisk,
		Trust: ParseLevel(f.Text("trust")),
	}
	if n, ok := f["risk"].(int64); ok && n >= 0 && n <= MaxRisk {
		p.Risk = int(n) // a payload without a risk is not harmless
	}
	for _, r := range f.Objects("reasons") {
		rule := r.Text("rule")
		if rule != "" && r.Text("verdict") != "allow" && len(p.Rules) < maxRules &&
			!slices.Contains(p.Rules, rule) {
			p.Rules = append(p.Rules, rule)
		}
	}
	seen := map[string]bool{}
	for _, call := range f.Objects("tool_calls") {
		id := call.Text("tool_call_id")
		if id == "" || seen[id] {
			return Plan{}, fmt.Errorf("%w: tool_call_id %q is empty or repeated", ErrPayload, id)
		}
		seen[id] = true
		p.Calls = append(p.Calls, id)
	}
	if len(p.Calls) == 0 {
		return Plan{}, fmt.Errorf("%w: it has no tool_calls", ErrPayload)
	}
	p.Kin = kinOf(p, f)
	return p, nil
}

// kinOf hashes what near-identical plans have in common: the same agent asks about the same work in
// the same directory, with the same tools, for the same rules and at the same risk. They differ
// only in the words that the rules are about.
func kinOf(p Plan, payload Fields) string {
	var tools []string
	for _, call := range payload.Objects("tool_calls") {
		tools = append(tools, call.Text("tool_name"))
	}
	slices.Sort(tools)
	h := sha256.New()
	for _, list := range [][]string{
		{p.Agent, p.WorkItem, payload.Object("context").Text("cwd"), strconv.Itoa(p.Risk)},
		slices.Compact(tools),
		slices.Sorted(slices.Values(p.Rules)),
	} {
		fmt.Fprintf(h, "%q", list)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Hash returns the SHA-256 of the payload in hexadecimal.
func Hash(payload []byte) string {
	sum := sha256.Sum256(payload)
	return hex.EncodeToString(sum[:])
}

// Prefix returns the first 12 digits of a plan hash in three groups, the form in which prompts and
// records show it. It is 48 bits because an attacker can match 32 by padding a command until its
// hash fits.
func Prefix(hash string) string {
	if len(hash) < 12 {
		return hash
	}
	return hash[:4] + " " + hash[4:8] + " " + hash[8:12]
}

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

// MaxRisk is the highest risk of a plan, and the risk of a payload that states none.
const MaxRisk = 3

// Friction is what the person must do to approve. A key press that is the same for everything soon
// becomes a reflex, so what cannot be undone requires more.
type Friction struct {
	Level     int    // 1 to 3, for display as R1, R2, R3
	Name      string // "low", "high", "critical"
	Challenge int    // characters to type; 0 if one key press is enough
	Factor    bool   // a second factor or a second person is required as well
}

// ladder is indexed by the risk in the payload.
var ladder = [MaxRisk + 1]Friction{
	0: {Level: 1, Name: "low"},
	1: {Level: 1, Name: "low"},
	2: {Level: 2, Name: "high", Challenge: 4},
	3: {Level: 3, Name: "critical", Challenge: 8, Factor: true},
}

// FrictionOf returns the friction for a risk between 0 and 3. Any other number gets the highest.
func FrictionOf(risk int) Friction {
	if risk < 0 || risk > MaxRisk {
		risk = MaxRisk
	}
	return ladder[risk]
}
