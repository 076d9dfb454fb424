//go:build !linux

package bolt

import "os"

func bells(string, []string) []*os.File { return nil }

func ring([]*os.File) {}
