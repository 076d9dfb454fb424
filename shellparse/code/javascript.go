package code

import "strings"

func javascript() *grammar {
	return &grammar{
		name: "javascript", comments: slashComment, blocks: starComment, nameBytes: "$", literal: javascriptLiteral,
		concat: "+", arrows: true, braces: true, colons: false, calls: javascriptCalls[:],
		reflects: javascriptReflects[:],
	}
}

var (
	slashComment = []string{"//"}
	starComment  = [][2]string{{"/*", "*/"}}
)

// javascriptReflects are names by which code reaches functions without naming them.
var javascriptReflects = [...]string{"constructor", "__proto__", "mainModule", "_load", "Reflect", "_linkedBinding", "getBuiltinModule"}

// javascriptLiteral reads strings, templates, regular expressions, and names with $.
func javascriptLiteral(l *lexer) bool {
	switch c := l.src[l.pos]; c {
	case '"', '\'':
		l.begin(quoting{close: l.src[l.pos : l.pos+1], escapes: cEscapes, line: true}, l.pos+1)
	case '`':
		l.begin(quoting{close: "`", escapes: cEscapes, holes: dollarHoles}, l.pos+1)
	case '$', '#':
		start := l.pos
		l.pos = l.nameEnd(l.pos + 1)
		l.emit(name, l.src[start:l.pos], start, l.pos)
	case '/':
		return l.slash()
	default:
		return false
	}
	return true
}

// slash decides whether a slash divides or starts a regular expression. After a closing
// bracket it can be either, and only a full parser knows; there it is taken as a division,
// and the text is opaque when the other reading would hide or show a string or a comment.
func (l *lexer) slash() bool {
	if !l.operand() {
		if p := l.toks[len(l.toks)-1]; p.is(")") || p.is("}") {
			line := l.src[l.pos+1 : l.end]
			if n := strings.IndexByte(line, '\n'); n >= 0 {
				line = line[:n]
			}
			line = line[:min(len(line), 200)]
			if n := strings.IndexByte(line, '/'); n >= 0 && strings.ContainsAny(line[:n], "\"'`") || len(line) == 200 {
				l.opaque = true
			}
		}
		return false
	}
	start := l.pos
	class := false
	for i := l.pos + 1; i < l.end; i++ {
		switch c := l.src[i]; {
		case c == '\n':
			return false
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			l.pos = l.nameEnd(i + 1)
			l.emit(dynamic, "", start, l.pos)
			return true
		}
	}
	l.opaque = true
	return false
}

// operand reports whether an operand is expected here, judged by the token before.
func (l *lexer) operand() bool {
	if len(l.toks) == 0 {
		return true
	}
	switch p := l.toks[len(l.toks)-1]; p.kind {
	case punct:
		return p.text != ")" && p.text != "]" && p.text != "}"
	case newline, hole, open:
		return true
	case name:
		switch p.text {
		case "return", "typeof", "case", "in", "of", "and", "or", "not", "if", "unless", "while", "until", "when", "split", "grep", "join",
			"push", "map", "else", "do", "elsif", "then", "yield", "await", "new", "void", "throw", "x", "lt", "gt", "eq", "ne", "delete", "print", "puts", "xor":
			return !(len(l.toks) > 1 && l.toks[len(l.toks)-2].kind == punct && (l.toks[len(l.toks)-2].text == "." || l.toks[len(l.toks)-2].text == "->"))
		}
		return false
	}
	return false
}

