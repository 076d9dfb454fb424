package code

import "testing"

// TestVague writes files whose names are not known: with what they may be, or opaque where a name
// comes from elsewhere or could be hidden.
func TestVague(t *testing.T) {
	testScan(t, "python", []scanCase{
		{"def w(p): open(p,'w')\nfor x in y: w(x)", "may write ."},
		{"import sys\nopen(sys.argv[1],'w')", "may write ."},
		{"import sys,os\nos.remove(sys.argv[1])", "opaque"},
		{"import sys,os\nos.symlink(sys.argv[1],sys.argv[2])", "opaque"},
		{"import sys,os\nos.chmod(sys.argv[1], 0o755)", "opaque"},
		{"import sys,os\nos.chdir(sys.argv[1])\nopen(sys.argv[2],'w')", "may write .; opaque"},
		{"for x in y: open('/etc/'+x,'w')", "opaque"},
		{"for x in y: open('out/'+x,'w')", "may write ."},
		{"p=f(['.git/config'])\nopen(p,'w')", "may write .; may write .git/config"},
		{"p=f(['.gi' + 't/config'])\nopen(p,'w')",
			"may write .; may write .gi; may write .git/config"},
		{`p=json.loads('{"p":"/etc/x"}')['p']` + "\nopen(p,'w')", "may write .; may write /etc/x"},
		{"print('http://localhost/x')\nopen(p,'w')", "may write ."},
		{"open(input(),'w')", "may write .; opaque"},
		{"n=''.join(['.','g','i','t','/','h','o','o','k','s'])\nopen(n,'w')",
			"may write .; may write .; opaque"},
		{"n=('._g_i_t_/_h_o_o_k_s_/_x').replace('_','')\nopen(n,'w')",
			"may write .; may write ._g_i_t_/_h_o_o_k_s_/_x; opaque"},
		{"n='%c%s' % (46,'git/x')\nopen(n,'w')", "may write .; opaque"},
		{"t=time.strftime('%Y-%m-%d')\nopen('out-'+t,'w')", "may write ."},
		{"import sys\nfor l in sys.stdin: open(l,'w')", "may write .; opaque"},
		{"import os\nopen(os.environ['T'],'w')", "may write .; opaque"},
		{"import os\np=[os.path.expanduser('~')]\nopen(p[x]+y,'w')",
			"may write .; may write ~; opaque"},
		{"p=''.join(map(chr,x))\nopen(q,'w')", "may write .; opaque"},
		{"import subprocess\nfor f in subprocess.check_output(['ls'],text=True): open(f,'w')",
			`may write .; exec ["ls"]; opaque`},
		{"import subprocess\nr=subprocess.run(['ls'],input='x')\nopen('out/'+r.stdout,'w')",
			`may write .; exec ["ls"]`},
	})
	testScan(t, "node", []scanCase{
		{"fs.writeFileSync(process.argv[2],'')", "may write ."},
		{"fs.writeFileSync(process.env.T,'')", "may write .; opaque"},
		{"fs.writeFileSync(p, s.replace(/\\//g,''))", "may write ."},
		{"fs.writeFileSync(['.git','config'].join(s),'')", "may write .; may write .git"},
		{"fs.unlinkSync(p)", "opaque"},
	})
	testScan(t, "perl", []scanCase{
		{`open(F,">",$p)`, "may write ."},
		{`open(F,">",$ENV{T})`, "may write .; opaque"},
		{`open(F,$p)`, "opaque"},
	})
	testScan(t, "ruby", []scanCase{
		{`File.write(p,"x")`, "may write ."},
		{`File.write(ENV["T"],"x")`, "may write .; opaque"},
	})
}

// TestAttributes gives an attribute its values in every way that the text can.
func TestAttributes(t *testing.T) {
	write := "\n  def w(self): open(self.p,'w')"
	testScan(t, "python", []scanCase{
		{"class A:\n  def __init__(self): self.p='a'" + write, "write a"},
		{"class A:\n  def __init__(self): self.p='a'" + write + "\nA().p='b'", "write a; write b"},
		{"class A:\n  p='b'\n  def __init__(self): self.p='a'" + write, "write a; write b"},
		{"class A:\n  def __init__(self): self.p='a'\n  def m(self): self.p+='b'" + write,
			"may write ."},
		{"class A:\n  def __init__(self): self.p, self.q = 'a', 'b'" + write, "may write ."},
		{"class A:\n  def __init__(self): self.p='a'" + write + "\nsetattr(a,'p','/b')",
			"may write .; may write /b; opaque"},
		{"import os\nclass A:\n  def __init__(self): self.r=os.system\n  def w(self): self.r('id')",
			"opaque"},
	})
	testScan(t, "node", []scanCase{
		{"class A{constructor(){this.p='a'} w(){fs.writeFileSync(this.p,'')}}", "write a"},
		{"class A{constructor(){this.p='a'} w(){fs.writeFileSync(this.p,'')}}; a['p']='/b'",
			"may write .; may write /b"},
		{"class A{constructor(o){this.p='a';Object.assign(this,o)}" +
			" w(){fs.writeFileSync(this.p,'')}}",
			"may write ."},
		{"process.env.NODE_OPTIONS='x'", "opaque"},
	})
}
