package command

import "strings"

// hazard adds a hazard of the hazards table. A rule that the table lacks would be a
// mistake of this package, which a test finds; it still counts, with the highest risk.
func (m *matcher) hazard(rule string, at int) {
	for _, have := range m.use.Hazards {
		if have.Rule == rule {
			return
		}
	}
	h, ok := LookupHazard(rule)
	if !ok {
		h = Hazard{Rule: rule, Risk: 3, Message: "dangerous in a way that has no description"}
	}
	h.Arg = at
	m.use.Hazards = append(m.use.Hazards, h)
}

// LookupHazard returns the hazard with this rule id, and whether there is one. Its Arg is
// of no meaning.
func LookupHazard(rule string) (Hazard, bool) {
	line, ok := find(hazardsTable, rule)
	if !ok {
		return Hazard{}, false
	}
	_, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
	risk, message, _ := strings.Cut(rest, " ")
	if len(risk) != 1 || risk[0] < '1' || risk[0] > '3' {
		return Hazard{}, false
	}
	return Hazard{Rule: rule, Risk: int(risk[0] - '0'), Message: strings.TrimSpace(message)}, true
}
