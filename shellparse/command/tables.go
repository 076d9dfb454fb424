package command

import (
	_ "embed"
	"strings"
)

var (
	//go:embed table/build.txt
	buildTable string
	//go:embed table/code.txt
	codeTable string
	//go:embed table/files.txt
	filesTable string
	//go:embed table/git.txt
	gitTable string
	//go:embed table/net.txt
	netTable string
	//go:embed table/ops.txt
	opsTable string
	//go:embed table/system.txt
	systemTable string
	//go:embed table/text.txt
	textTable string
	//go:embed table/wrap.txt
	wrapTable string
	//go:embed table/hazards.txt
	hazardsTable string
)

func tables() [9]string {
	return [...]string{
		filesTable, textTable, wrapTable, gitTable, codeTable,
		buildTable, netTable, systemTable, opsTable,
	}
}

// badName reports whether a name would be read as something else in a table.
func badName(name string) bool { return name == "" || strings.ContainsAny(name, " \t\n:=#,") }

// variants are the endings under which distributions install a build of the same program.
var variants = []string{
	".basic", ".bfs", ".btrfs", ".cramfs", ".exfat", ".exe", ".ext2", ".ext3", ".ext4", ".f2fs",
	".fat", ".gtk3",
	".minix", ".msdos", ".ntfs", ".nox", ".openbsd", ".tiny", ".traditional", ".vfat", ".xfs",
}

// unversioned drops what distributions add to the name of a program: python3.12 is python,
// gcc-13 is gcc, mkfs.ext4 is mkfs. Only entries of the class "versioned" answer to such a
// name, because test2 is hardly test.
func unversioned(name string) string {
	for _, v := range variants {
		if short, ok := strings.CutSuffix(name, v); ok && short != "" {
			return short
		}
	}
	if short := strings.TrimRight(name, "0123456789."); short != "" && short != name {
		return strings.TrimSuffix(short, "-")
	}
	return name
}

func aliasOf(block string) (string, bool) {
	head, _, _ := strings.Cut(block, "\n")
	_, same, ok := strings.Cut(head, " = ")
	return strings.TrimSpace(same), ok && !strings.Contains(head, ":")
}

// find searches a sorted table for the block of one entry, header line included, by
// halving: no index has to be built when a process starts. It looks forward for a header,
// because a block may be long and the library is fast in that direction only.
func find(text, name string) (string, bool) {
	lo, hi := 0, len(text)
	for lo < hi {
		mid := lo + (hi-lo)/2
		at := header(text[:hi], mid)
		switch {
		case at == hi: // the rest of an entry, or comments
			hi = mid
		case headerName(text[at:]) == name:
			return text[at:header(text, at+1)], true
		case headerName(text[at:]) < name:
			lo = at + 1
		default:
			hi = mid
		}
	}
	return "", false
}

// header returns the offset of the first entry header at or after from, or len(text).
func header(text string, from int) int {
	if from > 0 {
		nl := strings.IndexByte(text[from-1:], '\n')
		if nl < 0 {
			return len(text)
		}
		from += nl
	}
	for from < len(text) {
		switch text[from] {
		case ' ', '\t', '\n', '#':
		default:
			return from
		}
		nl := strings.IndexByte(text[from:], '\n')
		if nl < 0 {
			return len(text)
		}
		from += nl + 1
	}
	return len(text)
}

func headerName(line string) string {
	for i := range len(line) {
		if c := line[i]; c == ':' || c == ' ' || c == '\n' {
			return line[:i]
		}
	}
	return line
}

// matchName compares a word with a name of the table, which may hold one star ("delete-*").
func matchName(name, word string) bool {
	head, tail, star := strings.Cut(name, "*")
	if !star {
		return name == word
	}
	return len(word) >= len(head)+len(tail) && strings.HasPrefix(word, head) &&
		strings.HasSuffix(word, tail)
}
