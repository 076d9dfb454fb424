package hermetic

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// WriteProgram is [os.WriteFile] for a file that a test starts. The file gets the given mode even
// if it exists.
//
// No process can be started while the file is open for writing: until it calls execve, the child
// would have the descriptor, and starting the program would fail with "text file busy".
func WriteProgram(name string, text []byte, mode fs.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return errors.Join(os.WriteFile(name, text, mode), os.Chmod(name, mode))
}

// Chmod is [os.Chmod] for files that are not programs: [WriteProgram] makes programs.
func Chmod(name string, mode fs.FileMode) error {
	if at, err := os.Stat(name); err == nil && at.Mode().IsRegular() && mode&0o111 != 0 {
		return &fs.PathError{Op: "chmod", Path: name,
			Err: errors.New("a program that was written without hermetic.WriteProgram")}
	}
	return os.Chmod(name, mode)
}
