package sandbox

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/broker"
)

// shared is a profile whose run sees a directory with entries of others as a view.
func shared(t *testing.T, p Profile) (Profile, string) {
	t.Helper()
	top := t.TempDir()
	dir := top + "/tmp"
	must(t, os.Mkdir(dir, 0o1777))
	must(t, hermetic.Chmod(dir, 0o1777|os.ModeSticky))
	for _, name := range []string{"/foreign", "/folder/file"} {
		must(t, os.MkdirAll(strings.TrimSuffix(dir+name, "/file"), 0o755))
		if name != "/folder/file" {
			must(t, os.Remove(dir+name))
		}
		must(t, os.WriteFile(dir+name, []byte("theirs\n"), 0o644))
	}
	p.View = &broker.View{Dirs: []string{dir}, Ledger: top + "/ledger", System: []string{"/usr"}}
	p.Read = append(p.Read, Path{Name: "/usr"})
	return p, dir
}

//go:embed testdata/view.txt
var viewText string

type viewTest struct{ name, script, want string }

// blocks are the tests of a text.
func blocks(text string) (list []viewTest) {
	for _, block := range strings.Split(text, "\n== ")[1:] {
		name, rest, _ := strings.Cut(block, "\n")
		script, want, _ := strings.Cut(rest, "\n--\n")
		want = strings.TrimLeft(strings.TrimSpace(want)+"\n", "\n")
		list = append(list, viewTest{name, script, want})
	}
	return list
}

// What a run makes in a shared directory works as without a sandbox, and stands there for all.
func TestViewProvides(t *testing.T) {
	for _, test := range blocks(viewText) {
		levels(t, func(t *testing.T, p Profile) {
			t.Run(test.name, func(t *testing.T) {
				p, dir := shared(t, p)
				want := test.want
				if p.Most == Base { // there the kernel says what it would say without a sandbox
					want = strings.Replace(want, "no\n", "", 1)
				}
				_, text := shell(t, p, "umask 022; V="+dir+" W="+p.Write[0].Name+"; cd $V; "+
					"exec 3>&2 2>/dev/null; "+test.script)
				if text != want {
					t.Errorf("%q, want %q", text, want)
				}
			})
		})
	}
}

// A program can be executed as soon as its writer has closed it: neither the broker nor a process
// that the launcher starts in that time has it open.
func TestViewProgramAtOnce(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p, dir := shared(t, p)
		ctx, cancel := context.WithCancel(t.Context())
		var starting sync.WaitGroup
		starting.Go(func() {
			for ctx.Err() == nil {
				_ = exec.Command("true").Run()
			}
		})
		defer starting.Wait()
		defer cancel()
		_, text := shell(t, p, "cd "+dir+"; rounds="+strconv.Itoa(hermetic.Rounds(300))+
			`; umask 0; for ((i = 0; i < rounds; i++)); do
			printf "#!/bin/sh" > p$i && chmod +x p$i && ./p$i; done 2>&1 | head -3`)
		if text != "" {
			t.Error(text)
		}
	})
}

// A name below one of the caller's own descriptors is in the directory that this one is open for.
func TestViewBelowDescriptors(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p, dir := shared(t, p)
		_, text := shell(t, p, "cd "+dir+`; mkdir own; exec 8<own 9<. 3>&2 2>/dev/null
			for fds in /proc/self/fd /proc/thread-self/fd /dev/fd; do
				mkdir $fds/8/d && echo x > $fds/8/d/f && mv own/d/f $fds/9/f && rm $fds/9/f &&
				rmdir $fds/8/d && echo made
				(echo x > $fds/9/foreign) && echo written; rm -f $fds/8/../foreign && echo gone
				mkdir $fds/9/tmux-0 && echo tmux; mkdir $fds/99/x && echo none
			done; ls own`)
		if text != "made\nmade\nmade\n" {
			t.Errorf("%q", text)
		}
	})
}

