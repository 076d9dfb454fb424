package launcher

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// The webhooks of the documentation: the text of a question arrives, whole and alone. They need no
// console.
func TestNotifyByWebhook(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	got := make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
	}))
	defer server.Close()
	l, _ := world(t)
	const text = "tada-run asks: R2 HIGH; to answer: tadactl inbox"
	for config, want := range map[string]string{
		`notify: [curl, -sS, -m, "10", -d, "{}", ` + server.URL + `/topic]`: text,
		`notify: [curl, -sS, -m, "10", -H, "Content-Type: application/json", -d, ` +
			`'{"text": "{}"}', ` + server.URL + `]`: `{"text": "` + text + `"}`,
		`notify: [curl, -sS, -m, "10", -d, "{brief}", ` + server.URL + `/topic]`: "R2 in a_b",
		`notify: [curl, -sS, -m, "10", -H, "Content-Type: application/json", -d, ` +
			`'{"text": "{brief}"}', ` + server.URL + `]`: `{"text": "R2 in a_b"}`,
	} {
		l.policy = configured(t, l, config)
		e := approval.Envelope{Risk: 2, Payload: []byte(`{"context":{"cwd":"/w/a\"b"}}`)}
		e.Friction.Level, e.Friction.Name = 2, "high"
		l.notify(e)
		select {
		case body := <-got:
			if body != want {
				t.Errorf("%s: got %q, want %q", config, body, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: nothing came", config)
		}
	}
}

// What the program's environment says of the desktop is not what the agent says.
func TestDisplays(t *testing.T) {
	for value, want := range map[string]bool{":0": true, ":10.0": true, "wayland-1": true,
		"": false, "evil.test:0": false, ":0/../x": false, "/run/x": false, ":": false,
		"unix:/x": false, strings.Repeat(":1", 9): false} {
		if isDisplay(value) != want {
			t.Errorf("%q: %v", value, !want)
		}
	}
}
