//go:build !linux

package quarantine

import (
	"io/fs"
	"os"
)

type root struct{ name string }

func openRoot(string) (*root, error) { return nil, ErrUnsupported }

func (*root) close()                                      {}
func (*root) resolve(string) (string, fs.FileMode, error) { return "", 0, ErrUnsupported }
func (*root) content(string) (*os.File, error)            { return nil, ErrUnsupported }
func readAll(*os.File) ([]byte, error)                    { return nil, ErrUnsupported }
