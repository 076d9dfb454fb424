package code

import "strings"

func php() *grammar {
	return &grammar{
		name: "php", comments: phpComment, blocks: starComment, literal: phpLiteral,
		concat: ".", colons: true, bare: true, fold: true, symbolic: true, braces: true, calls: phpCalls[:],
		reflects: phpReflects[:],
	}
}

var (
	phpComment  = []string{"#", "//"}
	phpReflects = [...]string{"FFI", "ReflectionFunction", "ReflectionMethod", "ReflectionClass", "create_function", "GLOBALS", "$GLOBALS"}
)

// phpLiteral reads strings, here-documents, variables, and what stands outside <?php ?>.
func phpLiteral(l *lexer) bool {
	c := l.src[l.pos]
	rest := l.src[l.pos:l.end]
	switch {
	case l.pos == 0 && strings.Contains(rest, "<?"):
		l.pos = strings.Index(rest, "<?")
		return l.tag()
	case c == '<' && strings.HasPrefix(rest, "<?"):
		return l.tag()
	case c == '?' && strings.HasPrefix(rest, "?>"):
		n := strings.Index(rest, "<?")
		l.emit(punct, ";", l.pos, l.pos+2)
		if n < 0 {
			l.pos = l.end
		} else {
			l.pos += n
		}
	case c == '"':
		l.begin(quoting{close: `"`, escapes: cEscapes, holes: phpHoles}, l.pos+1)
	case c == '\'':
		l.begin(quoting{close: "'", escapes: quoteEscapes}, l.pos+1)
	case c == '`':
		l.begin(quoting{close: "`", what: "shell", escapes: cEscapes, holes: phpHoles}, l.pos+1)
	case c == '<' && strings.HasPrefix(rest, "<<<"):
		return l.phpHere()
	case c == '$':
		start := l.pos
		if e := l.nameEnd(l.pos + 1); e > l.pos+1 {
			l.pos = e
			l.emit(name, l.src[start:l.pos], start, l.pos)
		} else {
			l.pos++
			l.emit(dynamic, "", start, l.pos)
			l.opaque = true // $$x and ${...}: which variable this is cannot be told
		}
	case c == '\\':
		l.pos++ // the root namespace
	default:
		return false
	}
	return true
}

func (l *lexer) tag() bool {
	l.pos += len("<?")
	for _, s := range []string{"php", "="} {
		if strings.HasPrefix(l.src[l.pos:l.end], s) {
			l.pos += len(s)
		}
	}
	l.spaced = true
	return true
}

// phpHere reads <<<E and <<<'E'.
func (l *lexer) phpHere() bool {
	i := l.pos + 3
	for i < l.end && l.src[i] == ' ' {
		i++
	}
	q := quoting{escapes: cEscapes, holes: phpHoles}
	quote := byte(0)
	if i < l.end && (l.src[i] == '\'' || l.src[i] == '"') {
		quote = l.src[i]
		i++
	}
	j := l.nameEnd(i)
	word := l.src[i:j]
	if quote == '\'' {
		q.escapes, q.holes = rawEscapes, noHoles
	}
	if quote != 0 {
		j++
	}
	if word == "" || j > l.end {
		return false
	}
	// the closing word may be followed by more of the statement
	body := l.src[j:l.end]
	if n := strings.IndexByte(body, '\n'); n >= 0 {
		from := j + n + 1
		for at := from; at < l.end; {
			line := strings.TrimLeft(l.src[at:l.end], " \t")
			indent := len(l.src[at:l.end]) - len(line)
			if rest, ok := strings.CutPrefix(line, word); ok && (rest == "" || !isNameByte(rest[0])) {
				start := l.pos
				l.pos = at + indent + len(word)
				l.hereDocument(q, start, from, at)
				return true
			}
			n := strings.IndexByte(l.src[at:l.end], '\n')
			if n < 0 {
				break
			}
			at += n + 1
		}
	}
	l.opaque = true
	l.pos = l.end
	return true
}

