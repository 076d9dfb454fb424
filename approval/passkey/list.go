package passkey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/private"
)

// A List holds the passkeys whose answers count. Its zero value has none.
type List []Known

// A Known is a passkey that was paired.
type Known struct {
	approval.Credential
	Added   time.Time
	Counter uint32 // that its last answer had
}

// maxList is the maximum length of the file: a few hundred passkeys.
const maxList = 1 << 20

// Parse reads what [List.Text] wrote. A list with one bad member is not used at all.
func Parse(text []byte) (List, error) {
	if len(text) > maxList {
		return nil, fmt.Errorf("passkeys: %w", approval.ErrOversized)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var l List
	if err := d.Decode(&l); err != nil {
		return nil, fmt.Errorf("passkeys: %w: %w", approval.ErrMalformed, err)
	}
	if d.More() {
		return nil, fmt.Errorf("passkeys: %w: there is more after the list", approval.ErrMalformed)
	}
	for i, c := range l {
		err := c.Check()
		if err == nil {
			err = checkKey(c.Key)
		}
		if err == nil && l[:i].Find(c.ID) != nil {
			err = errors.New("it is there twice")
		}
		if err != nil {
			return nil, fmt.Errorf("passkey %d of the list: %w", i+1, err)
		}
	}
	return l, nil
}

// Text returns the list as the file has it.
func (l List) Text() ([]byte, error) {
	text, err := json.MarshalIndent(l, "", "\t")
	return append(text, '\n'), err
}

// Load reads the list at path, which must belong to this user alone. A missing file is an empty
// list.
func Load(path string) (List, error) {
	text, err := private.Read(path, maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Parse(text)
}

// Find returns the passkey with an id, or nil.
func (l List) Find(id []byte) *Known {
	i := slices.IndexFunc(l, func(c Known) bool { return bytes.Equal(c.ID, id) })
	if i < 0 {
		return nil
	}
	return &l[i]
}
