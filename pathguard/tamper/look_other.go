//go:build !linux

package tamper

func glance(string) (stamp, error) { return stamp{}, ErrUnsupported }

type view struct{}

func (*view) glance(string) (stamp, error) { return stamp{}, ErrUnsupported }
func (*view) close()                       {}

func look(string, int64) (Seen, []byte) {
	return Seen{Form: Unreadable, Why: ErrUnsupported.Error()}, nil
}
