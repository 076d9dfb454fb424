package push

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/audit"
)

// most is how many devices may be notified, and maxBook the maximum length of the file.
const most, maxBook = 16, 64 << 10

// parse reads the file. A list with one bad member is not used at all.
func parse(text []byte) ([]Subscription, error) {
	if len(text) > maxBook {
		return nil, errors.New("push.json: it is too long")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var list []Subscription
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("push.json: %w", err)
	}
	if d.More() {
		return nil, errors.New("push.json: there is more after the list")
	}
	if len(list) > most {
		return nil, fmt.Errorf("push.json: it has more than %s", audit.Plural(most, "subscription"))
	}
	for i, s := range list {
		err := s.check()
		if err == nil && slices.ContainsFunc(list[:i], func(o Subscription) bool {
			return o.Endpoint == s.Endpoint
		}) {
			err = errors.New("it is there twice")
		}
		if err != nil {
			return nil, fmt.Errorf("push.json: subscription %d: %w", i+1, err)
		}
	}
	return list, nil
}
