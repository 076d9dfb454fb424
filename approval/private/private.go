package private

import (
	"io"
	"os"
)

// Create writes a new file of mode 0600. It never replaces one: the error is fs.ErrExist.
func Create(path string, text []byte) error {
	if err := CheckFolder(path); err != nil {
		return err
	}
	f, err := Open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Named(path, err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(path)
	}
	return Named(path, err)
}

// Read reads a file; more than limit bytes is ErrOversized.
func Read(path string, limit int64) ([]byte, error) {
	if err := CheckFolder(path); err != nil {
		return nil, err
	}
	f, err := Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, Named(path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, Named(path, err)
	}
	if int64(len(text)) > limit {
		return nil, &FileError{Path: path, Err: ErrOversized}
	}
	return text, nil
}
