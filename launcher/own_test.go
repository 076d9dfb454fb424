package launcher

import "path/filepath"

// own returns a state directory with an account of its own beside it: what the account that
// runs the tests has in its home must not change what they see.
func own(state string) Place {
	return Place{State: state, Account: filepath.Join(filepath.Dir(state), "account")}
}
