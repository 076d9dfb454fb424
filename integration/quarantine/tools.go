package quarantine

import (
	_ "embed"
	"slices"
	"strings"
)

// AllowedTools returns the tools that a quarantined agent may call. The list decides: every other
// tool is denied, whatever else is known about it.
func AllowedTools() []string { return []string{"Read", "Grep", "Glob"} }

// IsToolAllowed reports whether a quarantined agent may call tool at all. Names are compared byte
// by byte: "read", "Read " and a full-width "Ｒead" are other tools, and so is an MCP server's
// mcp__x__Read.
func IsToolAllowed(tool string) bool { return slices.Contains(AllowedTools(), tool) }

// A Risk is what a tool could do if an agent that follows instructions in its input called it. Its
// zero value is for an unknown tool.
type Risk string

// The risks of tools.
const (
	RiskUnknown  Risk = ""
	RiskLow      Risk = "low"
	RiskMedium   Risk = "medium"
	RiskHigh     Risk = "high"
	RiskCritical Risk = "critical"
)

// A DeniedTool is a known tool that is denied, with the reason.
type DeniedTool struct {
	Name string // ending in "*": every name that begins with the rest
	Risk Risk
	Why  string
}

// DeniedTools returns the known tools that are denied. The list is documentation and the source of
// the risks in the record. It decides nothing, so a tool that is missing here is not allowed.
func DeniedTools() (list []DeniedTool) {
	for line := range strings.Lines(deniedText) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		list = append(list, DeniedTool{f[0], Risk(f[1]), f[2]})
	}
	return list
}

//go:embed denied.txt
var deniedText string

// RiskOf returns the risk of a tool for the record.
func RiskOf(tool string) Risk {
	for _, d := range DeniedTools() {
		if begin, any := strings.CutSuffix(d.Name, "*"); d.Name == tool ||
			any && strings.HasPrefix(tool, begin) {
			return d.Risk
		}
	}
	if IsToolAllowed(tool) {
		return RiskLow
	}
	return RiskUnknown
}
