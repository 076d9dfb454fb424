package watch

import "io"

// protectedFiles verifies the protected files that the sandbox could not keep. What was found
// before a hand-over is found at the end too.
func protectedFiles(Before) compare {
	var found error
	return func(a After, out io.Writer) (Found, error) {
		if found == nil {
			found = a.Verify(out)
		}
		if found == nil {
			return nil, nil
		}
		return Found{"tampered": true}, found
	}
}
