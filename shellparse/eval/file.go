package eval

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// tested is a file that is looked at but not opened.
func (w *environment) tested(s *state, v value, span Span) {
	if name := w.name(s, v); name.Static || name.Glob || name.User != "" {
		w.effect(s, Effect{Right: command.Read, Flags: command.List, Name: name, Span: span})
	}
}

// content guesses where the bytes come from that a program writes into a file.
func (w *environment) content(s *state, c *call, program string) *stream {
	if c.fetches {
		return &stream{from: Network, why: "what " + program + " downloads"}
	}
	switch program {
	case "curl", "wget", "aria2c", "scp", "sftp", "rsync", "http", "gh", "aws", "gsutil", "gcloud",
		"az", "rclone", "s3cmd",
		"s5cmd", "mc", "b2", "lftp", "ftp", "tftp", "smbclient", "oras", "axel", "huggingface-cli",
		"hf", "kubectl":
		return &stream{from: Network, why: "what " + program + " downloads"}
	case "git":
		switch sub := c.words[min(1, len(c.words)-1)].Text; sub {
		case "apply", "am":
			return w.packed(s, c, program)
		case "init", "init-db", "worktree": // nothing comes from another machine
			return &stream{from: File, name: program}
		}
		return &stream{from: Network, why: "what git downloads"}
	case "tee", "sponge":
		return s.input()
	case "cp", "mv", "install", "ln":
		if len(c.args) > 1 {
			if f := w.made(s, c.args[len(c.args)-2]); f != nil {
				return &f.flow
			} else if f := behind(c.args[len(c.args)-2]); f != nil {
				return f
			}
			name := c.words[len(c.words)-2].Text
			if slices.Contains(inputNames, name) {
				return s.input()
			}
			return &stream{from: File, name: name,
				endless: endlessSource(&stream{from: File, name: name})}
		}
	case "tar", "bsdtar", "unzip", "7z", "7za", "cpio", "gunzip", "bunzip2", "unxz", "unzstd",
		"unrar", "patch", "fossil":
		return w.packed(s, c, program)
	case "base64", "base32", "xxd", "openssl", "gpg", "uudecode":
		return &stream{from: Decoded, why: "what " + program + " decodes"}
	case "touch", "mkdir", "chmod", "truncate":
		return &stream{from: File, name: program}
	}
	if f := w.compiles(s, c, program); f != nil {
		return f
	}
	return &stream{from: Unknown, why: "what " + program + " writes"}
}

// unpacks reports whether what a program writes can be a folder full of files.
func unpacks(program string) bool {
	switch program {
	case "tar", "bsdtar", "unzip", "7z", "7za", "cpio", "unrar", "rsync", "git", "scp", "svn", "hg",
		"wget", "aria2c", "gh", "patch",
		"aws", "gsutil", "gcloud", "az", "rclone", "s3cmd", "s5cmd", "mc", "b2", "lftp", "oras",
		"huggingface-cli", "hf":
		return true
	}
	return false
}

// packed is what comes out of an archive: as trustworthy as the archive.
func (w *environment) packed(s *state, c *call, program string) *stream {
	for i := 1; i < len(c.args); i++ {
		if f := behind(c.args[i]); f != nil {
			return &stream{from: worse(Decoded, f.source()), why: "what " + program + " unpacks"}
		}
		if f := w.made(s, c.args[i]); f != nil {
			return &stream{from: worse(Decoded, f.flow.source()), why: "what " + program +
				" unpacks"}
		}
	}
	if s.in != nil && s.in.source() != File {
		return &stream{from: worse(Decoded, s.in.source()), why: "what " + program + " unpacks"}
	}
	return &stream{from: File, name: program}
}

