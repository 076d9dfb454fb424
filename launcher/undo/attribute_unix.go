//go:build linux || darwin

package undo

import (
	"strings"

	"golang.org/x/sys/unix"
)

// attributes returns the extended attributes of what a handle is of. A file system without them has
// none; nor has this user those that only the administrator sees.
func attributes(fd int) (list []attribute, err error) {
	err = withRights(fd, 0o400, func() error {
		list, err = readAttributes(through(fd))
		return err
	})
	return list, err
}

func readAttributes(path string) ([]attribute, error) {
	names, err := sized(func(b []byte) (int, error) { return listAttributes(path, b) })
	if err == unix.EOPNOTSUPP {
		return nil, nil
	}
	if err != nil || len(names) == 0 {
		return nil, err
	}
	var list []attribute
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if isSystems(name) {
			continue
		}
		v, err := sized(func(b []byte) (int, error) { return getAttribute(path, name, b) })
		if err == noAttribute || err == unix.EOPNOTSUPP || err == unix.EPERM {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, attribute{name, string(v)})
	}
	return list, nil
}

// sized calls read with enough room for what it returns.
func sized(read func([]byte) (int, error)) ([]byte, error) {
	b := make([]byte, 256)
	for {
		n, err := read(b)
		if err != unix.ERANGE {
			return b[:max(n, 0)], err
		}
		if n, err = read(nil); err != nil {
			return nil, err
		}
		b = make([]byte, n+256)
	}
}

// setAttributes gives what a handle is of these attributes and no others.
func setAttributes(fd int, want []attribute) error {
	path := through(fd)
	have, err := attributes(fd)
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, a := range have {
		values[a.name] = a.value
	}
	var failed error
	for _, a := range want {
		if v, ok := values[a.name]; !ok || v != a.value {
			if err := setAttribute(path, a.name, []byte(a.value)); err != nil {
				failed = err
			}
		}
		delete(values, a.name)
	}
	for name := range values {
		if err := removeAttribute(path, name); err != nil && err != noAttribute {
			failed = err
		}
	}
	return failed
}
