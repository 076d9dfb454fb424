package command

import (
	"slices"
	"strings"
	"testing"
)

// contacted is what lines say of the network: who is contacted, on which port, and whether
// bytes of this machine go out. "+built" marks an address or a header that is made at run
// time and so could carry anything. A word that begins with ? is not known. (C-3.4)
const contacted = `
curl http://h.test/a => net http://h.test
curl https://h.test:8443/a => net https://h.test:8443
curl h.test => net http://h.test
curl -s localhost:8080/x => net http://localhost:8080
curl http://[::1]:3000/x => net http://::1:3000
curl http://u:p@h.test/x => net http://h.test
curl -d @f http://h.test => read f; net http://h.test+upload
curl -d@f http://h.test => read f; net http://h.test+upload
curl -sd @f http://h.test => read f; net http://h.test+upload
curl --data-binary @f http://h.test => read f; net http://h.test+upload
curl --data=a=b http://h.test => net http://h.test+upload
curl --json @f http://h.test => read f; net http://h.test+upload
curl -F x=@f http://h.test => read f; net http://h.test+upload
curl --form 'x=<f' http://h.test => read f; net http://h.test+upload
curl -T f ftp://h.test/ => read f; net ftp://h.test+upload
curl --upload-file f http://h.test => read f; net http://h.test+upload
curl -X POST http://h.test => net http://h.test+upload
curl -X GET http://h.test => net http://h.test
curl -H ?X http://h.test => net http://h.test+built
curl -A ?x http://h.test => net http://h.test+built
curl -e ?x http://h.test => net http://h.test+built
curl -u ?x http://h.test => net http://h.test+built
curl ?http://h.test/ => net http://h.test+built
curl ?https:// => net https://$+built
curl -H @f http://h.test => read f; net http://h.test+upload
curl -x http://p.test:8080 http://h.test => net http://p.test:8080+upload; net http://h.test
curl gopher://h.test:70/_x => net gopher://h.test:70+upload
curl dict://h.test/d:x => net dict://h.test+upload
curl file:///etc/x => read /etc/x
curl http://169.254.169.254/latest => !secret.print; net http://169.254.169.254
curl http://[::ffff:169.254.169.254]/latest => !secret.print; net http://::ffff:169.254.169.254
curl http://2852039166/latest => !secret.print; net http://2852039166
wget http://h.test/a => net http://h.test; write a
wget --post-file=f http://h.test => read f; net http://h.test+upload; write index.html
wget --post-data=x http://h.test => net http://h.test+upload; write index.html
wget --header=x http://h.test => net http://h.test+upload; write index.html
http GET h.test => net http://h.test
http POST h.test a=b => net http://h.test+upload
http h.test f@g => read g; net http://h.test+upload
http :3000/x => net http://localhost:3000
nc h.test 80 => net h.test:80+upload
nc -z h.test 80 => net h.test:80
nc -l 80 => !net.listen
ncat --ssl h.test 443 => net h.test:443+upload
socat - TCP:h.test:80 => net tcp://h.test:80+upload
socat - OPENSSL:h.test:443 => net openssl://h.test:443+upload
socat TCP-LISTEN:80 - => !net.listen
telnet h.test 23 => net telnet://h.test+upload
openssl s_client -connect h.test:443 => net tls://h.test:443+upload
ssh h.test ls => net ssh://h.test+upload; sh+remote ls
ssh -p 2222 u@h.test ls => net ssh://h.test:2222+upload; sh+remote ls
ssh -T git@github.com => net ssh://github.com
scp f u@h.test:d => read f; net ssh://h.test+upload
scp u@h.test:f d => net ssh://h.test; write d
rsync -a d u@h.test:e => read+recursive d; net ssh://h.test+upload
rsync -a h.test:e d => net ssh://h.test; write+recursive d
rsync f rsync://h.test/m/ => read f; net rsync://h.test+upload
rsync h.test::m/f d => net rsync://h.test; write d
sftp u@h.test => net ssh://h.test+upload; stdin sftp
git fetch https://h.test/r => net https://h.test
git fetch origin => net remote://origin
git push u@h.test:r main => net ssh://h.test+upload
git push ssh://h.test:2222/r main => net ssh://h.test:2222+upload
git clone h.test:r d => net ssh://h.test; create d
git pull https://h.test/r main => net https://h.test; !pkg.foreign-source
dig h.test => net dns://h.test
dig ?x => net dns://$+built
nslookup ?x h.test => net dns://$+built; net dns://h.test
host ?x => net dns://$+built
ping -c1 ?x => net dns://$+built
ping -p ?x h.test => net dns://h.test+built
whois -h h.test x => net whois://h.test; net whois://x
aws s3 cp f s3://b/k => read f; net s3://b+upload
aws s3 cp s3://b/k f => net s3://b; write f
gsutil cp f gs://b => read f; net gs://b+upload
rclone copy d r:p => read+recursive d; net rclone://r+upload
psql -h h.test -c 'select 1' => net h.test
psql -h h.test -f x.sql => net h.test+upload; read+source x.sql
psql -h h.test -c '\copy t from f' => net h.test+upload; read f
psql postgres://u@h.test:5433/d -c 'select 1' => net postgres://h.test:5433
redis-cli -h h.test get k => net h.test
mongosh mongodb://h.test/d --eval 'db.x.find()' => net mongodb://h.test
mongosh --host h.test --eval 'f(process.env)' => net h.test+upload; code:javascript f(process.env)
mongosh --host h.test --eval 'f(globalThis["proc"+"ess"].env)' => net h.test+upload
mongosh mongodb://h.test/d --eval 'f({a: cat(g)})' => net mongodb://h.test+upload
websocat ws://h.test/x => net ws://h.test+upload
grpcurl h.test:443 list => net h.test:443
docker -H tcp://h.test:2375 ps => net tcp://h.test:2375; !container.daemon
python3 -m http.server => run http.server
php -S 0.0.0.0:80 => !net.listen
php -S localhost:80 =>
ruby -run -e httpd . => !net.listen
serve . => read+recursive .; !net.serve
serve dist =>
http-server -a 127.0.0.1 => read+recursive .
http-server => read+recursive .; !net.serve
http.server 8000 => read+recursive .; !net.serve
http.server --bind 127.0.0.1 8000 => read+recursive .
smtpd -n 0.0.0.0:25 => !net.listen
manage.py runserver 0.0.0.0:8000 => !net.listen
manage.py runserver 8000 =>
`

// TestContacted tries every line of the list, in full.
func TestContacted(t *testing.T) {
	count := 0
	for line := range strings.SplitSeq(strings.TrimSpace(contacted), "\n") {
		words, told, _ := strings.Cut(line, " =>")
		args := argv(words)
		for i, a := range args {
			if text, ok := strings.CutPrefix(a.Text, "?"); ok {
				args[i] = Arg{Text: strings.TrimPrefix(text, "x")}
			}
		}
		s, _ := Lookup(args[0].Text)
		u := s.Match(args)
		var want []string
		for fact := range strings.SplitSeq(told, ";") {
			if fact = strings.TrimSpace(fact); fact != "" {
				want = append(want, fact)
			}
		}
		got := slices.DeleteFunc(facts(u),
			func(f string) bool {
				return f == "opaque" || f == "read-only" || strings.HasPrefix(f, "code:ruby")
			})
		if missing, extra := compare(got, want); len(missing)+len(extra) > 0 {
			t.Errorf("%s\n\tmissing %q\n\textra   %q", words, missing, extra)
		}
		count++
	}
	t.Logf("%d lines", count)
}
