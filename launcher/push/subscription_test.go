package push

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
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
