package code

import "strings"

func lua() *grammar {
	return &grammar{
		name: "lua", comments: luaComment, newlines: false, literal: luaLiteral,
		concat: "..", calls: luaCalls[:], reflects: luaReflects[:],
	}
}

var (
	luaComment  = []string{"--"}
	luaReflects = [...]string{"_G", "_ENV", "setfenv", "getfenv", "debug", "ffi"}
)

// luaLiteral reads strings, long strings and long comments.
func luaLiteral(l *lexer) bool {
	switch c := l.src[l.pos]; c {
	case '"', '\'':
		l.begin(quoting{close: l.src[l.pos : l.pos+1], escapes: luaEscapes, line: true}, l.pos+1)
		return true
	case '[':
		closes, n, ok := longBracket(l.src[l.pos:l.end])
		if ok {
			l.begin(quoting{close: closes, escapes: rawEscapes}, l.pos+n)
		}
		return ok
	}
	return false
}

// longBracket reads [[ or [==[.
func longBracket(s string) (closes string, n int, ok bool) {
	i := 1
	for i < len(s) && s[i] == '=' {
		i++
	}
	if i >= len(s) || s[i] != '[' {
		return "", 0, false
	}
	return "]" + strings.Repeat("=", i-1) + "]", i + 1, true
}

// luaCalls is what Lua's library, LuaSocket and Neovim's vim table do with names.
var luaCalls = [...]rule{
	{"dofile", "load 0"},
	{"io.input", "read 0?"},
	{"io.lines", "read 0?"},
	{"io.open", "open 0 1"},
	{"io.output", "write 0?"},
	{"io.popen", "shell 0"},
	{"io.tmpfile", "pure"},
	{"lfs.chdir", "chdir 0"},
	{"lfs.dir", "list 0"},
	{"lfs.link", "read 0; link 1"},
	{"lfs.mkdir", "create 0"},
	{"lfs.rmdir", "delete 0"},
	{"load", "code lua 0"},
	{"loadfile", "load 0"},
	{"loadstring", "code lua 0"},
	{"os.execute", "shell 0"},
	{"os.exit", "pure"},
	{"os.getenv", "=env 0"},
	{"os.remove", "delete 0"},
	{"os.rename", "delete 0; write 1"},
	{"os.tmpname", "=fresh"},
	{"package.loadlib", "opaque"},
	{"posix.*", "opaque"},
	{"require", "=module 0"},
	{"socket.connect", "socket 0 port=1"},
	{"socket.http.request", "net 0 1"},
	{"socket.tcp", "=ref socket.tcp"},
	{"socket.tcp.connect", "socket 0 port=1"},
	{"ssl.https.request", "net 0 1"},
	{"string.char", "=decoded"},
	{"string.reverse", "=decoded"},
	{"utf8.char", "=decoded"},
	{"vim.api.*", "opaque"},
	{"vim.api.nvim_command", "code vim 0"},
	{"vim.cmd", "code vim 0"},
	{"vim.fn.delete", "tree 0"},
	{"vim.fn.mkdir", "create 0"},
	{"vim.fn.readfile", "read 0"},
	{"vim.fn.system", "list-or-shell 0"},
	{"vim.fn.systemlist", "list-or-shell 0"},
	{"vim.fn.writefile", "write 1"},
	{"vim.loop.*", "opaque"},
	{"vim.system", "argv 0"},
	{"vim.uv.*", "opaque"},
}
