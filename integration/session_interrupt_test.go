package integration

import (
	"strings"
	"testing"
)

// Interrupting a session that was started without a terminal interrupts its program, as without us,
// and leaves nothing behind.
func TestSessionInterrupted(t *testing.T) {
	t.Parallel()
	for signal, status := range map[string]string{"INT": "130", "QUIT": "131"} {
		t.Run(signal, func(t *testing.T) {
			p := newPlace(t)
			got := p.run(`env --default-signal=INT,QUIT setsid tada-run --session -- bash -c 'touch begun; exec sleep 987' </dev/null >out 2>&1 & front=$!
				until test -e begun; do sleep 0.05; done; while kill -` + signal + ` $front 2>/dev/null; do sleep 0.2; done
				wait $front; echo "status $?"; cat out; tadactl sessions`)
			if !strings.Contains(got, "status "+status) || strings.Contains(got, " session ") ||
				strings.Contains(got, "detached") {
				t.Errorf("%s", got)
			}
		})
	}
}
