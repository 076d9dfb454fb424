package quarantine

import (
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
func DeniedTools() []DeniedTool {
	return []DeniedTool{
		{"Bash", RiskCritical, "runs any program"},
		{"Write", RiskCritical, "makes files that others run"},
		{"Edit", RiskCritical, "changes files that others run"},
		{"MultiEdit", RiskCritical, "changes files that others run"},
		{"NotebookEdit", RiskCritical, "writes code that a notebook runs"},
		{"apply_patch", RiskCritical, "changes files that others run"},
		{"patch", RiskCritical, "changes files that others run"},
		{"Task", RiskCritical, "starts an agent, which some platforms do not report to hooks"},
		{"Agent", RiskCritical, "starts an agent, which some platforms do not report to hooks"},
		{"mcp__*", RiskCritical, "does whatever a server does"},
		{"WebFetch", RiskHigh, "sends what was read to any host, in the address"},
		{"WebSearch", RiskHigh, "sends what was read to a search engine, in the query"},
		{"BashOutput", RiskHigh, "reads what a trusted agent's program printed"},
		{"KillShell", RiskHigh, "kills other programs"},
		{"SlashCommand", RiskHigh, "runs a command of the project under review"},
		{"Skill", RiskHigh, "loads instructions from the project under review"},
		{"ReadMcpResource", RiskHigh, "reads from a server"},
		{"ListMcpResources", RiskHigh, "lists servers"},
		{"AskUserQuestion", RiskMedium, "asks the user in the name of the trusted agent"},
		{"EnterPlanMode", RiskMedium, "changes how the platform treats what comes next"},
		{"ExitPlanMode", RiskMedium, "shows the user a plan as if it were the trusted agent's"},
		{"TodoWrite", RiskMedium, "leaves instructions for a trusted agent"},
		{"TodoRead", RiskLow, "shows what a trusted agent is doing"},
	}
}

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
