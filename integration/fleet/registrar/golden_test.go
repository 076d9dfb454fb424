package registrar

import "testing"

// A link as commit aec72fb4 makes them is read, and made again it is the same: the registrar and
// the machine that joins need not be of one version.
func TestLinkOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	const text = "https://fleet.example:7443/#0011223344556677.c2VjcmV0LXNlY3JldC1zZWNyZXQ" +
		".YXV0aG9yaXR5.7-bBmMQDHQyKT1aB3yOrsTkFCDyFXTbh0G8TtTkbmmB1M"
	link, err := ParseLink(text)
	if err != nil || link.URL != "https://fleet.example:7443" || link.ID != "0011223344556677" ||
		link.Secret != "c2VjcmV0LXNlY3JldC1zZWNyZXQ" || link.Pin.Authority != "YXV0aG9yaXR5" ||
		link.Pin.Fleet != "7-bBmMQDHQyKT1aB3yOrsTkFCDyFXTbh0G8TtTkbmmB1M" {
		t.Fatalf("%+v, %v", link, err)
	}
	if again := link.String(); again != text {
		t.Errorf("%s, and was\n%s", again, text)
	}
}
