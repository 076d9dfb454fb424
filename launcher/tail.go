package launcher

// maxTail is how much of the last output is kept to explain a failure by.
const maxTail = 16 << 10

// A tail keeps the end of a stream.
type tail struct{ text []byte }

func (t *tail) add(p []byte) {
	if len(p) >= maxTail {
		t.text = append(t.text[:0], p[len(p)-maxTail:]...)
		return
	}
	if over := len(t.text) + len(p) - 2*maxTail; over > 0 {
		t.text = append(t.text[:0], t.text[len(t.text)-maxTail:]...)
	}
	t.text = append(t.text, p...)
}
