package code

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// seeds are the texts of all tables: the fuzzer starts from what the reference shows.
func seeds() []string {
	return []string{
		`import os; os.remove('/home/dev/x'); print(f"{os.system('id')!r:>{w}}")`,
		"const {execSync:x} = require('fs'); x(`a ${b + `c`} d`); /re[/]/.test(y)",
		"my $d = \"$ENV{HOME}/@{[1]}\"; unlink <*.o>; s{a}{b}e; print <<'E';\nx\nE\n",
		"Dir.glob('*.o').each { |f| File.delete(f) }; puts <<~E, %w[a b]\n  #{x}\nE\n",
		"<?php $f='sys'.'tem'; $f(\"{$x['a']} $y[0]\"); echo <<<E\nx\nE;\n",
		`for _, f in ipairs{"a","b"} do os.remove(f) end --[==[ x ]==]`,
		`f <- paste0("a", r"(b)"); file.remove(f)`,
		"DO $x$ BEGIN DROP TABLE t; END $x$; COPY t TO PROGRAM 'id'; \\! id\n.shell id",
		`proc f {x} { file delete -force $x }; spawn bash; send "rm -rf [pwd]\r"`,
		"g/x/d | w out\ncall system('id')\nexe 'w x'",
		"1,$g/x/s//y/\n$a\n!x\n.\nw out\nr !id\n!id\nwq",
		"python\nimport os\nend\ncall system(\"id\")",
		`Get-Item x | Remove-Item; iex "del x"; [math]::Sqrt(2)`,
		"D := $(shell id)\nall: a.o\n\t@$(CC) -o $@ $^\n%.o: %.c; cc $<\nifdef X\ninclude y.mk\n" +
			"endif\n",
		`do shell script "rm -rf x" with administrator privileges`,
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range seeds() {
		for i := range Languages() {
			f.Add(i, s)
		}
	}
	f.Fuzz(func(t *testing.T, i int, s string) {
		langs := Languages()
		lang := langs[((i%len(langs))+len(langs))%len(langs)]
		facts, opaque := Scan(lang, s)
		for _, x := range facts {
			if x.Start < 0 || x.End < x.Start || x.End > len(s) {
				t.Fatalf("%s: %q: span %d:%d", lang, s, x.Start, x.End)
			}
			if x.Right == 0 && x.Rule == "" {
				t.Fatalf("%s: %q: a fact without right and rule: %+v", lang, s, x)
			}
		}
		again, o := Scan(lang, s)
		if show(again, o) != show(facts, opaque) {
			t.Fatalf("%s: %q: two readings differ", lang, s)
		}
	})
}

// spent is the processor time of this process, which other processes do not disturb.
func spent(t *testing.T) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}

// TestLinear holds the time of a text against that of one eight times as long. Quadratic
// work shows as 64; the bound leaves room for the collector.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	pieces := map[string][]string{
		"python": {"x='a'\n", "x=x+'a'\n", "f(", "[", "f'{", "f\"{x:{", "eval('eval(x)')\n",
			"open(x,'w')\n", "a=[b,b]\nb=[a,a]\n", "def f(p=1): g(p)\nf('a')\n", "'", "\"\"\"",
			"for a in b: c(a)\n", "x,y=", "lambda a:"},
		"javascript": {"`${", "`${x}`+", "a=>", "(a,b)=>{", "{a:", "/x/ ", "x/'", "const {a,b}=c;",
			"/*", "x.y(", "import {a"},
		"perl": {"<<E ", "<<\"E\";\nE\n", "s{", "s/a/b/e;", "\"@{[", "$x{", "q(",
			"$x='a';eval $x;", "=pod\n", "qw(a b)", "<a", "y/"},
		"ruby": {"<<~E\nE\n", "%w[", "%q{", "x.each{|a|", "\"#{", "a, b = ", "?a ", "/x#{",
			"f x, "},
		"php": {"<<<E\nE;\n", "\"{$x[", "<?php ", "?>", "$f('x');", "foreach(", "`$x`",
			"/*"},
		"lua": {"[[", "[=", "{{", "f{", "--[[", "f'a'", "for a,b in c do "},
		"r":   {"r\"-(", "`", "a<-b;", "f(", "x=c(x,x)\n"},
		"sql": {"'", "$a$", "/*", "\\! x\n", "\\o \\o ", "select ", "drop ", "BEGIN DROP ",
			"--\n", "f(", "DO $$DO "},
		"tcl":  {"{", "[", "\"[", "if {1} {", "exec a\n", "eval {eval ", "a\\\n"},
		"vim":  {"g/x/", "silent ", "|", "exe 'exe ", "call f(", "w !x\n", "'a"},
		"sftp": {"put x\n", "!x\n", "get 'x ", "-"},
		"xml": {"<!ENTITY x SYSTEM ", "<!ENTITY x SYSTEM 'a'>", "<xi:include href=",
			"<a href='x'/>", "'"},
		"ed": {"a\n", "g/x/", "!x\n", "/", "1,", "w f\n"},
		"make": {"a:\n", "X += $(X)\n", "$(shell ", "a: a\n\tb $(X)\n", "$($(", "x \\\n",
			"X = $(X)$(Y)\nY = $(X)$(X)\n", "%: a\n"},
		"gdb":        {"python\n", "shell x\n", "end\n", "print f(", "| "},
		"powershell": {"'", "\"$(", "<#", "{", "iex 'iex ", "a|b;", "> x", "$x = "},
	}
	for lang, ps := range pieces {
		for _, p := range ps {
			measure := func(n int) time.Duration {
				text := strings.Repeat(p, n/len(p)+1)
				best := time.Hour
				for range 3 {
					start := spent(t)
					Scan(lang, text)
					best = min(best, spent(t)-start)
				}
				return best
			}
			small, large := measure(1<<12), measure(1<<15)
			// The time of the process has the collector's in it: what is quadratic is so every
			// time.
			for try := 0; try < 5 && large > 30*small && large > 10*time.Millisecond; try++ {
				runtime.GC()
				small, large = max(small, measure(1<<12)), min(large, measure(1<<15))
			}
			if large > 30*small && large > 10*time.Millisecond {
				t.Errorf("%s: %q: %v for 4 KiB, %v for 32 KiB", lang, p, small, large)
			}
		}
	}
}

func BenchmarkScan(b *testing.B) {
	texts := map[string]string{
		"python": "import json\nd=json.load(open('package.json'))\nd['x']=1\n" +
			"json.dump(d, open('package.json','w'), indent=2)\n",
		"javascript": `const fs=require('fs'); const p=JSON.parse(fs.readFileSync('package.json','utf8')); console.log(p.version)`,
		"perl":       `my $d = "$ENV{HOME}/notes"; unlink "$d/a" or die; print "ok\n"`,
		"sql":        `SELECT id, name FROM users WHERE name = 'x' ORDER BY id LIMIT 10`,
	}
	for _, lang := range []string{"javascript", "perl", "python", "sql"} {
		b.Run(lang, func(b *testing.B) {
			b.SetBytes(int64(len(texts[lang])))
			b.ReportAllocs()
			for b.Loop() {
				Scan(lang, texts[lang])
			}
		})
	}
}