// phpCalls is what PHP's functions do with names; they are found in any case.
var phpCalls = [...]rule{
	{"array_filter", "callback 1"},
	{"array_map", "callback 0"},
	{"array_walk", "callback 1"},
	{"assert", "code php 0"},
	{"base64_decode", "=decoded"},
	{"call_user_func", "call"},
	{"call_user_func_array", "call"},
	{"chdir", "chdir 0"},
	{"chgrp", "meta 0"},
	{"chmod", "meta 0"},
	{"chown", "meta 0"},
	{"chr", "=decoded"},
	{"copy", "read 0; write 1"},
	{"curl_exec", "pure"},
	{"curl_init", "post 0?"},
	{"curl_setopt", "curl-option"},
	{"curl_setopt_array", "opaque"},
	{"dirname", "=parent 0"},
	{"dl", "opaque"},
	{"eval", "code php 0"},
	{"exec", "shell 0"},
	{"extract", "opaque"},
	{"file", "read-or-net 0"},
	{"file_exists", "list 0"},
	{"file_get_contents", "read-or-net 0"},
	{"file_put_contents", "write-or-net 0"},
	{"fopen", "open-or-net 0 1"},
	{"fsockopen", "socket 0 port=1"},
	{"ftp_connect", "post 0"},
	{"get_defined_functions", "opaque"},
	{"getenv", "=env 0"},
	{"gethostbyname", "net 0"},
	{"glob", "=glob 0"},
	{"gzinflate", "=decoded"},
	{"gzuncompress", "=decoded"},
	{"header", "pure"},
	{"hex2bin", "=decoded"},
	{"highlight_file", "read 0"},
	{"include", "load 0"},
	{"include_once", "load 0"},
	{"ini_set", "opaque"},
	{"is_dir", "list 0"},
	{"is_file", "list 0"},
	{"link", "read 0; link 1"},
	{"mail", "opaque"},
	{"mb_send_mail", "opaque"},
	{"mkdir", "create 0"},
	{"move_uploaded_file", "write 1"},
	{"mysqli", "opaque"},
	{"opendir", "list 0"},
	{"pack", "=decoded"},
	{"parse_ini_file", "read 0"},
	{"passthru", "shell 0"},
	{"pcntl_exec", "load 0; exec-list 0 1"},
	{"pcntl_fork", "opaque"},
	{"pdo", "opaque"},
	{"pfsockopen", "socket 0 port=1"},
	{"popen", "shell 0"},
	{"posix_kill", "hazard code.kill sends a signal to another process"},
	{"posix_setuid", "hazard code.privilege changes the account it runs as"},
	{"preg_replace_callback", "callback 1"},
	{"proc_open", "list-or-shell 0"},
	{"putenv", "opaque"},
	{"readfile", "read-or-net 0"},
	{"realpath", "=same 0"},
	{"register_shutdown_function", "callback 0"},
	{"rename", "delete 0; write 1"},
	{"require", "load 0"},
	{"require_once", "load 0"},
	{"rmdir", "delete 0"},
	{"scandir", "=names 0"},
	{"shell_exec", "shell 0"},
	{"show_source", "read 0"},
	{"simplexml_load_file", "read-or-net 0"},
	{"socket_connect", "socket 1 port=2"},
	{"splfileobject", "open 0 1"},
	{"sqlite3", "sqlite 0"},
	{"str_rot13", "=decoded"},
	{"stream_socket_client", "socket 0"},
	{"strrev", "=decoded"},
	{"symlink", "read 0; link 1"},
	{"sys_get_temp_dir", "=temp"},
	{"system", "shell 0"},
	{"tempnam", "=fresh"},
	{"touch", "create 0"},
	{"unlink", "delete 0"},
	{"unserialize", "opaque"},
	{"usort", "callback 1"},
	{"ziparchive", "opaque"},
}