// link remembers where a link that the script makes leads to.
func (w *environment) link(s *state, c *call, t command.Touch, v value) {
	key := w.name(s, v).key()
	if key == "" || len(s.files) >= 256 {
		return
	}
	for i := 1; i < len(c.args); i++ {
		if i == t.Arg || strings.HasPrefix(c.words[i].Text, "-") {
			continue
		}
		if to := w.name(s, c.args[i]).key(); to != "" && to != key {
			s.files = append(s.files[:len(s.files):len(s.files)], written{name: key, target: to})
			w.touched(s)
			return
		}
	}
}

// within is the directory that a program changes to before it works.
func (w *environment) within(s *state, c *call, t command.Touch) string {
	v := w.fromArg(c, t.Arg, t.Word())
	text, ok := v.text()
	if name, made := v.fresh(); made {
		text = name
	} else if !ok || v.word().Glob {
		return ""
	}
	return join(s.dir, text)
}

// made returns the file of that name that the script has written, nil when it has not.
// Links that the script has made are followed.
func (w *environment) made(s *state, v value) *written {
	if len(s.files) == 0 {
		return nil
	}
	n := w.name(s, v)
	if n.Glob && n.User == "" {
		return s.planted(n, "")
	}
	key := n.key()
	if to, ok := s.linked(key); ok {
		key = to
	}
	for i := len(s.files) - 1; i >= 0; i-- {
		f := &s.files[i]
		if f.target != "" || key == "" || !strings.HasPrefix(key, f.name) {
			continue
		}
		if f.name == key || f.tree && (key[len(f.name)] == '/' || f.name == "/") {
			return f
		}
	}
	return nil
}

// reaches adds an effect, and that on what the name leads to through a link of the script.
func (w *environment) reaches(s *state, e Effect) {
	w.effect(s, e)
	w.through(s, e)
}

// through is the second part of reaches.
func (w *environment) through(s *state, e Effect) {
	if len(s.files) == 0 || e.Flags&(command.NoFollow|command.Link) != 0 {
		return
	}
	key := e.Name.key()
	if e.Name.Glob && e.Name.User == "" {
		key = join(e.Name.Dir, e.Name.Text)
	}
	to, ok := s.linked(key)
	if !ok || to == key {
		return
	}
	e.Name.Text, e.Name.Dir = to, ""
	if strings.HasPrefix(to, "./") {
		e.Name.Text = to[2:]
	}
	w.effect(s, e)
}

// unpacked records that everything below a name came out of a flow.
func (w *environment) unpacked(s *state, v value, f *stream) {
	key := w.name(s, v).key()
	if key == "" || len(s.files) >= 256 || f.source() != Network && f.source() != Decoded {
		return
	}
	s.files = append(s.files[:len(s.files):len(s.files)], written{name: key, flow: *f, tree: true})
	w.touched(s)
}

// copies reports whether a program puts a file or a folder somewhere else as it is.
func copies(program string) bool {
	return program == "cp" || program == "mv" || program == "install"
}

// into records that what is copied may be below a name, if that is a folder.
func (w *environment) into(s *state, v value, f *stream) {
	if key := w.name(s, v).key(); key != "" && len(s.files) < 256 {
		s.files = append(s.files[:len(s.files):len(s.files)],
			written{name: path.Join(key, base(f.name)), flow: *f, tree: true})
		w.touched(s)
	}
}

// wrote records what a file holds from now on.
func (w *environment) wrote(s *state, v value, f *stream, more bool) {
	key := w.name(s, v).key()
	if key == "" || len(s.files) >= 256 {
		return
	}
	if f == nil {
		f = &stream{from: Literal}
	}
	if more {
		if old := w.made(s, v); old == nil {
			f = &stream{from: worse(f.source(), File),
				why: "a file that was there before is added to"}
		} else if old.flow.from == Literal && f.from == Literal {
			f = &stream{from: Literal, val: append(append(value(nil), old.flow.val...), f.val...)}
		} else {
			f = &stream{from: worse(old.flow.source(), f.source()), why: "a file is added to"}
		}
	}
	at := written{name: key, flow: *f}
	at.flow.digits = anything // another program may write there too
	s.files = append(s.files[:len(s.files):len(s.files)], at)
	if text, ok := f.whole(); ok && text != "" && key[0] == '/' && len(w.out.Written) < maxWritten {
		w.out.Written = append(w.out.Written, Written{Name: key, Text: text})
	}
	w.touched(s)
}

