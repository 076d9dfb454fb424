package agent

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/launcher/state"
)

// maxWhy is how much of a mistake the machine says, in bytes.
const maxWhy = 200

// unusable are the bundles that cannot be used here, by name and stage.
type unusable struct {
	sync.Mutex
	all map[string]plan.Fields
}

// note remembers why a bundle cannot be used; nil for one that can.
func (u *unusable) note(b document.Bundle, why error) {
	u.Lock()
	defer u.Unlock()
	key := b.Name + "." + string(b.Stage)
	if why == nil {
		delete(u.all, key)
		return
	}
	if u.all == nil {
		u.all = map[string]plan.Fields{}
	}
	u.all[key] = plan.Fields{"name": b.Name, "version": b.Version, "stage": string(b.Stage),
		"error": brief(why)}
}

// has reports whether it is known that a bundle cannot be used.
func (u *unusable) has(b state.Bundle) bool {
	u.Lock()
	defer u.Unlock()
	f := u.all[b.Name+"."+b.Stage()]
	return f != nil && f["version"] == b.Version
}

// brief is the beginning of a mistake. It may quote any bytes.
func brief(err error) string {
	text := err.Error()
	return strings.ToValidUTF8(text[:min(len(text), maxWhy)], "?")
}

func (u *unusable) list() (list []any) {
	u.Lock()
	defer u.Unlock()
	for _, key := range slices.Sorted(maps.Keys(u.all)) {
		list = append(list, map[string]any(u.all[key]))
	}
	return list
}
