package pathguard

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
)

// indexOf is the index of a repository with n files.
func indexOf(n int) string {
	var b bytes.Buffer
	b.WriteString("DIRC")
	_ = binary.Write(&b, binary.BigEndian, [2]uint32{2, uint32(n)})
	for i := range n {
		name := fmt.Sprintf("src/deep/in/the/tree/file%06d.go", i)
		entry := make([]byte, 62)
		binary.BigEndian.PutUint32(entry[24:], 0o100644)
		binary.BigEndian.PutUint16(entry[60:], uint16(len(name)))
		entry = append(entry, name...)
		b.Write(append(entry, make([]byte, 8-len(entry)%8)...))
	}
	b.Write(make([]byte, 20)) // the hash, which git does not need to have for a look
	return b.String()
}

// J4: a repository beside the workspace is read like any file, from inside it and by git -C, unless
// its settings name a program, which git would start.
func TestSiblingRepository(t *testing.T) {
	g, root := desk(t, "", "home/dev/none/x")
	repository := func(name, settings string) {
		put(t, root, map[string]string{name + "/.git/HEAD": "ref: refs/heads/main\n",
			name + "/.git/objects/info/x": "", name + "/.git/refs/x": "",
			name + "/.git/config": "[core]\n\tbare = false\n" + settings, name + "/sub/x": ""})
	}
	repository("home/dev/plain", "[remote \"origin\"]\n\turl = https://x.test/y\n"+
		"[core]\n\tfsmonitor = true\n\thooksPath = .husky\n[filter \"lfs\"]\n"+
		"\tsmudge = git-lfs smudge -- %f\n[alias]\n\tl = log\n[credential]\n\thelper = store\n")
	reads := []string{"log", "status", "diff HEAD", "show x", "branch -vv"}
	for _, read := range reads {
		g.expect(t, Allow, "git -C ~/plain "+read, "git -C ~/plain/sub "+read,
			"cd ~/plain && git "+read, "git -C ../home/dev/plain "+read)
	}
	g.expect(t, Ask, "git -C ~/plain commit -am x", "git -C ~/plain pull", "git -C ~/none log",
		"git -C ~/missing log")
	for i, settings := range []string{"[core]\n\tfsmonitor = ./x\n", "[core]\n\tpager = ./x\n",
		"[diff]\n\texternal = ./x\n", "[diff \"a\"]\n\ttextconv = ./x\n", "[include]\n\tpath = x\n",
		"[filter \"a\"]\n\tclean = ./x\n", "[core]\n\tsshCommand = ./x\n", "[pager]\n\tlog = ./x\n",
		"[credential]\n\thelper = !./x\n", "[core]\n\tx = \"\n",
		"[credential]\n\thelper = x $(y)\n", "[alias]\n\tl = !./x\n",
		"[extensions]\n\tpartialClone = origin\n", "[remote \"x\"]\n\tpromisor = true\n",
		"[remote \"x\"]\n\turl = ext::x\n", "[protocol \"ext\"]\n\tallow = always\n",
		"[diff]\n\tsubmodule = diff\n"} {
		name := "home/dev/other" + string(rune('a'+i))
		repository(name, settings)
		dir := root + "/" + name
		for _, read := range reads[:2] {
			g.expect(t, Ask, "git -C "+dir+" "+read, "git -C "+dir+"/sub "+read,
				"cd "+dir+" && git "+read)
		}
	}
	for i, file := range []string{".gitmodules", ".git/modules/x", ".git/index", "sub/.git/x"} {
		name := "home/dev/within" + string(rune('a'+i))
		repository(name, "")
		put(t, root, map[string]string{name + "/" + file: "DIRC"})
		g.expect(t, Ask, "git -C ~/"+name[len("home/dev/"):]+"/sub status")
	}
	repository("home/dev/large", "")
	put(t, root, map[string]string{"home/dev/large/.git/index": indexOf(20_000)})
	g.expect(t, Allow, "git -C ~/large log", "cd ~/large && git status")
}
