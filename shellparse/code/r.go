package code

import "strings"

func rlang() *grammar {
	return &grammar{
		name: "r", comments: hashComment, newlines: true, nameBytes: ".", literal: rLiteral,
		concat: "", equals: true, braces: true, calls: rCalls[:], reflects: rReflects[:],
	}
}

var rReflects = [...]string{".Internal", ".External", ".Call", ".C", "dyn.load", "sys.function"}

// rLiteral reads strings, raw strings and quoted names.
func rLiteral(l *lexer) bool {
	switch c := l.src[l.pos]; {
	case c == '"' || c == '\'':
		l.begin(quoting{close: l.src[l.pos : l.pos+1], escapes: cEscapes}, l.pos+1)
	case (c == 'r' || c == 'R') && l.pos+1 < l.end && (l.src[l.pos+1] == '"' || l.src[l.pos+1] == '\''):
		i := l.pos + 2
		for i < l.end && l.src[i] == '-' {
			i++
		}
		if i >= l.end || strings.IndexByte("([{", l.src[i]) < 0 {
			return false
		}
		closes := string([]byte{closer(l.src[i])}) + l.src[l.pos+2:i] + l.src[l.pos+1:l.pos+2]
		l.begin(quoting{close: closes, escapes: rawEscapes}, i+1)
	case c == '`':
		n := strings.IndexByte(l.src[l.pos+1:l.end], '`')
		if n < 0 {
			l.opaque, l.pos = true, l.end
			return true
		}
		l.emit(name, l.src[l.pos+1:l.pos+1+n], l.pos, l.pos+n+2)
		l.pos += n + 2
	case c == '.' && l.pos+1 < l.end && isNameStart(l.src[l.pos+1]):
		start := l.pos
		l.pos = l.nameEnd(l.pos + 1)
		l.emit(name, l.src[start:l.pos], start, l.pos)
	default:
		return false
	}
	return true
}

// rCalls is what R's base and its usual packages do with names.
var rCalls = [...]rule{
	{"Sys.chmod", "meta 0|paths"},
	{"Sys.getenv", "=env 0"},
	{"Sys.glob", "=glob 0"},
	{"Sys.setenv", "opaque"},
	{"base.system", "shell 0|command"},
	{"c", "=list"},
	{"cat", "write file?"},
	{"devtools.*", "opaque"},
	{"dget", "load 0"},
	{"dir.create", "create 0|path"},
	{"do.call", "opaque"},
	{"download.file", "net 0|url; write 1|destfile"},
	{"dput", "write 1|file?"},
	{"dump", "write 1|file?"},
	{"eval", "opaque"},
	{"evalq", "opaque"},
	{"file", "open 0|description 1|open"},
	{"file.append", "append 0; read 1"},
	{"file.copy", "read 0|from; write 1|to"},
	{"file.create", "write 0*"},
	{"file.exists", "list 0"},
	{"file.path", "=file-join"},
	{"file.remove", "delete 0*"},
	{"file.rename", "delete 0|from; write 1|to"},
	{"file.symlink", "read 0|from; link 1|to"},
	{"get", "opaque"},
	{"ggsave", "write 0"},
	{"httr.GET", "net 0|url"},
	{"httr.POST", "post 0|url"},
	{"install.packages", "opaque"},
	{"library", "pure"},
	{"list.files", "=entries 0|path"},
	{"load", "read 0|file"},
	{"match.fun", "opaque"},
	{"normalizePath", "=same 0"},
	{"paste", "=unknown"},
	{"paste0", "=paste"},
	{"path.expand", "=expand 0"},
	{"pdf", "write 0|file"},
	{"pipe", "shell 0"},
	{"png", "write 0|filename"},
	{"processx.run", "exec-list 0 1"},
	{"read.csv", "fetch 0|file"},
	{"read.table", "fetch 0|file"},
	{"readLines", "fetch 0|con"},
	{"readRDS", "read 0|file"},
	{"readline", "pure"},
	{"remotes.*", "opaque"},
	{"save", "write file"},
	{"save.image", "write 0|file"},
	{"saveRDS", "write 1|file"},
	{"scan", "fetch 0|file"},
	{"setwd", "chdir 0"},
	{"shell", "shell 0"},
	{"sink", "write 0|file?"},
	{"socketConnection", "socket 0|host port=1|port"},
	{"source", "source 0"},
	{"svg", "write 0"},
	{"sys.source", "load 0"},
	{"system", "shell 0|command"},
	{"system2", "exec-list 0|command 1|args"},
	{"tempfile", "=fresh"},
	{"unlink", "tree 0|x"},
	{"url", "net 0"},
	{"utils.download.file", "net 0|url; write 1|destfile"},
	{"write", "write 1|file?"},
	{"write.csv", "write 1|file?"},
	{"write.table", "write 1|file?"},
	{"writeLines", "write 1|con?"},
}