// A FIFO works inside and is seen by no program outside; it goes with the run.
func TestViewFIFO(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p, dir := shared(t, p)
		_, text := shell(t, p, "cd "+dir+"; exec 2>/dev/null; mkfifo x || exit; cat x & "+
			"echo hi > x; wait; test -p x && echo is; mkfifo x || echo there; mv x y; "+
			"(echo y > y) & cat y; "+
			"rm y; ls y; mkdir d; mkfifo -m 600 d/z; stat -Lc %a d/z; mkfifo left; ls")
		want := "hi\nis\nthere\ny\n600\nd\nfolder\nforeign\nleft\n"
		if p.Most == Base {
			want = ""
		}
		if text != want {
			t.Errorf("%q, want %q", text, want)
		}
		for tries := 0; ; tries++ { // the broker ends a moment after the run
			if _, err := os.Lstat(dir + "/left"); err != nil {
				break
			}
			if tries == 500 {
				t.Fatal("a link to what is gone is left")
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// A Unix socket works inside, by the name that it was given and by the one that the kernel tells.
func TestViewSocket(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p, dir := shared(t, p)
		p.Network, p.Reach.Localhost = Hosts, true
		_, text := shell(t, p, "cd "+dir+`; exec 2>&1; mkdir d; python3 -c '
import os, socket
for name in "s", "`+dir+`/d/s":
    s = socket.socket(socket.AF_UNIX)
    try:
        s.bind(name)
    except OSError as e:
        print(e.strerror)
        continue
    s.listen()
    for to in name, s.getsockname():
        c = socket.socket(socket.AF_UNIX)
        c.connect(to)
        a, _ = s.accept()
        a.send(b"hi")
        print(c.recv(2))
    try:
        socket.socket(socket.AF_UNIX).bind(name)
    except OSError as e:
        print(e.strerror)
    os.unlink(name)
    print(os.path.lexists(name))
'`)
		one := "b'hi'\nb'hi'\nAddress already in use\nFalse\n"
		want := one + one
		if p.Most == Base {
			want = "Permission denied\nPermission denied\n"
		}
		if text != want {
			t.Errorf("%q, want %q", text, want)
		}
	})
}

// It has and finds its name also while the kernel cannot say at once where a name leads: folders
// that are renamed keep it from that.
func TestViewSocketBesideRenames(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		if p.Most == Base {
			return // there is none, see TestViewSocket
		}
		p, dir := shared(t, p)
		p.Network, p.Reach.Localhost = Hosts, true
		elsewhere, stop := t.TempDir(), make(chan struct{})
		must(t, os.MkdirAll(elsewhere+"/a/d", 0o700))
		must(t, os.Mkdir(elsewhere+"/b", 0o700))
		var renames sync.WaitGroup
		defer renames.Wait()
		defer close(stop)
		renames.Go(func() {
			for from, to := elsewhere+"/a/d", elsewhere+"/b/d"; ; from, to = to, from {
				select {
				case <-stop:
					return
				default:
					_ = os.Rename(from, to)
				}
			}
		})
		_, text := shell(t, p, fmt.Sprintf(`cd %s; mkdir d; python3 -c '
import os, socket
for n in range(%d):
    s = socket.socket(socket.AF_UNIX)
    s.bind("d/s")
    s.listen()
    socket.socket(socket.AF_UNIX).connect("d/s")
    os.unlink("d/s")
print("all")
' 2>&1`, dir, hermetic.Rounds(2000)))
		if text != "all\n" {
			t.Errorf("%s", text)
		}
	})
}

