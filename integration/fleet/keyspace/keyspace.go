// Package keyspace names the keys that a fleet has in etcd, so that the roles that the registrar
// makes and the keys that machines use are the same.
//
//	tada/1/fleet                         the fleet document
//	tada/1/fleet/SERIAL                  those that changed the administrators: package history
//	tada/1/machines/ID                   the record of a machine
//	tada/1/keys/SUM                      the id of the machine whose certificate has that key
//	tada/1/tokens/ID                     an invitation that was not used yet, under a lease
//	tada/1/freezes/ID, tada/1/thaws/ID  orders to stop, and their ends
//	tada/1/bundles/NAME/STAGE            a part of the policy: in force, or tried
//	tada/1/state/ID/...                  the approval store of a machine: package approval/etcd
//	tada/1/agents/ID/place               the agent that serves a machine, under a lease
//	tada/1/agents/ID/knock               one that waits for that place, likewise
//	tada/1/seen/ID/said                  what a machine last said of itself
//	tada/1/checkpoints/ID/OTHER          a checkpoint of OTHER that machine ID is asked to cosign
//	tada/1/cosigned/ID/OTHER             what machine ID said of it: package cosign
//	tada/1/questions/ID/ENVELOPE         an open question, under a lease
//	tada/1/answers/ID/ENVELOPE/SUM       a signed answer that was not taken yet, under a lease
//	tada/1/outcomes/ID/ENVELOPE/SUM      what became of an answer, under a lease
//
// ID is what a machine is called in answers. A machine reads and writes what is below its own ID.
// It may ask others for cosignatures, and read what they say and which agents are connected. A
// machine at which people answer reads the questions of all, and writes answers. The rest is for
// the registrar. What permits or stops anything is signed, so a role that is too wide lets a
// machine disturb, not decide.
package keyspace

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// Root begins every key. Package approval/etcd refuses a slash at the front.
const Root = "tada/1/"

// The documents of a fleet.
const (
	Fleet    = Root + "fleet"
	Past     = Root + "fleet/"
	Machines = Root + "machines/"
	Freezes  = Root + "freezes/"
	Thaws    = Root + "thaws/"
	Bundles  = Root + "bundles/"
)

// What the registrar keeps.
const (
	Keys   = Root + "keys/"
	Tokens = Root + "tokens/"
)

// What machines say, each below its id.
const (
	States    = Root + "state/"
	Agents    = Root + "agents/"
	Seen      = Root + "seen/"
	Questions = Root + "questions/"
	Answers   = Root + "answers/"
	Outcomes  = Root + "outcomes/"

	Checkpoints = Root + "checkpoints/"
	Cosigned    = Root + "cosigned/"
)

// The keys below the id of a machine in Agents and Seen.
const (
	Place = "place"
	Knock = "knock" // who wants the place, while another agent has it
	Said  = "said"
)

// grace is how long what nobody needs any more stays: the clocks of machines differ by less.
const grace = 2 * time.Minute

// Life is the time to live of the lease of what is good for a while longer, in seconds. What is
// over gets some too, so that whoever looks with a slower clock still finds it.
func Life(left time.Duration) int64 {
	return int64((max(left, 0) + grace + time.Second - 1) / time.Second)
}

// Sum is the SUM of a signed answer: the first half of its SHA-256, hexadecimal.
func Sum(token []byte) string {
	sum := sha256.Sum256(token)
	return hex.EncodeToString(sum[:16])
}

// Below returns the prefix of what belongs to one machine under one of the prefixes above.
func Below(prefix, id string) string { return prefix + id + "/" }

// Parts returns what follows a prefix in a key, at its slashes; nil for a key that has not n parts.
func Parts(key, prefix string, n int) []string {
	rest, ok := strings.CutPrefix(key, prefix)
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != n {
		return nil
	}
	return parts
}
