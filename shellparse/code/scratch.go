package code

import "regexp"

// A program in Go may delete a folder that it has made itself.
const makesTemp = `\b(\w+), *\w+ *:= *os\.MkdirTemp\(""`

// withoutScratch returns a program in Go without the words that delete a folder of its own: one
// that os.MkdirTemp has made, by a variable that is nothing but the first argument of calls.
func withoutScratch(text string) string {
	for _, m := range regexp.MustCompile(makesTemp).FindAllStringSubmatch(text, 8) {
		name := regexp.MustCompile(`\b` + m[1] + `\b`)
		used := regexp.MustCompile(`\.\w+\(` + m[1] + `[,)]`)
		if len(name.FindAllString(used.ReplaceAllString(text, ""), 2)) == 1 {
			text = regexp.MustCompile(`\bos\.RemoveAll\(`+m[1]+`\)`).ReplaceAllString(text, "")
		}
	}
	return text
}
