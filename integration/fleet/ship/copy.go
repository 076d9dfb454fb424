package ship

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A folder has a copy of a bucket.
type folder string

// get returns at most limit bytes of a file, and one more if there is more.
func (f folder) get(name string, limit int64) ([]byte, error) {
	file, err := os.Open(filepath.Join(string(f), filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit+1))
}

// list yields the names that begin with a prefix and come after a name, in their order.
func (f folder) list(prefix, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := fs.WalkDir(os.DirFS(string(f)), path.Dir(prefix+"x"), func(name string,
			d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist) && prefix != "":
				return nil // nothing has this prefix
			case err != nil:
				return err
			case d.IsDir() && name != "." && name+"0" <= after:
				return fs.SkipDir // "0" sorts behind all that is below it
			case !d.Type().IsRegular() || !strings.HasPrefix(name, prefix) || name <= after:
				return nil
			case !yield(name, nil):
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield("", err)
		}
	}
}
