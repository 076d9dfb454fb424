package sandbox

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// shares makes each kind of object under a key or a name, and has another process of the run use
// it.
const shares = `
use strict; use IPC::SysV qw(IPC_CREAT IPC_EXCL IPC_PRIVATE IPC_STAT IPC_RMID S_IRUSR S_IWUSR);
my $mode = IPC_CREAT | IPC_EXCL | 0600;
my ($key, $part) = ($ARGV[0], $ARGV[1]);
if ($part) {
    my $shm = shmget($key, 10, 0) // die "shmget: $!"; my $text;
    shmread($shm, $text, 0, 5) or die "shmread: $!"; print "$text\n";
    my $sem = semget($key, 1, 0) // die "semget: $!";
    semop($sem, pack("s!3", 0, 1, 0)) or die "semop: $!";
    my $q = msgget($key, 0) // die "msgget: $!";
    msgsnd($q, pack("l! a*", 1, "word"), 0) or die "msgsnd: $!";
    exit;
}
my $shm = shmget($key, 4096, $mode) // die "shmget: $!";
print "again: ", shmget($key, 4096, $mode) // "$!", "\n";
print "larger: ", shmget($key, 8192, 0) // "$!", "\n";
print "none: ", shmget($key + 1, 4096, 0) // "$!", "\n";
shmwrite($shm, "hello", 0, 5) or die "shmwrite: $!";
my $sem = semget($key, 1, $mode) // die "semget: $!";
my $q = msgget($key, $mode) // die "msgget: $!";
system($^X, "-e", $ENV{SHARES}, $key, 1) == 0 or die;
semop($sem, pack("s!3", 0, -1, 0)) or die "semop: $!";
my $got; msgrcv($q, $got, 10, 0, 0) or die "msgrcv: $!"; print unpack("x8 a*", $got), "\n";
my $about = ""; shmctl($shm, IPC_STAT, $about) or die "shmctl: $!";
shmctl($shm, IPC_RMID, 0) or die "shmctl: $!";
print "removed: ", shmget($key, 1, 0) // "$!", "\n";
for (1 .. 600) { my $id = shmget(IPC_PRIVATE, 10, 0600) // die "shmget: $!";
    shmctl($id, IPC_RMID, 0) or die "shmctl: $!" }
`

const wantShares = `again: File exists
larger: Invalid argument
none: No such file or directory
hello
word
removed: No such file or directory
`

// A run has System V objects, found by key by all of its processes, at both levels, and none is
// left when it ends. C-3.1.5.
func TestObjects(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		before := systemObjects(t)
		s, out := shell(t, p, "export SHARES='"+shares+`'; exec perl -e "$SHARES" 7777 2>&1`)
		if s.Shell() != 0 || out != wantShares {
			t.Errorf("%+v %q", s, out)
		}
		if after := systemObjects(t); after != before {
			t.Errorf("left: %s, before %s", after, before)
		}
	})
}

// systemObjects are those of this machine with the key or the owner of what the test makes.
func systemObjects(t *testing.T) string {
	var all strings.Builder
	for _, kind := range []string{"shm", "sem", "msg"} {
		text, err := os.ReadFile("/proc/sysvipc/" + kind)
		must(t, err)
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "7777" {
				all.WriteString(line)
			}
		}
	}
	return all.String()
}

// fakeroot has its processes talk by System V queues.
func TestFakeroot(t *testing.T) {
	if _, err := exec.LookPath("fakeroot"); err != nil {
		t.Skip("fakeroot is not installed")
	}
	levels(t, func(t *testing.T, p Profile) {
		s, out := shell(t, p, "cd "+p.Write[0].Name+`; exec 2>&1
			fakeroot-sysv sh -c "touch f; chown 5:6 f 2>/dev/null; stat -c %u:%g f"`)
		if s.Shell() != 0 || out != "5:6\n" {
			t.Errorf("%+v %q", s, out)
		}
	})
}
