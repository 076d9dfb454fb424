//go:build !linux

package resolve

// Amount counts nothing: a plan holds no file here.
func (t *Target) Amount() (a Amount, ok bool) { return Amount{}, false }
