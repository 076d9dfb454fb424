//go:build amd64 || arm64

package broker

// withRights announces changes with the launcher's rights: what a run may remove, it may not always
// read or link.
type withRights struct{ Changes }

// Make takes no rights for one more entry of a folder: to take and leave them is two calls.
func (c withRights) Make(dir int, in, name string) error {
	if c.MakeNext(dir, in, name) {
		return nil
	}
	return asLauncher(func() error { return c.Changes.Make(dir, in, name) })
}

func (c withRights) Remove(dir int, in, name string) error {
	return asLauncher(func() error { return c.Changes.Remove(dir, in, name) })
}

func (c withRights) Move(dir int, in, name string, to int, toIn, toName string, both bool) error {
	return asLauncher(func() error { return c.Changes.Move(dir, in, name, to, toIn, toName, both) })
}

func (c withRights) Write(handle int, full string) error {
	return asLauncher(func() error { return c.Changes.Write(handle, full) })
}

func (c withRights) Mark(handle int, full string) error {
	return asLauncher(func() error { return c.Changes.Mark(handle, full) })
}
