//go:build !linux

package approval

import (
	"context"
	"os"
)

// Wait implements [Store]; here it returns ErrUnsupported.
func (b *Bolt) Wait(context.Context, string) (Envelope, error) { return Envelope{}, ErrUnsupported }

func (b *Bolt) bells([]Event) []*os.File { return nil }

func ring([]*os.File) {}
