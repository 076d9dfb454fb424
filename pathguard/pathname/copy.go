package pathname

import "strings"

// copyEndings are what editors, GNU tools and people put behind the name of a file to keep it.
var copyEndings = []string{"~", ".bak", ".old", ".orig", ".save", ".saved", ".backup", ".bkp",
	".prev", ".copy", ".swp", ".swo"}

// maxCopies is how many endings one name may have: server.key.bak.old is a copy of a copy.
const maxCopies = 3

// CopyOf returns the path of which a path is a copy by its name, and whether it is one: key.pem of
// key.pem~, key.pem.bak2, key.pem.~3~, #key.pem# and .key.pem.swp.
func CopyOf(path string) (original string, ok bool) {
	at := strings.LastIndexByte(path, '/') + 1
	dir, name := path[:at], path[at:]
	for range maxCopies {
		was, is := copied(name)
		if !is {
			break
		}
		name, ok = was, true
	}
	return dir + name, ok
}

func copied(name string) (original string, ok bool) {
	if inner := strings.Trim(name, "#"); inner != "" && name == "#"+inner+"#" { // Emacs
		return inner, true
	}
	bare := strings.TrimRight(name, "0123456789")
	for _, ending := range copyEndings {
		end := bare
		if ending == "~" {
			end = name
		}
		was, is := strings.CutSuffix(end, ending)
		if !is || was == "" {
			continue
		}
		switch ending {
		case "~": // numbered by GNU tools: name.~3~
			if bare, is := strings.CutSuffix(strings.TrimRight(was, "0123456789"), ".~"); is {
				was = bare
			}
		case ".swp", ".swo": // Vim's are hidden
			was = strings.TrimPrefix(was, ".")
		}
		return was, was != ""
	}
	return name, false
}
