//go:build !linux

package resolve

// Amounts counts nothing: a plan holds no file here.
func (p *Plan) Amounts() map[string]Amount { return nil }
