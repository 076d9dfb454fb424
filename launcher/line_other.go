//go:build !linux

package launcher

import "context"

func readKey(context.Context, int) (byte, bool) { return 0, false }
