package pathname

import "testing"

func TestCopyOf(t *testing.T) {
	for path, want := range map[string]string{
		"/w/.env~": "/w/.env", "/w/key.pem.bak": "/w/key.pem", "key.pem.bak2": "key.pem",
		"/w/key.pem.~3~": "/w/key.pem", "/w/#.env#": "/w/.env", "/w/.key.pem.swp": "/w/key.pem",
		"/w/..env.swo": "/w/.env", "/w/a.key.bak.old": "/w/a.key", "/w/id_rsa.orig": "/w/id_rsa",
		"/w/.netrc~~": "/w/.netrc", "/w/id2~": "/w/id2", "/w/key.bak/x": "", "/w/backup": "",
		"/w/~": "", "": "",
		"/w/.bak": "", "/w/##": "", "/w/a.txt": "", "/w/old": "", "/w/x2": "",
	} {
		got, ok := CopyOf(path)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q is a copy of %q, %v; want %q", path, got, ok, want)
		}
	}
}

func FuzzCopyOf(f *testing.F) {
	f.Add("/w/.env.~1~")
	f.Fuzz(func(t *testing.T, path string) {
		if was, ok := CopyOf(path); ok && len(was) >= len(path) {
			t.Errorf("%q is a copy of %q", path, was)
		}
	})
}
