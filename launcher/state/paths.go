package state

import "path/filepath"

// A Home is a state directory: everything that tada-run keeps. No sandbox lets a command read or
// write it.
type Home struct {
	Dir string // absolute, symbolic links resolved
}

func (h Home) Config() string    { return filepath.Join(h.Dir, "config.yaml") }
func (h Home) Approvals() string { return filepath.Join(h.Dir, "approvals.db") }

// The record.
func (h Home) Audit() string { return filepath.Join(h.Dir, "audit") }

// the head of the record, outside its folder
func (h Home) Mark() string { return filepath.Join(h.Dir, "audit.mark") }

// the newest signed one, with its cosignatures
func (h Home) Checkpoint() string { return filepath.Join(h.Audit(), "checkpoint") }

// Index is what readers remember of the log; it is made anew when it is missing.
func (h Home) Index() string { return filepath.Join(h.Dir, "index") }

// Verified is what the last verification proved; without it the next one reads everything.
func (h Home) Verified() string      { return filepath.Join(h.Dir, "verified") }
func (h Home) VerifiedPlans() string { return filepath.Join(h.Dir, "verified.plans") }

func (h Home) Sessions() string { return filepath.Join(h.Dir, "sessions") }

func (h Home) Cast(id string) string { return filepath.Join(h.Sessions(), id+".cast") }

// Plans are what runs were judged by, under the hashes that the record names.
func (h Home) Plans() string { return filepath.Join(h.Dir, "plans") }

// Cases is whether the cases of the configuration passed, and the last one whose cases did.
func (h Home) Cases() string { return filepath.Join(h.Dir, "cases.json") }

// Accepted is which configurations of workspaces a person has accepted.
func (h Home) Accepted() string { return filepath.Join(h.Dir, "accepted.json") }

// ShadowPolicy is a configuration that is tried beside the one in force.
func (h Home) ShadowPolicy() string { return filepath.Join(h.Dir, "policy.shadow.json") }

// CheckpointKey holds the key that signs checkpoints: its secret, and on the second line the public
// part for verifiers. An attacker who takes over the account has it too; a checkpoint proves
// something because it was kept, or cosigned, elsewhere.
func (h Home) CheckpointKey() string { return filepath.Join(h.Dir, "checkpoint.key") }

// What is valid for this boot.
func (h Home) Runtime() string    { return filepath.Join(h.Dir, "run") }
func (h Home) Quarantine() string { return filepath.Join(h.Runtime(), "quarantine") }

// ports that no run may connect to
func (h Home) Barred() string { return filepath.Join(h.Runtime(), "barred") }

// Console has the address of the console that runs, one line. The console writes it with mode 0600
// and removes it when it ends.
func (h Home) Console() string { return filepath.Join(h.Runtime(), "console") }

// Pairing has what the device that is about to be paired will be trusted with.
func (h Home) Pairing() string { return filepath.Join(h.Runtime(), "pairing") }

// servers of this machine that runs have
func (h Home) Servers() string { return filepath.Join(h.Runtime(), "servers") }

// Fleet is what a machine has that has joined one.
func (h Home) Fleet() string { return filepath.Join(h.Dir, "fleet") }

// Membership is there while the machine is in a fleet.
func (h Home) Membership() string { return filepath.Join(h.Fleet(), "membership.json") }

// Freeze is there while nothing new may start. Its first line says why.
func (h Home) Freeze() string { return filepath.Join(h.Fleet(), "freeze") }

// FleetTrust is whose answers count here because of the fleet that the machine is in. The agent of
// the fleet writes it.
func (h Home) FleetTrust() string { return filepath.Join(h.Fleet(), "trust") }

// FleetPolicies has the policy of the fleet: see [Home.Bundles].
func (h Home) FleetPolicies() string { return filepath.Join(h.Fleet(), "policies") }

// FleetSocket is the socket of the fleet's agent, which has the approvals of this machine.
func (h Home) FleetSocket() string { return filepath.Join(h.Runtime(), "fleet.sock") }

// Answers from other machines.
// that only real prompts show
func (h Home) Phrase() string { return filepath.Join(h.Dir, "phrase") }

// of this user, for answers to others
func (h Home) Key() string { return filepath.Join(h.Dir, "key") }

// whose answers count here
func (h Home) Trust() string { return filepath.Join(h.Dir, "trust") }

// Passkeys are those whose answers count here.
func (h Home) Passkeys() string { return filepath.Join(h.Dir, "passkeys.json") }

// Subscriptions are the browsers that are notified, and PushKey is the key by which their relays
// know this machine.
func (h Home) Subscriptions() string { return filepath.Join(h.Dir, "push.json") }
func (h Home) PushKey() string       { return filepath.Join(h.Dir, "push.key") }

// what this machine is called in answers
func (h Home) Audience() string { return filepath.Join(h.Dir, "audience") }

// plans that were allowed beforehand
func (h Home) Presigned() string { return filepath.Join(h.Dir, "presigned") }

// Files of other programs, and protected files.
// baselines and copies, a folder for each workspace
func (h Home) Shadow() string { return filepath.Join(h.Dir, "shadow") }

// what goes back when a registration ends
func (h Home) Registered() string { return filepath.Join(h.Dir, "registered") }

// SetUp is what was in the files that tadactl setup has changed.
func (h Home) SetUp() string { return filepath.Join(h.Dir, "setup") }

// Ledger is what the runs of one workspace have made in shared directories.
func (h Home) Ledger(workspace string) string { return filepath.Join(h.Dir, "view", workspace) }

// Undo is what runs have changed, as it was before.
func (h Home) Undo() string { return filepath.Join(h.Dir, "undo") }

// settings as they were before they were changed
func (h Home) Backups() string { return filepath.Join(h.Dir, "backup") }

// tada-run under the names of shells
func (h Home) Links() string     { return filepath.Join(h.Dir, "bin") }
func (h Home) ShellLink() string { return filepath.Join(h.Links(), "bash") }
