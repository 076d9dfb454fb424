package shellparse

import (
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// nameOutput is the output of basename and dirname, which only look at their words.
func (c *call) nameOutput() (value, bool) {
	name := base(c.words[0].Text)
	if name == "seq" {
		return c.sequence()
	}
	if name != "basename" && name != "dirname" || len(c.args) < 2 || len(c.args) > 3 {
		return nil, false
	}
	for _, word := range c.words[1:] {
		if !word.Static || strings.HasPrefix(word.Text, "-") {
			return nil, false
		}
	}
	text := c.words[1].Text
	trimmed := strings.TrimRight(text, "/")
	switch {
	case text != "" && trimmed == "":
		return known("/\n"), true
	case name == "dirname" && len(c.args) == 2:
		i := strings.LastIndexByte(trimmed, '/')
		if i < 0 {
			return known(".\n"), true
		}
		if trimmed = strings.TrimRight(trimmed[:i], "/"); trimmed == "" {
			trimmed = "/"
		}
		return known(trimmed + "\n"), true
	case name == "basename":
		trimmed = base(trimmed)
		if len(c.args) == 3 && trimmed != c.words[2].Text {
			trimmed = strings.TrimSuffix(trimmed, c.words[2].Text)
		}
		return known(trimmed + "\n"), true
	}
	return nil, false
}

// longSequence is how many numbers of seq(1) are followed one by one.
const longSequence = maxBatches

// sequence is the output of seq(1) with whole numbers.
func (c *call) sequence() (value, bool) {
	var n []int64
	for _, word := range c.words[1:] {
		i, ok := integer(word.Text)
		if !word.Static || !ok {
			return nil, false
		}
		n = append(n, i)
	}
	from, step := int64(1), int64(1)
	switch len(n) {
	case 2:
		from = n[0]
	case 3:
		from, step = n[0], n[1]
	case 0:
		return nil, false
	}
	to := n[len(n)-1]
	if step <= 0 || len(n) > 3 || to-from > step*longSequence || from > to {
		return nil, false
	}
	var b strings.Builder
	for ; from <= to; from += step {
		b.WriteString(strconv.FormatInt(from, 10) + "\n")
	}
	return known(b.String()), true
}

// temporary is the name that mktemp(1) prints: one that matches a pattern, and that no file
// had before.
func (w *walker) temporary(s *state, c *call) (value, bool) {
	dir, template, inDir := known("/tmp"), "tmp.XXXXXXXXXX", true
	if v, ok := w.lookup(s, "TMPDIR"); ok && w.o.Vars != nil {
		dir = v.val
	}
	letters, values, i := c.options("p")
	if strings.Contains(letters, "-") || i < len(c.words)-1 {
		return nil, false
	}
	if i < len(c.words) {
		template, inDir = c.words[i].Text, strings.ContainsAny(letters, "tp")
		if !c.words[i].Static || !strings.Contains(template, "XXX") {
			return nil, false
		}
	}
	if v, ok := values['p']; ok {
		dir = v
	}
	text, ok := dir.text()
	if !ok || text == "" {
		return nil, false
	}
	if inDir {
		template = strings.TrimRight(text, "/") + "/" + template
	}
	stem := strings.TrimRight(template, "X")
	if stem == template {
		return nil, false
	}
	v := value{{text: stem}, {kind: pattern, text: strings.Repeat("?", len(template)-len(stem))}, {text: "\n"}}
	return v, true
}

// remembered keeps what a program writes into a file, for a later command that executes it.
func (w *walker) remembered(s *state, c *call, t command.Touch, v value, program string) {
	switch {
	case t.Right == command.Read && t.Flags&command.Source != 0:
		if f := w.made(s, v); f != nil {
			w.runsWith(s, &f.flow, interpreter(program), c.at(t.Arg), c.args[min(t.Arg+1, len(c.args)):], t.Arg >= 0)
		} else {
			w.code(Code{Lang: interpreter(program), Source: File, Span: c.at(t.Arg)})
		}
	case t.Right == command.Write && t.Flags&command.Meta == 0, t.Right == command.Create && t.Flags&command.Link == 0:
		f := w.content(s, c, program)
		w.fills(f, c.at(t.Arg))
		w.wrote(s, v, f, t.Flags&command.Append != 0)
		if text := t.Text; unpacks(program) || text == "." || strings.HasSuffix(text, "/") || t.Flags&(command.Recursive|command.Below) != 0 {
			w.unpacked(s, v, f)
		}
	case t.Right == command.Exec:
		if f := w.made(s, v); f != nil && f.flow.source() != Literal {
			w.runs(s, &f.flow, scriptLang(f), c.at(t.Arg))
		}
	case t.Right == command.Create && t.Flags&command.Link != 0:
		w.link(s, c, t, v)
	}
}

// content guesses where the bytes come from that a program writes into a file.
func (w *walker) content(s *state, c *call, program string) *flow {
	switch program {
	case "curl", "wget", "aria2c", "scp", "sftp", "rsync", "http", "gh", "aws", "gsutil", "gcloud", "az", "rclone", "s3cmd",
		"s5cmd", "mc", "b2", "lftp", "ftp", "tftp", "smbclient", "oras", "axel", "huggingface-cli", "hf", "kubectl":
		return &flow{from: Network, why: "what " + program + " downloads"}
	case "git":
		switch sub := c.words[min(1, len(c.words)-1)].Text; sub {
		case "apply", "am":
			return w.packed(s, c, program)
		case "init", "init-db", "worktree": // nothing comes from another machine
			return &flow{from: File, name: program}
		}
		return &flow{from: Network, why: "what git downloads"}
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
			if name == "/dev/stdin" || name == "/dev/fd/0" || name == "/proc/self/fd/0" {
				return s.input()
			}
			return &flow{from: File, name: name, endless: endlessSource(&flow{from: File, name: name})}
		}
	case "tar", "bsdtar", "unzip", "7z", "7za", "cpio", "gunzip", "bunzip2", "unxz", "unzstd", "unrar", "patch":
		return w.packed(s, c, program)
	case "base64", "base32", "xxd", "openssl", "gpg", "uudecode":
		return &flow{from: Decoded, why: "what " + program + " decodes"}
	case "touch", "mkdir", "chmod", "truncate":
		return &flow{from: File, name: program}
	}
	return &flow{from: Unknown, why: "what " + program + " writes"}
}

