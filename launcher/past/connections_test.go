package past

import "testing"

// The smallest rules, each once, and none for what gives credentials away.
func TestLearn(t *testing.T) {
	got := Learn([]Connection{
		{Kind: "tcp", Host: "a.test", Count: 1},
		{Kind: "tcp", Host: "b.test", Refused: true, Fix: "b.test:443", Count: 2,
			Program: "/usr/bin/curl"},
		{Kind: "tcp", Host: "b.test", Refused: true, Fix: "b.test:443", Count: 3,
			Program: "/usr/bin/git"},
		{Kind: "udp", Host: "c.test", Refused: true, Fix: "c.test:443", Count: 1},
		{Kind: "tcp", Host: "169.254.169.254", Refused: true, Fix: "169.254.169.254:80",
			Why: "it is the credentials of the machine", Count: 1},
		{Kind: "listen", Host: "0.0.0.0", Refused: true, Fix: "--publish 80", Count: 1},
	})
	if len(got) != 4 || got[0].Rule != "b.test:443" || got[0].Count != 5 ||
		len(got[0].Programs) != 2 || got[1].Rule != "" || got[2].Rule != "" || got[3].Port != "80" {
		t.Errorf("%+v", got)
	}
}
