package code

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// scanSFTP reads the commands of sftp(1): put sends files of this machine, get writes some, and
// "!" runs a shell here. The others speak of the other machine alone.
func scanSFTP(src string) ([]Fact, bool) {
	s := &lines{src: src}
	eachLine(src, func(line string, at int) {
		end := at + len(line)
		line = strings.TrimLeft(line, "-@")
		if rest, ok := strings.CutPrefix(line, "!"); ok {
			s.shell(rest, at, end)
			return
		}
		words := sftpWords(line)
		if len(words) == 0 {
			return
		}
		var names []string
		for _, word := range words[1:] {
			if !strings.HasPrefix(word, "-") {
				names = append(names, word)
			}
		}
		switch words[0] {
		case "put", "mput", "reput":
			if len(names) > 0 {
				s.file(command.Read, command.Recursive, names[0], at, end)
			}
		case "get", "mget", "reget":
			if len(names) > 1 {
				s.file(command.Write, command.Recursive, names[1], at, end)
			} else {
				s.file(command.Write, command.Below, ".", at, end)
			}
		case "lls":
			s.file(command.Read, command.List, strings.Join(names, " "), at, end)
		case "lmkdir":
			s.file(command.Create, 0, strings.Join(names, " "), at, end)
		case "lcd":
			s.opaque = true // where the names behind it start
		default:
			s.opaque = s.opaque || !slices.Contains(sftpThere, words[0])
		}
	})
	return s.facts, s.opaque
}

// sftpThere are the commands that touch nothing on this machine.
var sftpThere = []string{"bye", "cd", "chgrp", "chmod", "chown", "copy", "cp", "df", "exit", "help", "ln", "lpwd", "ls", "lumask",
	"mkdir", "progress", "pwd", "quit", "rename", "rm", "rmdir", "symlink", "version"}

// sftpWords cuts a line at blanks; quotes keep a word together.
func sftpWords(line string) (words []string) {
	var word strings.Builder
	quote, any := byte(0), false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line) && quote != '\'':
			i++
			word.WriteByte(line[i])
			any = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, any = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if any {
				words = append(words, word.String())
				word.Reset()
				any = false
			}
		default:
			word.WriteByte(c)
			any = true
		}
	}
	if any {
		words = append(words, word.String())
	}
	return words
}