// What others have made stays as it is, whatever a run tries, and what would mislead programs
// outside is not made.
func TestViewDenies(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p, dir := shared(t, p)
		must(t, os.Mkdir(dir+"/tmux-0", 0o700))
		must(t, os.WriteFile(dir+"/secret", []byte("theirs\n"), 0o600))
		p.Hide = append(p.Hide, dir+"/secret")
		must(t, unix.Mkfifo(dir+"/fifo", 0o600))
		must(t, os.Symlink(dir+"/foreign", dir+"/link"))
		before := tree(dir)
		_, text := shell(t, p, "cd "+dir+`; exec 2>/dev/null
			for f in foreign folder/file link fifo secret; do
				(echo x > $f) && echo "write $f"; (echo x >> $f) && echo "append $f"
				rm -f $f && echo "remove $f"; mv $f moved && echo "move $f"
				truncate -s 0 $f && echo "cut $f"; chmod 777 $f && echo "chmod $f"
				touch $f && echo "touch $f"; chown $(id -u) $f && echo "chown $f"
				ln $f hard && echo "link $f"; mv -f $0 $f && echo "replace $f"
				setfattr -n user.x -v y $f && echo "attribute $f"
			done
			for f in folder tmux-0 .; do
				(echo x > $f/new) && echo "make in $f"; mkdir $f/.new && echo "mkdir in $f"
				rmdir $f && echo "rmdir $f"; mv $f d && echo "move $f"
				chmod 711 $f && echo "chmod $f"
			done
			rm -f new
			for f in .x .X11-unix tmux-1 ssh-abc dbus-x hsperfdata_x krb5cc_0 systemd-private-x; do
				(echo x > $f) && echo "make $f"; mkdir $f && echo "mkdir $f"
				echo x > ok; mv ok $f && echo "name $f"; ln ok $f && echo "link $f"; rm ok
				ln -s foreign $f && echo "symlink $f"
			done
			mkdir own
			for t in /etc/passwd ../foreign $HOME/.bashrc / .. ../.. ../../x own/../foreign \
				nothing folder
			do
				ln -s $t own/l && echo "link to $t"; ln -s $t l && echo "link to $t"
			done
			ln -s . own/here && ln -s here/../../foreign own/l && echo "link by a link"
			mkfifo f && [ ! -L f ] && echo fifo; mkfifo own/f && [ ! -L own/f ] && echo fifo
			python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("s")' && echo socket
			mknod n c 1 3 && echo device
			chmod 4755 own && echo set-uid; chmod 1777 own && echo sticky
			mkdir -m 1777 t; stat -c %a t; rm -rf own t; rm -f l n f s`)
		if want := "make in .\nlink to nothing\n755\n"; text != want {
			t.Errorf("%q", text)
		}
		if after := tree(dir); after != before {
			t.Errorf("%s\nbecame\n%s", before, after)
		}
	})
}

// The next run of the workspace changes what an earlier one made, and that of another workspace
// does not. What another program put in its place is that program's.
func TestViewRemembers(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p, dir := shared(t, p)
		shell(t, p, "cd "+dir+"; mkdir d; echo x > d/a; echo x > b; echo x > c")
		must(t, os.Remove(dir+"/c"))
		must(t, os.WriteFile(dir+"/c", []byte("theirs\n"), 0o644))
		must(t, os.Rename(dir+"/b", dir+"/e"))
		stranger := p
		view := *p.View
		view.Ledger += ".other"
		stranger.View = &view
		_, text := shell(t, stranger, "cd "+dir+"; exec 2>/dev/null; (echo y > d/a) && echo 1; "+
			"rm e && echo 2; (echo y > d/n) && echo 3")
		if text != "" {
			t.Errorf("another workspace: %q", text)
		}
		_, text = shell(t, p, "cd "+dir+"; exec 2>/dev/null; echo y > d/a; cat d/a; "+
			"rm e && echo gone; (echo y > c) || echo no; rm -rf d && echo gone; cat c")
		if want := "y\ngone\nno\ngone\ntheirs\n"; text != want {
			t.Errorf("%q, want %q", text, want)
		}
	})
}

// A link in a shared directory, which a program outside may follow, does not lead to what is kept
// as it is or hidden in the workspace.
func TestViewLinkToKept(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p, dir := shared(t, p)
		ws := p.Write[0].Name
		for _, name := range []string{"/kept", "/secret", "/own"} {
			must(t, os.WriteFile(ws+name, []byte(name+"\n"), 0o600))
		}
		p.ReadOnly, p.Hide = []string{ws + "/kept"}, []string{ws + "/secret"}
		_, text := shell(t, p, "cd "+dir+"; for n in kept secret own; do ln -s "+ws+
			"/$n $n 2>/dev/null && echo $n; done")
		if text != "own\n" {
			t.Errorf("linked %q", text)
		}
	})
}