// javascriptCalls is what Node's library, and Deno's and Bun's, do with names.
var javascriptCalls = [...]rule{
	{"$", "shell 0"},
	{".appendFileSync", "append 1; opaque"},
	{".execFileSync", "opaque"},
	{".execSync", "shell 1; opaque"},
	{".rmSync", "tree 1; opaque"},
	{".rmdirSync", "tree 1; opaque"},
	{".spawnSync", "opaque"},
	{".unlinkSync", "delete 1; opaque"},
	{".writeFileSync", "write 1; opaque"},
	{"Buffer.from", "=decoded"},
	{"Bun.$", "shell 0"},
	{"Bun.file", "read 0"},
	{"Bun.spawn", "list-or-shell 0"},
	{"Bun.spawnSync", "list-or-shell 0"},
	{"Bun.write", "write 0"},
	{"Deno.Command", "process 0 args"},
	{"Deno.chmod", "meta 0"},
	{"Deno.copyFile", "read 0; write 1"},
	{"Deno.env.get", "=env 0"},
	{"Deno.mkdir", "create 0"},
	{"Deno.open", "write 0"},
	{"Deno.readDir", "list 0"},
	{"Deno.readTextFile", "read 0"},
	{"Deno.readTextFileSync", "read 0"},
	{"Deno.remove", "tree 0"},
	{"Deno.removeSync", "tree 0"},
	{"Deno.rename", "delete 0; write 1"},
	{"Deno.run", "list-or-shell cmd"},
	{"Deno.writeTextFile", "write 0"},
	{"Deno.writeTextFileSync", "write 0"},
	{"EventSource", "net 0"},
	{"Function", "opaque"},
	{"String.fromCharCode", "=decoded"},
	{"String.fromCodePoint", "=decoded"},
	{"String.raw", "=same 0"},
	{"WebAssembly.*", "opaque"},
	{"WebSocket", "post 0"},
	{"Worker", "load 0"},
	{"XMLHttpRequest", "opaque"},
	{"atob", "=decoded"},
	{"axios", "post 0"},
	{"axios.delete", "post 0"},
	{"axios.get", "net 0"},
	{"axios.head", "net 0"},
	{"axios.patch", "post 0"},
	{"axios.post", "post 0"},
	{"axios.put", "post 0"},
	{"axios.request", "post 0"},
	{"child_process.exec", "shell 0"},
	{"child_process.execFile", "process 0 1"},
	{"child_process.execFileSync", "process 0 1"},
	{"child_process.execSync", "shell 0"},
	{"child_process.fork", "load 0"},
	{"child_process.spawn", "process 0 1"},
	{"child_process.spawnSync", "process 0 1"},
	{"cluster.*", "opaque"},
	{"decodeURIComponent", "=decoded"},
	{"del", "tree 0"},
	{"dgram.*", "opaque"},
	{"dns.lookup", "net 0"},
	{"dns.promises.lookup", "net 0"},
	{"dns.resolve", "net 0"},
	{"dns.resolve4", "net 0"},
	{"dns.resolveTxt", "net 0"},
	{"escape", "=pure"},
	{"eval", "code javascript 0"},
	{"execa", "process 0 1"},
	{"execa.command", "shell 0"},
	{"execa.execa", "process 0 1"},
	{"fetch", "net 0 body"},
	{"fs.access", "list 0"},
	{"fs.appendFile", "append 0"},
	{"fs.appendFileSync", "append 0"},
	{"fs.chmod", "meta 0"},
	{"fs.chmodSync", "meta 0"},
	{"fs.chown", "meta 0"},
	{"fs.chownSync", "meta 0"},
	{"fs.copy", "readtree 0; writetree 1"},
	{"fs.copyFile", "read 0; write 1"},
	{"fs.copyFileSync", "read 0; write 1"},
	{"fs.copySync", "readtree 0; writetree 1"},
	{"fs.cp", "readtree 0; writetree 1"},
	{"fs.cpSync", "readtree 0; writetree 1"},
	{"fs.createReadStream", "read 0"},
	{"fs.createWriteStream", "write 0"},
	{"fs.emptyDir", "tree 0"},
	{"fs.emptyDirSync", "tree 0"},
	{"fs.existsSync", "list 0"},
	{"fs.globSync", "=glob 0"},
	{"fs.lchownSync", "meta 0"},
	{"fs.link", "read 0; link 1"},
	{"fs.linkSync", "read 0; link 1"},
	{"fs.lutimesSync", "meta 0"},
	{"fs.mkdir", "create 0"},
	{"fs.mkdirSync", "create 0"},
	{"fs.mkdtempSync", "create 0; =fresh"},
	{"fs.move", "tree 0; write 1"},
	{"fs.moveSync", "tree 0; write 1"},
	{"fs.open", "open 0 1"},
	{"fs.openSync", "open 0 1"},
	{"fs.opendirSync", "list 0"},
	{"fs.outputFile", "write 0"},
	{"fs.outputFileSync", "write 0"},
	{"fs.outputJsonSync", "write 0"},
	{"fs.promises", "constant fs"},
	{"fs.readFile", "read 0"},
	{"fs.readFileSync", "read 0"},
	{"fs.readJsonSync", "read 0"},
	{"fs.readdir", "=names 0"},
	{"fs.readdirSync", "=names 0"},
	{"fs.readlinkSync", "list 0"},
	{"fs.realpathSync", "list 0; =same 0"},
	{"fs.remove", "tree 0"},
	{"fs.removeSync", "tree 0"},
	{"fs.rename", "delete 0; write 1"},
	{"fs.renameSync", "delete 0; write 1"},
	{"fs.rm", "tree 0"},
	{"fs.rmSync", "tree 0"},
	{"fs.rmdir", "tree 0"},
	{"fs.rmdirSync", "tree 0"},
	{"fs.statSync", "list 0"},
	{"fs.symlink", "read 0; link 1"},
	{"fs.symlinkSync", "read 0; link 1"},
	{"fs.truncate", "write 0"},
	{"fs.truncateSync", "write 0"},
	{"fs.unlink", "delete 0"},
	{"fs.unlinkSync", "delete 0"},
	{"fs.unwatchFile", "pure"},
	{"fs.utimesSync", "meta 0"},
	{"fs.watch", "list 0"},
	{"fs.writeFile", "write 0"},
	{"fs.writeFileSync", "write 0"},
	{"fs.writeJsonSync", "write 0"},
	{"ftp.*", "opaque"},
	{"globalThis[]", "opaque"},
	{"global[]", "opaque"},
	{"got", "net 0"},
	{"got.post", "post 0"},
	{"http.createServer", "pure"},
	{"http.get", "net 0"},
	{"http.request", "post 0"},
	{"http2.connect", "post 0"},
	{"https.get", "net 0"},
	{"https.request", "post 0"},
	{"import", "=module 0"},
	{"inspector.*", "opaque"},
	{"module.*", "opaque"},
	{"module.exports.*", "pure"},
	{"navigator.sendBeacon", "post 0"},
	{"net.connect", "socket 0 port=1"},
	{"net.createConnection", "socket 0 port=1"},
	{"nodemailer.*", "opaque"},
	{"os.homedir", "=home"},
	{"os.tmpdir", "=temp"},
	{"path.dirname", "=parent 0"},
	{"path.join", "=file-join"},
	{"path.normalize", "=same 0"},
	{"path.resolve", "=resolve"},
	{"process._linkedBinding", "opaque"},
	{"process.abort", "pure"},
	{"process.binding", "opaque"},
	{"process.chdir", "chdir 0"},
	{"process.dlopen", "opaque"},
	{"process.env.HOME", "constant home"},
	{"process.kill", "hazard code.kill sends a signal to another process"},
	{"process.mainModule.*", "opaque"},
	{"process.setgid", "hazard code.privilege changes the account it runs as"},
	{"process.setuid", "hazard code.privilege changes the account it runs as"},
	{"request", "post 0"},
	{"require", "=module 0"},
	{"require.resolve", "pure"},
	{"rimraf", "tree 0"},
	{"rimraf.sync", "tree 0"},
	{"setInterval", "=timer"},
	{"setTimeout", "=timer"},
	{"shelljs.cp", "readtree 0; writetree 1"},
	{"shelljs.exec", "shell 0"},
	{"shelljs.mv", "tree 0; write 1"},
	{"shelljs.rm", "tree 0*"},
	{"tls.connect", "socket 0 port=1"},
	{"unescape", "=decoded"},
	{"util.promisify", "=same 0"},
	{"v8.setFlagsFromString", "opaque"},
	{"vm.Script", "code javascript 0"},
	{"vm.runInContext", "code javascript 0"},
	{"vm.runInNewContext", "code javascript 0"},
	{"vm.runInThisContext", "code javascript 0"},
	{"worker_threads.Worker", "load 0"},
	{"zlib.gunzipSync", "=decoded"},
	{"zlib.inflateSync", "=decoded"},
	{"zx.$", "shell 0"},
}
