//go:build !linux

package prompt

import "context"

func readKey(context.Context, int) (byte, bool) { return 0, false }
