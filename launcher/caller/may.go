package caller

import "github.com/tada-run/tada-run/approval"

// Outside returns nil when this process is outside of every sandbox of tada-run, else an error that
// wraps [approval.ErrPeer]. It is for before the state directory is opened, which nothing inside
// reaches.
func Outside(a approval.Action) error { return inOrOut("self").Outside(a) }

// MayNow is [approval.Caller.May] for what must be done although the configuration keeps a launcher
// from being opened. It records nothing.
func MayNow(a approval.Action, over approval.Channel) error {
	_, err := Own().May(a, over)
	return err
}
