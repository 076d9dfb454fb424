package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/pathguard"
)

// scripts are the files of code that the plan executes by their names, each with the text that was
// judged and the names by which it is opened. The sandbox hands out that text.
func (j *Judgement) scripts(own *[]*os.File) (list []broker.Script, err error) {
	for plan := range j.Plan.All() {
		for i := range plan.Contents {
			c := &plan.Contents[i]
			if c.Sum == "" || !plan.Executed(c) {
				continue
			}
			at := slices.IndexFunc(list, func(s broker.Script) bool { return s.Names[0] == c.Path })
			if at < 0 {
				file, err := judgedText(c)
				if err != nil {
					return list, err
				}
				at, *own = len(list), append(*own, file)
				s := broker.Script{File: file, ID: broker.Identity(c.ID), Plain: true}
				s.By, s.Again = pathguard.Readers()
				list = append(list, s)
			}
			s := &list[at]
			s.Names = append(s.Names, spelled(plan, c)...)
			s.Plain = s.Plain && plan.ReadsPlainly(c, firstLine(s.File), j.shell)
		}
	}
	return list, nil
}

// firstLine is what may name the interpreter of a text: more than the kernel reads.
func firstLine(f *os.File) string {
	b := make([]byte, 512)
	n, _ := f.ReadAt(b, 0)
	return string(b[:n])
}

// spelled are the names by which a file is opened, its own before those of the text. A name with
// ".." in it stays so: behind a symbolic link it leads elsewhere.
func spelled(p *pathguard.Plan, c *pathguard.Content) []string {
	list := []string{c.Path}
	if c.Name != "" {
		list = append(list, broker.Spelling(c.Name))
	}
	for i := range p.Targets {
		t := &p.Targets[i]
		if t.Real != c.Path || !t.Exists {
			continue
		}
		list = append(list, t.Links...)
		if filepath.IsAbs(t.Name) {
			list = append(list, broker.Spelling(t.Name))
			continue
		}
		list = append(list, broker.Spelling(p.Dir+"/"+t.Name))
		if t.Command >= 0 && t.Command < len(p.Script.Commands) {
			if dir := p.Script.Commands[t.Command].Dir; filepath.IsAbs(dir) && dir != p.Dir {
				list = append(list, broker.Spelling(dir+"/"+t.Name))
			}
		}
	}
	return list
}

// judgedText copies the text of a file to where nothing can change it. The error says that it is
// another one by now.
func judgedText(c *pathguard.Content) (*os.File, error) {
	swapped := &swappedError{[]string{c.Path}}
	f := c.File()
	if f == nil {
		return nil, swapped
	}
	text, err := readHeld(f)
	if err != nil {
		return nil, swapped
	}
	if now := sha256.Sum256(text); hex.EncodeToString(now[:]) != c.Sum {
		return nil, swapped
	}
	return sealedFile(text)
}
