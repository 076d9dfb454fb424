//go:build !linux

package approval

import "context"

// Wait implements [Store]; here it returns ErrUnsupported.
func (b *Bolt) Wait(context.Context, string) (Envelope, error) { return Envelope{}, ErrUnsupported }
