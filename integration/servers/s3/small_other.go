//go:build !linux

package main

import "errors"

func small(_, size string) error {
	if size == "" {
		return nil
	}
	return errors.ErrUnsupported
}
