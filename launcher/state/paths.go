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
func (h Home) Audit() string      { return filepath.Join(h.Dir, "audit") }
func (h Home) Mark() string       { return filepath.Join(h.Dir, "audit.mark") }     // the head of the record, outside its folder
func (h Home) Checkpoint() string { return filepath.Join(h.Audit(), "checkpoint") } // the newest signed one, with its cosignatures
func (h Home) Sessions() string   { return filepath.Join(h.Dir, "sessions") }

func (h Home) Cast(id string) string { return filepath.Join(h.Sessions(), id+".cast") }

// CheckpointKey holds the key that signs checkpoints: its secret, and on the second line what
// verifiers are given. Whoever takes over the account has it too; a checkpoint proves something
// because it was kept, or cosigned, elsewhere.
func (h Home) CheckpointKey() string { return filepath.Join(h.Dir, "checkpoint.key") }

// What is valid for this boot.
func (h Home) Runtime() string    { return filepath.Join(h.Dir, "run") }
func (h Home) Quarantine() string { return filepath.Join(h.Runtime(), "quarantine") }
func (h Home) Barred() string     { return filepath.Join(h.Runtime(), "barred") } // ports that no run may connect to

// Answers from other machines.
func (h Home) Phrase() string    { return filepath.Join(h.Dir, "phrase") }    // that only real prompts show
func (h Home) Key() string       { return filepath.Join(h.Dir, "key") }       // of this user, for answers to others
func (h Home) Trust() string     { return filepath.Join(h.Dir, "trust") }     // whose answers count here
func (h Home) Audience() string  { return filepath.Join(h.Dir, "audience") }  // what this machine is called in answers
func (h Home) Presigned() string { return filepath.Join(h.Dir, "presigned") } // plans that were allowed beforehand

// Files of other programs, and protected files.
func (h Home) Shadow() string     { return filepath.Join(h.Dir, "shadow") }     // baselines and copies, a folder for each workspace
func (h Home) Registered() string { return filepath.Join(h.Dir, "registered") } // what goes back when a registration ends
func (h Home) Backups() string    { return filepath.Join(h.Dir, "backup") }     // settings as they were before they were changed
func (h Home) Links() string      { return filepath.Join(h.Dir, "bin") }        // tada-run under the names of shells
func (h Home) ShellLink() string  { return filepath.Join(h.Links(), "bash") }
