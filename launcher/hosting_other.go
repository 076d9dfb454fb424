//go:build !linux

package launcher

import "github.com/tada-run/tada-run/launcher/control"

func (*started) hangUp()                  {}
func (*started) session() control.Session { return control.Session{} }

// A requestServer is in a session, on Linux only.
type requestServer struct{}

func newRequestServer(*started, *control.Pair) *requestServer { return &requestServer{} }
func (*requestServer) Open()                                  {}
func (*requestServer) close()                                 {}

// QuestionOf returns no question.
func QuestionOf(Request) control.Question { return control.Question{} }
