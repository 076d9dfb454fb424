//go:build !unix

package play

import (
	"os"
	"time"
)

func readable(*os.File, time.Duration) (bool, error) { return false, ErrUnsupported }

func stop() {}
