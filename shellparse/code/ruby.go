package code

import "strings"

func ruby() *grammar {
	return &grammar{
		name: "ruby", comments: hashComment, blocks: rubyComment, newlines: true, continuation: true, nameBytes: "?!", literal: rubyLiteral,
		concat: "+", adjacent: true, colons: true, bare: true, braces: true, calls: rubyCalls[:],
		reflects: rubyReflects[:],
	}
}

var (
	rubyComment  = [][2]string{{"=begin", "\n=end"}}
	rubyReflects = [...]string{"ObjectSpace", "Fiddle", "DL", "binding", "define_method", "instance_exec", "class_exec", "module_eval", "const_get", "method_missing"}
)

// rubyLiteral reads strings, symbols, %-literals, here-documents and patterns.
func rubyLiteral(l *lexer) bool {
	c := l.src[l.pos]
	var next byte
	if l.pos+1 < l.end {
		next = l.src[l.pos+1]
	}
	switch {
	case c == '"':
		l.begin(quoting{close: `"`, escapes: cEscapes, holes: hashHoles}, l.pos+1)
	case c == '\'':
		l.begin(quoting{close: "'", escapes: quoteEscapes}, l.pos+1)
	case c == '`':
		l.begin(quoting{close: "`", what: "shell", escapes: cEscapes, holes: hashHoles}, l.pos+1)
	case c == '<' && next == '<':
		return l.perlHere()
	case c == '%' && l.percent():
	case c == '/' && (l.operand() || l.spacedArgument(next)):
		l.begin(quoting{close: "/", what: "regexp", escapes: skipEscapes, holes: hashHoles}, l.pos+1)
	case c == '?' && next != 0 && l.operand() && isNameByte(next) && (l.pos+2 >= l.end || !isNameByte(l.src[l.pos+2])):
		l.emit(dynamic, "", l.pos, l.pos+2)
		l.pos += 2
	case c == ':' && next == '"' && l.operand():
		l.pos++
		l.begin(quoting{close: `"`, escapes: cEscapes, holes: hashHoles}, l.pos+1)
	case c == ':' && isNameStart(next) && (l.pos == 0 || l.src[l.pos-1] != ':'):
		start := l.pos
		l.pos = l.nameEnd(l.pos + 1)
		l.emit(text, l.src[start+1:l.pos], start, l.pos)
	case (c == '@' || c == '$') && (isNameStart(next) || next == '@' || next == '!' || next == '0'):
		start := l.pos
		l.pos = l.nameEnd(l.pos + 2)
		l.emit(name, l.src[start:l.pos], start, l.pos)
	case c == '_' && l.lineStart() && strings.HasPrefix(l.src[l.pos:l.end], "__END__"):
		l.pos = l.end
	default:
		return false
	}
	return true
}

// spacedArgument reports whether `x /y` reads as a call with a pattern.
func (l *lexer) spacedArgument(next byte) bool {
	n := len(l.toks)
	return n > 0 && l.toks[n-1].kind == name && l.spaced && next != ' ' && next != '='
}

// percent reads %w[], %q(), %Q{}, %x<>, %i[], %r{}, %().
func (l *lexer) percent() bool {
	i := l.pos + 1
	kind := byte('Q')
	if i < l.end && strings.IndexByte("qQwWiIxrs", l.src[i]) >= 0 {
		kind = l.src[i]
		i++
	}
	if i >= l.end || isNameByte(l.src[i]) || isSpace(l.src[i]) || l.src[i] == '=' || l.src[i] >= 0x80 {
		return false
	}
	if !l.operand() && !(l.spaced && len(l.toks) > 0 && l.toks[len(l.toks)-1].kind == name) {
		return false
	}
	o := l.src[i]
	q := quoting{close: string([]byte{closer(o)}), escapes: cEscapes, holes: hashHoles}
	if closer(o) != o {
		q.open = o
	}
	switch kind {
	case 'w', 'i', 'W', 'I':
		end, ok := l.delimited(i)
		if !ok {
			return true
		}
		start := l.pos
		l.pos = end + 1
		if strings.Contains(l.src[i:end], "#{") && (kind == 'W' || kind == 'I') {
			l.opaque = true
		}
		l.emit(words, strings.Join(strings.Fields(l.src[i+1:end]), "\x00"), start, l.pos)
		return true
	case 'q', 's':
		q.escapes, q.holes = quoteEscapes, noHoles
	case 'x':
		q.what = "shell"
	case 'r':
		q.what, q.escapes = "regexp", skipEscapes
	}
	l.begin(q, i+1)
	return true
}

