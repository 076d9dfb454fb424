package push

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

const relay = "https://push.example.com/send/abc?x=1"

func TestRead(t *testing.T) {
	d := newDevice(t)
	s, err := Read(d.subscription(relay))
	if err != nil || s.Endpoint != relay || s.Relay() != "push.example.com" ||
		!bytes.Equal(s.Secret, d.secret) {
		t.Fatalf("%+v, %v", s, err)
	}
	for endpoint, want := range map[string]string{
		"":                                    "https",
		"http://push.example.com/":            "https",
		"ftp://push.example.com/":             "https",
		"https:push.example.com":              "read",
		"//push.example.com/":                 "https",
		"javascript:alert(1)":                 "read",
		"https://user@push.example.com/":      "user",
		"https://user:pass@push.example.com/": "user",
		"https://push.example.com/#x":         "fragment",
		"https://push.example.com/#":          "fragment",
		"https:///x":                          "name",
		"https://:443/x":                      "name",
		"https://127.0.0.1/x":                 "name",
		"https://192.0.2.1:443/x":             "name",
		"https://[::1]/x":                     "name",
		"https://[::ffff:10.0.0.1]/x":         "name",
		"https://push.example.com/\r\nHost:x": "read",
		"https://push.example.com/é":          "read",
		"https://push.example.com/ x":         "read",
		"https://push.example.com:port/":      "read",
		"https://push.example.com/%zz":        "read",
		"https://push.example.com/" + strings.Repeat("x", MaxEndpoint): "more than",
	} {
		if _, err := Read(d.subscription(endpoint)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", endpoint, err, want)
		}
	}
	point := d.private.PublicKey().Bytes()
	off := bytes.Clone(point)
	off[64] ^= 1
	short := append([]byte{2}, point[1:33]...)
	for _, key := range [][]byte{nil, {0}, off, short, make([]byte, 65), point[:64],
		append(bytes.Clone(point), 0)} {
		s := Subscription{Endpoint: relay, Key: key, Secret: d.secret}
		if err := s.check(); err == nil || !strings.Contains(err.Error(), "P-256") {
			t.Errorf("key %x: %v", key, err)
		}
	}
	for _, secret := range [][]byte{nil, d.secret[:15], make([]byte, 17)} {
		s := Subscription{Endpoint: relay, Key: point, Secret: secret}
		if err := s.check(); err == nil || !strings.Contains(err.Error(), "secret") {
			t.Errorf("secret %x: %v", secret, err)
		}
	}
	for _, text := range []string{"", "null", "[]", "{", `{"endpoint":1}`, `{"keys":"x"}`,
		`{"endpoint":"` + relay + `","keys":{"p256dh":"!","auth":"!"}}`,
		strings.Repeat(" ", maxSubscription+1)} {
		if _, err := Read([]byte(text)); err == nil {
			t.Errorf("%.40q is taken", text)
		}
	}
}

// What Read takes can be kept and read again.
func FuzzRead(f *testing.F) {
	d := newDevice(f)
	f.Add(d.subscription(relay))
	f.Add([]byte(`{"endpoint":"https://a.example/","keys":{"p256dh":"BA","auth":"AA=="}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Read(text)
		if err != nil {
			return
		}
		u, err := s.url()
		if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" ||
			isAddress(u.Hostname()) || s.Relay() == "" {
			t.Fatalf("%q: %v", s.Endpoint, err)
		}
		kept, err := json.Marshal([]Subscription{s})
		if err != nil {
			t.Fatal(err)
		}
		if list, err := parse(kept); err != nil || len(list) != 1 ||
			list[0].Endpoint != s.Endpoint {
			t.Fatalf("%s: %v", kept, err)
		}
	})
}

// A list with one bad member is not used at all.
func FuzzParse(f *testing.F) {
	d := newDevice(f)
	s, err := Read(d.subscription(relay))
	if err != nil {
		f.Fatal(err)
	}
	good, _ := json.Marshal([]Subscription{s})
	twice, _ := json.Marshal([]Subscription{s, s})
	var many []Subscription
	for i := range most + 1 {
		s.Endpoint = fmt.Sprintf("%s&n=%d", relay, i)
		many = append(many, s)
	}
	full, _ := json.Marshal(many)
	if _, err := parse(good); err != nil {
		f.Fatal(err)
	}
	s.Endpoint = "https://127.0.0.1/"
	edited, _ := json.Marshal([]Subscription{s})
	for _, text := range [][]byte{twice, full, edited, []byte("{}"), append(good, '1'),
		bytes.Replace(good, []byte("Added"), []byte("Edded"), 1)} {
		if _, err := parse(text); err == nil {
			f.Errorf("%s is taken", text)
		}
		f.Add(text)
	}
	f.Add(good)
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := parse(text)
		if err != nil {
			return
		}
		for _, s := range list {
			if s.check() != nil {
				t.Fatalf("%+v", s)
			}
		}
	})
}

func TestPace(t *testing.T) {
	now := time.Now()
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	var open []Question
	ask := func(n int) {
		for range n {
			id := fmt.Sprintf("q%d", len(open))
			open = append(open, Question{id, "R1 " + id, at(3600)})
		}
	}
	var p pace
	step := func(second int, wantAgain int, want ...string) {
		t.Helper()
		list, again := p.next(at(second), open)
		var texts []string
		for _, m := range list {
			texts = append(texts, m.text)
			if !m.until.Equal(at(3600)) || (m.topic != "") != strings.Contains(m.text, "wait") {
				t.Errorf("%+v", m)
			}
		}
		if strings.Join(texts, ", ") != strings.Join(want, ", ") {
			t.Errorf("second %d: %q, want %q", second, texts, want)
		}
		if wantAgain == 0 != again.IsZero() || wantAgain != 0 && !again.Equal(at(wantAgain)) {
			t.Errorf("second %d: again at %s", second, again.Sub(now))
		}
	}
	step(0, 0)
	ask(1)
	step(0, 0, "R1 q0")
	step(1, 0) // once
	ask(7)
	step(10, 60, "R1 q1", "R1 q2", "R1 q3", "R1 q4")
	step(20, 60)
	open = open[1:] // one was answered
	step(60, 0, "7 questions wait")
	step(61, 0)
	// of those that are held, one is left
	open = nil
	ask(6)
	p = pace{}
	step(100, 160, "R1 q0", "R1 q1", "R1 q2", "R1 q3", "R1 q4")
	step(160, 0, "R1 q5")
	// what was answered or is over is not sent
	open = []Question{{"over", "R1", at(170)}}
	step(171, 0)
	ask(20)
	for i := range open {
		open[i].ID += "x"
		open[i].Until = at(3600)
	}
	p = pace{}
	step(200, 260, open[0].Text, open[1].Text, open[2].Text, open[3].Text, open[4].Text)
	open = open[:5]
	step(260, 0)
	// the clock was set back
	ask(1)
	step(-1000, 0, open[5].Text)
}