// fills finds what writes to a file until the disk is full.
func (w *walker) fills(f *flow, span Span) {
	if f != nil && f.endless {
		w.hazard(Hazard{Rule: "disk.fill", Risk: 2, Message: "writes until the disk is full", Span: span})
	}
}

// unpacks reports whether what a program writes can be a folder full of files.
func unpacks(program string) bool {
	switch program {
	case "tar", "bsdtar", "unzip", "7z", "7za", "cpio", "unrar", "rsync", "git", "scp", "svn", "hg", "wget", "aria2c", "gh", "patch",
		"aws", "gsutil", "gcloud", "az", "rclone", "s3cmd", "s5cmd", "mc", "b2", "lftp", "oras", "huggingface-cli", "hf":
		return true
	}
	return false
}

// packed is what comes out of an archive: as trustworthy as the archive.
func (w *walker) packed(s *state, c *call, program string) *flow {
	for i := 1; i < len(c.args); i++ {
		if f := behind(c.args[i]); f != nil {
			return &flow{from: worse(Decoded, f.source()), why: "what " + program + " unpacks"}
		}
		if f := w.made(s, c.args[i]); f != nil {
			return &flow{from: worse(Decoded, f.flow.source()), why: "what " + program + " unpacks"}
		}
	}
	if s.in != nil && s.in.source() != File {
		return &flow{from: worse(Decoded, s.in.source()), why: "what " + program + " unpacks"}
	}
	return &flow{from: File, name: program}
}

// link remembers where a link that the script makes leads to.
func (w *walker) link(s *state, c *call, t command.Touch, v value) {
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