// maxWritten bounds the files whose content a text has.
const maxWritten = 64

func (w *environment) input(s *state, fd string, f *stream) {
	if fd == "" || fd == "0" {
		s.in = f
		return
	}
	if len(s.fds) < 16 {
		s.fds = append(s.fds[:len(s.fds):len(s.fds)], descriptor{fd, f})
		w.touched(s)
	}
}

// reading is what a file holds.
func (w *environment) reading(s *state, v value, name Name) *stream {
	if f := w.made(s, v); f != nil {
		return &f.flow
	}
	switch {
	case name.Text == "/dev/null":
		return &stream{from: Literal, ended: true}
	case slices.Contains(inputNames, name.Text):
		return s.input()
	}
	f := &stream{from: File, name: name.Text, why: "the content of a file"}
	f.endless = endlessSource(f)
	return f
}

// device is /dev/tcp/HOST/PORT and /dev/udp/HOST/PORT, which bash opens by itself.
func (w *environment) device(s *state, v value, writes bool, span Span) bool {
	text := v.prefix()
	scheme := ""
	for _, p := range []string{"tcp", "udp"} {
		if strings.HasPrefix(text, "/dev/"+p+"/") {
			scheme = p
		}
	}
	if scheme == "" || w.o.Dialect != Bash {
		return false
	}
	host, port, _ := strings.Cut(text[len("/dev/tcp/"):], "/")
	_, whole := v.text()
	e := Endpoint{Scheme: scheme, Host: host, Upload: writes,
		Static: host != "" && (whole || port != "")}
	if n, ok := integer(port); ok {
		e.Port = int(n)
	}
	var flags command.Flags
	if writes {
		flags = command.Upload
	}
	w.effect(s, Effect{Right: command.Net, Flags: flags, Net: &e, Span: span})
	if !e.Static {
		w.opaque(s, InHost, "which host is contacted is not known", span)
	}
	return true
}

// copied is the file of the system that the script has copied or linked to a name.
func (w *environment) copied(s *state, v value) string {
	if to, ok := s.linked(w.name(s, v).key()); ok && strings.HasPrefix(to, "/") {
		return to
	}
	if f := w.made(s, v); f != nil && f.flow.from == File && strings.HasPrefix(f.flow.name, "/") {
		return f.flow.name
	}
	return ""
}

// listed is a pathname pattern that the shell itself expands: it lists the directory.
func (w *environment) listed(s *state, v value, span Span) {
	if v.word().Glob {
		w.effect(s, Effect{Right: command.Read, Flags: command.List, Name: w.name(s, v),
			Span: span})
	}
}

// fromArg returns the value behind a piece of a word: that of the word itself where the
// piece is the whole of it.
func (w *environment) fromArg(c *call, i int, a command.Arg) value {
	if i >= 0 && i < len(c.argv) && c.argv[i].Text == a.Text && c.argv[i].Static == a.Static {
		return c.args[i]
	}
	switch {
	case a.Static:
		return known(a.Text)
	case a.Glob:
		return value{{kind: pattern, text: a.Text}}
	}
	v := value{}
	if a.Text != "" {
		v = known(a.Text)
	}
	from, why := Unknown, "it is not known"
	if i >= 0 && i < len(c.args) && c.args[i].from() != Literal {
		from, why = c.args[i].from(), c.args[i].why()
		// A piece of the word keeps an account's home directory in front.
		if first := c.args[i][0]; first.kind == account && strings.HasPrefix(a.Text, first.text) {
			return append(value{first}, c.args[i][1:]...)
		}
	}
	return append(v, part{kind: open, why: why, from: from})
}
