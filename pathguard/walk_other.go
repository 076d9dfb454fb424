//go:build !linux

package pathguard

import (
	"github.com/tada-run/tada-run/shellparse"
)

// Resolve needs O_PATH: on other systems it returns ErrUnsupported.
func Resolve(*shellparse.Script, Caller) (*Plan, error) { return nil, ErrUnsupported }

// A disk is not asked here: without a plan nothing is judged and there is no fence.
type disk struct{}

type listing struct{ entries []entry }

type entry struct {
	name string
	ino  uint64
}

func (entry) isDir() bool { return false }

func openDisk() *disk                                                 { return &disk{} }
func (*disk) close()                                                  {}
func (*disk) realOf(name string) (string, ID, bool)                   { return name, ID{}, false }
func (*disk) list(string) *listing                                    { return &listing{} }
func (*disk) below(out []string, _, _ string) []string                { return out }
func (*disk) existing(out []string, _ []string, _ ...string) []string { return out }

func (*disk) inodes([]string) map[uint64]string { return nil }

func sameFile(a, b string) bool       { return a == b }
func aliases(paths []string) []string { return paths }
func mirrored([]Grant) []string       { return nil }
