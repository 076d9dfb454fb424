package pathguard

import "fmt"

// A SecurityError is a verdict that is not an allow, as an error. The type is the
// contract; the message is for a reader, in the reader's language.
type SecurityError struct {
	Type    ErrorType `json:"type"`
	Message string    `json:"message"`
	// strings and ints only: rule, verdict, path, file, risk, start, end
	Context map[string]any `json:"context"`
}

func (e *SecurityError) Error() string { return e.Message }

// Err returns nil for an allowed verdict, else its first and strictest reason as a
// *SecurityError.
func (v Verdict) Err(l Locale) error {
	if v.Decision == Allow {
		return nil
	}
	if len(v.Reasons) == 0 {
		return &SecurityError{DangerousCommand, noPolicy(),
			map[string]any{"verdict": v.Decision.String()}}
	}
	r := v.Reasons[0]
	context := map[string]any{"rule": r.Rule, "verdict": v.Decision.String(), "risk": r.Risk,
		"start": r.Span.Start, "end": r.Span.End}
	if r.Path != "" {
		context["path"] = r.Path
	}
	if r.File != "" {
		context["file"] = r.File
	}
	return &SecurityError{r.Type(), r.In(l), context}
}

// Type returns the kind of refusal that the reason belongs to.
func (r Reason) Type() ErrorType {
	if text, ok := ruleTextOf(r.Rule); ok {
		return text.kind
	}
	return DangerousCommand
}

// A ConfigError says why a configuration file is refused. Nothing runs under a policy that
// could be another one than its author meant.
type ConfigError struct {
	File string
	Line int // 0 when it is about the file as a whole
	Msg  string
	Err  error  // the cause, when the system gave one
	Fix  string // the command to type, where the caller knows one
}

func (e *ConfigError) Error() string {
	where := fmt.Sprintf("%q", e.File)
	if e.Line > 0 {
		where += fmt.Sprintf(" line %d", e.Line)
	}
	text := where + ": " + e.Msg
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Fix != "" {
		text += "; try: " + e.Fix
	}
	return text
}

func (e *ConfigError) Unwrap() error { return e.Err }