// rubyCalls is what Ruby's library does with names.
var rubyCalls = [...]rule{
	{".__send__", "send"},
	{".class_eval", "code ruby 1"},
	{".eval", "code ruby 1"},
	{".exec", "opaque"},
	{".instance_eval", "code ruby 1"},
	{".method", "opaque"},
	{".popen", "opaque"},
	{".public_send", "send"},
	{".rmtree", "tree 0"},
	{".send", "send"},
	{".spawn", "opaque"},
	{".system", "opaque"},
	{".unlink", "delete 0"},
	{".unpack", "=decoded"},
	{".unpack1", "=decoded"},
	{"ARGV.concat", "read 0*"},
	{"ARGV.push", "read 0*"},
	{"ARGV.replace", "read 0*"},
	{"ARGV.unshift", "read 0*"},
	{"Base64.decode64", "=decoded"},
	{"Base64.strict_decode64", "=decoded"},
	{"Base64.urlsafe_decode64", "=decoded"},
	{"Dir.[]", "=glob 0"},
	{"Dir.chdir", "chdir 0"},
	{"Dir.children", "=names 0"},
	{"Dir.chroot", "hazard code.privilege changes the root directory"},
	{"Dir.delete", "delete 0"},
	{"Dir.each_child", "=names 0"},
	{"Dir.entries", "=names 0"},
	{"Dir.exist?", "list 0"},
	{"Dir.glob", "=glob 0"},
	{"Dir.home", "=home"},
	{"Dir.mkdir", "create 0"},
	{"Dir.rmdir", "delete 0"},
	{"Dir.tmpdir", "=temp"},
	{"Dir.unlink", "delete 0"},
	{"Dir[]", "=glob 0"},
	{"ENV.fetch", "=env 0"},
	{"ENV[]", "=env 0"},
	{"ERB.new", "opaque"},
	{"File.absolute_path", "=same 0"},
	{"File.binread", "read 0"},
	{"File.binwrite", "write 0"},
	{"File.chmod", "meta 1*"},
	{"File.chown", "meta 2*"},
	{"File.delete", "delete 0*"},
	{"File.directory?", "list 0"},
	{"File.dirname", "=parent 0"},
	{"File.exist?", "list 0"},
	{"File.expand_path", "=expand 0"},
	{"File.file?", "list 0"},
	{"File.foreach", "read 0"},
	{"File.join", "=file-join"},
	{"File.link", "read 0; link 1"},
	{"File.mkfifo", "create 0"},
	{"File.new", "open 0 1|mode"},
	{"File.open", "open 0 1|mode"},
	{"File.read", "read 0"},
	{"File.readlines", "read 0"},
	{"File.realpath", "=same 0"},
	{"File.rename", "delete 0; write 1"},
	{"File.symlink", "read 0; link 1"},
	{"File.truncate", "write 0"},
	{"File.unlink", "delete 0*"},
	{"File.utime", "meta 2*"},
	{"File.write", "write 0"},
	{"FileUtils.cd", "chdir 0"},
	{"FileUtils.chmod", "meta 1"},
	{"FileUtils.chmod_R", "meta 1"},
	{"FileUtils.chown", "meta 2"},
	{"FileUtils.chown_R", "meta 2"},
	{"FileUtils.copy", "read 0; write 1"},
	{"FileUtils.copy_file", "read 0; write 1"},
	{"FileUtils.cp", "read 0; write 1"},
	{"FileUtils.cp_r", "readtree 0; writetree 1"},
	{"FileUtils.install", "read 0; write 1"},
	{"FileUtils.ln", "read 0; link 1"},
	{"FileUtils.ln_s", "read 0; link 1"},
	{"FileUtils.ln_sf", "read 0; link 1"},
	{"FileUtils.mkdir", "create 0"},
	{"FileUtils.mkdir_p", "create 0"},
	{"FileUtils.move", "delete 0; write 1"},
	{"FileUtils.mv", "delete 0; write 1"},
	{"FileUtils.remove", "delete 0"},
	{"FileUtils.remove_dir", "tree 0"},
	{"FileUtils.remove_entry", "tree 0"},
	{"FileUtils.remove_entry_secure", "tree 0"},
	{"FileUtils.rm", "delete 0"},
	{"FileUtils.rm_f", "delete 0"},
	{"FileUtils.rm_r", "tree 0"},
	{"FileUtils.rm_rf", "tree 0"},
	{"FileUtils.rmdir", "delete 0"},
	{"FileUtils.rmtree", "tree 0"},
	{"FileUtils.touch", "create 0"},
	{"HTTParty.delete", "post 0"},
	{"HTTParty.get", "net 0"},
	{"HTTParty.post", "post 0"},
	{"IO.binread", "read 0"},
	{"IO.copy_stream", "opaque"},
	{"IO.popen", "list-or-shell 0"},
	{"IO.read", "bar-or-read 0"},
	{"IO.readlines", "bar-or-read 0"},
	{"IO.sysopen", "open 0 1"},
	{"IO.write", "write 0"},
	{"Kernel.eval", "code ruby 0"},
	{"Kernel.exec", "words 0*"},
	{"Kernel.exit", "pure"},
	{"Kernel.load", "load 0"},
	{"Kernel.open", "bar-or-open 0 1"},
	{"Kernel.spawn", "words 0*"},
	{"Kernel.system", "words 0*"},
	{"Marshal.load", "opaque"},
	{"Net.FTP.new", "post 0"},
	{"Net.FTP.open", "post 0"},
	{"Net.HTTP.get", "net 0 port=2"},
	{"Net.HTTP.get_response", "net 0"},
	{"Net.HTTP.new", "post 0 port=1"},
	{"Net.HTTP.post", "post 0"},
	{"Net.HTTP.post_form", "post 0"},
	{"Net.HTTP.start", "post 0 port=1"},
	{"Net.SMTP.start", "post 0"},
	{"Open3.capture2", "words 0*"},
	{"Open3.capture2e", "words 0*"},
	{"Open3.capture3", "words 0*"},
	{"Open3.popen2", "words 0*"},
	{"Open3.popen3", "words 0*"},
	{"PTY.spawn", "words 0*"},
	{"Path.chmod", "meta 0"},
	{"Path.delete", "delete 0"},
	{"Path.join", "=join"},
	{"Path.mkpath", "create 0"},
	{"Path.read", "read 0"},
	{"Path.rename", "delete 0; write 1"},
	{"Path.rmtree", "tree 0"},
	{"Path.unlink", "delete 0"},
	{"Path.write", "write 0"},
	{"Pathname", "=path"},
	{"Pathname.new", "=path"},
	{"Process.daemon", "opaque"},
	{"Process.exec", "words 0*"},
	{"Process.kill", "hazard code.kill sends a signal to another process"},
	{"Process.setproctitle", "pure"},
	{"Process.spawn", "words 0*"},
	{"Process.uid", "pure"},
	{"Psych.unsafe_load", "opaque"},
	{"SQLite3.Database.new", "sqlite 0; =ref sqlite"},
	{"Socket.*", "opaque"},
	{"Socket.tcp", "socket 0 port=1"},
	{"TCPSocket.new", "socket 0 port=1"},
	{"TCPSocket.open", "socket 0 port=1"},
	{"UDPSocket.*", "opaque"},
	{"URI", "=same 0"},
	{"URI.open", "net 0"},
	{"URI.parse", "=same 0"},
	{"YAML.unsafe_load", "opaque"},
	{"Zlib.inflate", "=decoded"},
	{"eval", "code ruby 0"},
	{"exec", "words 0*"},
	{"fork", "opaque"},
	{"load", "load 0"},
	{"method", "opaque"},
	{"open", "bar-or-open 0 1"},
	{"require", "require 0"},
	{"require_relative", "relative 0"},
	{"send", "send-self"},
	{"spawn", "words 0*"},
	{"sqlite.execute", "code sql 0"},
	{"sqlite.execute_batch", "code sql 0"},
	{"syscall", "opaque"},
	{"system", "words 0*"},
}
