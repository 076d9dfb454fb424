package served

import (
	"net/http"
	"os"
	"testing"
)

// The server answers when StartS3 returns.
func TestStartS3(t *testing.T) {
	if os.Getenv("TEST_SERVERS") == "" {
		t.Skip("TEST_SERVERS is not set: to build it takes a minute")
	}
	url, dir := StartS3(t)
	in, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := http.DefaultClient.Do(in)
	if err != nil {
		t.Fatal(err)
	}
	out.Body.Close()
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}
