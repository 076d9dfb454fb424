package integration

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Whoever has stolen a session guesses few codes in ten minutes, over all acts, also at once.
func TestActCodesGuessedAtOnce(t *testing.T) {
	t.Parallel()
	g := openPage(t)
	id := g.p.changed("echo one > one")
	_, _, page := g.send("GET", g.path+"run/"+id+"/undo", nil, nil)
	m := regexp.MustCompile(`data-on="([^"]*)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatal(page)
	}
	post := func(path string, body object) (int, string) {
		text, _ := json.Marshal(body)
		status, _, answer := g.send("POST", g.path+path, nil, func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(text))),
				int64(len(text))
		})
		return status, answer
	}
	var begun []object
	for range 30 {
		act := object{"do": "undo", "on": m[1]}
		_, answer := post("act/begin", act)
		n := regexp.MustCompile(`"nonce":"([0-9a-f]+)"`).FindStringSubmatch(answer)
		if n == nil {
			t.Fatal(answer)
		}
		act["nonce"] = n[1]
		if status, answer := post("act/code", act); status != http.StatusOK {
			t.Fatal(answer)
		}
		act["code"] = "000000"
		begun = append(begun, act)
	}
	var wrong atomic.Int32
	var all sync.WaitGroup
	for _, act := range begun {
		for range 2 {
			all.Go(func() {
				if _, said := post("undo", act); strings.Contains(said, "not the code") {
					wrong.Add(1)
				}
			})
		}
	}
	all.Wait()
	if n := wrong.Load(); n == 0 || n > 20 {
		t.Errorf("%d guesses were looked at", n)
	}
}
