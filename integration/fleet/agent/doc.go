// Package agent is what connects the account of one machine to its fleet: one process, which holds
// the connection to etcd so that the programs that run commands need none.
//
// It does eleven things, each in a file of its own:
//
//   - it serves the approvals of the machine, which are in etcd, to the other programs of the
//     account, over a socket (approvals.go);
//   - it holds the machine's place: two machines with the same key are noticed, and the second one
//     is refused (place.go);
//   - it says from time to time that the machine is there, and what its record has (seen.go);
//   - it publishes the open questions of the machine, each under a lease that ends soon after the
//     question, and keeps its store small (publish.go);
//   - it hands signed answers to the machine's store, which checks them, and says what became of
//     each (answers.go) and which of them somebody gave it again (replays.go);
//   - it follows the fleet document, and with it whose answers count (documents.go);
//   - it obeys freezes: writes the order down, so that nothing new starts, and ends what runs
//     (freezes.go);
//   - it keeps the bundles of the policy that are for the machine, and says what became of them
//     (bundles.go, standing.go);
//   - it copies the record to a bucket, if the fleet document names one (record.go);
//   - it asks other machines to cosign the checkpoints of that (asking.go);
//   - it cosigns those of other machines (cosigning.go).
//
// # When the connection is lost
//
// Each part begins again from what etcd has, after a pause that grows to half a minute. Nothing
// that was in force ends because of it: the last fleet document, the last freeze and the last
// bundles stay. What a lost connection means for commands is the matter of the configuration
// (fleet: offline).
//
// # What counts
//
// The agent decides nothing. An answer counts because of its signature, whose key the fleet
// document names; a freeze because an administrator signed it; its end because two did. So an agent
// that is killed at any moment, and started again, finds the same.
package agent
