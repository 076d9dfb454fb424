package push

// A reason is an error that is always the same. It takes no memory before main.
type reason string

func (r reason) Error() string { return string(r) }
