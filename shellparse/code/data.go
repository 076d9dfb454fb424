package code

import (
	"path"
	"slices"
)

// dataEndings are those of files that no compiler and no interpreter takes by itself.
var dataEndings = []string{".txt", ".log", ".out", ".err", ".csv", ".tsv", ".md", ".json", ".dat",
	".html", ".diff", ".png", ".jpg", ".pdf", ".gz", ".zip", ".xml"}

// IsData reports whether the ending of a file says that it holds data: no program takes it for code
// unless it is given its name.
func IsData(name string) bool {
	return slices.Contains(dataEndings, path.Ext(name)) && path.Base(name) != "CMakeLists.txt" &&
		path.Base(name) != "package.json"
}
