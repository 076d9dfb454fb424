//go:build !linux

package caller

import "errors"

// MayAsk is unsupported here: no process may ask.
func MayAsk(int) error { return errors.ErrUnsupported }
