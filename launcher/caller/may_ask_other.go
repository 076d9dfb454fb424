//go:build !linux

package caller

import "errors"

// MayAsk is unsupported here: nobody may.
func MayAsk(int) error { return errors.ErrUnsupported }
