package console

import "strings"

// What a User-Agent has, and what it is called. Of more than one the first counts: browsers name
// those that they are like.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"},
		{"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chromium/", "Chromium"}, {"Chrome/", "Chrome"},
		{"Safari/", "Safari"}}
	systems = [][2]string{{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"},
		{"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
		{"BSD", "BSD"}}
)

// maxAgent is how much of a User-Agent is looked at.
const maxAgent = 512

// deviceOf is a short name of a browser for a person. It has only words of the tables above: what a
// request says about itself is printed nowhere.
func deviceOf(agent string) string {
	agent = agent[:min(len(agent), maxAgent)]
	name := func(table [][2]string, none string) string {
		for _, entry := range table {
			if strings.Contains(agent, entry[0]) {
				return entry[1]
			}
		}
		return none
	}
	return name(browsers, "a browser") + " on " + name(systems, "another system")
}
