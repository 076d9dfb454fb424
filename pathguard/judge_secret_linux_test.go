package pathguard

import (
	"os"
	"testing"
)

// A key of the workspace stays one, unless a link leads its copy elsewhere; the sandbox opens it to
// the line that was allowed.
func TestSecretStays(t *testing.T) {
	t.Parallel()
	g, root := desk(t, "", "w/a.key", "w/b.pem", "w/certs/x", "home/dev/.ssh/id_rsa")
	for name, to := range map[string]string{"l.pem": "out.txt",
		"m.key": root + "/home/dev/.ssh/id_rsa", "n.key": "a.key"} {
		if err := os.Symlink(to, root+"/w/"+name); err != nil {
			t.Fatal(err)
		}
	}
	g.expect(t, Allow, "openssl req -new -key a.key -out a.csr", "cat a.key > b.pem",
		"mv a.key certs/", "cp a.key certs/a.key")
	g.expect(t, Ask, "cat a.key > l.pem", "cp a.key l.pem", "cat m.key > b.pem",
		"openssl req -new -key m.key -out a.csr", "openssl req -new -key n.key -out a.csr",
		"cp a.key certs")
	_, plan, err := g.judge("cat a.key > b.pem")
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	f := g.Policy.Fence(plan)
	if len(f.Reveal) != 1 || f.Reveal[0].Path != root+"/w/a.key" {
		t.Errorf("opened: %v", f.Reveal)
	}
}
