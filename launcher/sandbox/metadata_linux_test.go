package sandbox

import (
	"os"
	"strings"
	"testing"
)

// Inside the writable trees everything that changes metadata works as without a sandbox, and
// outside nothing does, whichever way the object is named. E-bkr-3.
func TestMetadata(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		ws, out := p.Write[0].Name, t.TempDir()
		must(t, os.WriteFile(out+"/f", []byte("x"), 0o600))
		must(t, os.Mkdir(out+"/d", 0o700))
		must(t, os.Symlink(out+"/f", ws+"/link"))
		must(t, os.Symlink(out, ws+"/dirlink"))
		p.Read = append(p.Read, Path{Name: out})
		before := tree(out)
		_, text := shell(t, p, `cd `+ws+`; exec 2>&1
			touch f && chmod 640 f && stat -c %a f; chmod 600 < /dev/null ./f && stat -c %a f; mkdir d && chmod 711 d && stat -c %a d
			touch -d 2001-02-03T04:05:06Z f && stat -c %Y f; touch -h -d 2001-02-03T04:05:06Z link && stat -c %Y link
			cp -p f g && stat -c %Y g; tar c f d | (mkdir t; cd t; tar x) && stat -c '%Y %a' t/f
			chown $(id -u) f && chgrp $(id -g) f && echo owned
			cd d && chmod 600 ../f && touch ../f && echo dotdot; cd ..
			exec 5<>f; chmod 611 /proc/self/fd/5 && stat -c %a f
			echo ---
			for way in `+out+`/f link dirlink/f dirlink/d /proc/self/cwd/link `+out+`/../$(basename `+out+`)/f; do
				chmod 777 $way && echo chmod $way; touch -d 2001-02-03 $way && echo touch $way; chown $(id -u) $way && echo chown $way
			done
			chmod 777 dirlink/. /etc/hostname /proc/self/comm && echo chmod
			cd `+out+` && chmod 777 . && echo chmod .; exec 6<f; chmod 777 /proc/self/fd/6 && echo chmod by descriptor
			setfattr -n user.x -v y `+out+`/f && echo xattr; :`)
		inside, outside, _ := strings.Cut(text, "---\n")
		want := "640\n600\n711\n981173106\n981173106\n981173106\n981173106 600\nowned\n" +
			"dotdot\n611\n"
		if inside != want {
			t.Errorf("inside: %q, want %q", inside, want)
		}
		for line := range strings.Lines(outside) {
			if !strings.Contains(line, ": ") { // a complaint
				t.Errorf("outside: %q", line)
			}
		}
		if after := tree(out); after != before {
			t.Errorf("%s\nbecame\n%s", before, after)
		}
	})
}

// Two threads of the child fight for the name that a third changes the mode of: nothing outside is
// ever changed.
func TestMetadataRace(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		ws, out := p.Write[0].Name, t.TempDir()
		must(t, os.WriteFile(out+"/f", nil, 0o600))
		must(t, os.Mkdir(ws+"/a", 0o700))
		must(t, os.WriteFile(ws+"/a/f", nil, 0o600))
		p.Read = append(p.Read, Path{Name: out})
		shell(t, p, "exec 2>/dev/null; cd "+ws+"; ln -s "+out+
			" b; ln -s a n; (while [ ! -e stop ]; do ln -sfn b n; ln -sfn a n; done) & for i in {1..150}; do chmod 777 n/f; done; touch stop; wait")
		st, err := os.Stat(out + "/f")
		must(t, err)
		if st.Mode().Perm() != 0o600 {
			t.Errorf("%v", st.Mode())
		}
	})
}
