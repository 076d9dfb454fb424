//go:build !linux

package control

import (
	"errors"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A Server serves sessions, on Linux only.
type Server struct{}

func New(Session) *Server               { return &Server{} }
func (*Server) Serve() error            { return errors.ErrUnsupported }
func (*Server) IsPrivate() bool         { return false }
func (*Server) Killed() <-chan struct{} { return nil }
func (*Server) Show([]byte)             {}
func (*Server) End(int, int)            {}
func (*Server) Close()                  {}

// A Pair is in a session, on Linux only.
type Pair struct{}

func NewPair() (*Pair, error)           { return nil, errors.ErrUnsupported }
func (*Pair) HandDown(*sandbox.Command) {}
func (*Pair) Close()                    {}

// Ask returns ErrNoSession.
func Ask(Question, string) (Reply, error) { return Reply{}, ErrNoSession }

// An Asker is a process in a session, on Linux only.
type Asker struct{}

func (Asker) Ended() bool { return false }
