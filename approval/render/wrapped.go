package render

import "strings"

// inner sorts the spans of a command that contains the agent's own text: those in that text,
// shifted to it, and those in the rest. A span that covers all of either text is in neither list,
// because it does not say where to look.
func inner(command, inside string, spans [][2]int) (mine, rest [][2]int) {
	at := -1
	if strings.Count(command, inside) == 1 {
		at = strings.Index(command, inside)
	}
	for _, s := range spans {
		switch {
		case at >= 0 && s[0] < s[1] && s[0] >= at && s[1] <= at+len(inside):
			mine = append(mine, [2]int{s[0] - at, s[1] - at})
		case s == [2]int{0, len(command)},
			at >= 0 && strings.Trim(command[s[0]:s[1]], `'"`) == inside:
		default:
			rest = append(rest, s)
		}
	}
	return mine, rest
}
