//go:build !linux && !darwin

package audit

import (
	"errors"
	"os"
)

var errMoved = errors.New("file was replaced")

const (
	nofollow        = 0
	openLogFlags    = os.O_RDWR
	openAnchorFlags = os.O_RDWR
	openLockFlags   = os.O_RDWR
)

func openDir(string) (*os.File, error)                  { return nil, ErrUnsupported }
func openAt(*os.File, string, int) (*os.File, error)    { return nil, ErrUnsupported }
func openName(*os.File, string, int) (*os.File, error)  { return nil, ErrUnsupported }
func isBehind(*os.File, *os.File, string) bool          { return false }
func checkAt(*os.File, *os.File, string) (int64, error) { return 0, ErrUnsupported }
func datasync(*os.File) error                           { return ErrUnsupported }
func freeSpace(*os.File) (free, total int64, err error) { return 0, 0, ErrUnsupported }
func reserveBlocks(*os.File, int64) error               { return ErrUnsupported }
func removeAt(*os.File, string) error                   { return ErrUnsupported }
func linkNew(*os.File, string, string) error            { return ErrUnsupported }
func isLocked(error) bool                               { return false }
func isNoSpace(error) bool                              { return false }

func shareLock(string) (unlock func()) { return func() {} }

func isAppendOnly(*os.File) bool { return false }
