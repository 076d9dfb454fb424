package quarantine

import (
	_ "embed"
	"slices"
	"strings"
)

// AllowedTools returns the tools that a quarantined agent may call. The list decides: what is not
// on it is denied, whatever else is known of it.
func AllowedTools() []string { return []string{"Read", "Grep", "Glob"} }

// IsToolAllowed reports whether a quarantined agent may call tool at all. Names are compared
// byte by byte: "read", "Read " and a full-width "Ｒead" are other tools, and so is an MCP
// server's mcp__x__Read.
func IsToolAllowed(tool string) bool { return slices.Contains(AllowedTools(), tool) }

// A Risk is what a tool could do in the hands of an agent that carries out what it reads. Its
// zero value is that of a tool nobody has looked at.
type Risk string

// The risks of tools.
const (
	RiskUnknown  Risk = ""
	RiskLow      Risk = "low"
	RiskMedium   Risk = "medium"
	RiskHigh     Risk = "high"
	RiskCritical Risk = "critical"
)

// A DeniedTool is one that is known and denied, with the reason.
type DeniedTool struct {
	Name string // with a "*" behind: every name that begins so
	Risk Risk
	Why  string
}

// DeniedTools returns what is known of tools that are denied. It documents, and gives the record a
// risk; nothing is decided by it, so that a tool missing here is not an allowed one.
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
