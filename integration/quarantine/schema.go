package quarantine

import "encoding/json"

// Schema returns the JSON Schema of a reviewer's output, made from the tables with which
// [Session.ParseResponse] reads it.
func Schema() []byte {
	type object = map[string]any
	text := object{"type": "string", "maxLength": MaxText}
	whole := func(members object, required ...string) object {
		return object{"type": "object", "additionalProperties": false, "required": required,
			"properties": members}
	}
	finding := whole(object{
		"type": object{"enum": types}, "severity": object{"enum": severities},
		"file": object{"type": "string", "description": "a typed:// reference from the prompt"},
		"line": object{"type": "integer", "minimum": 0}, "title": text, "description": text,
	}, "type", "severity", "file", "line", "title", "description")
	schema := whole(object{
		"session_id": object{"type": "string", "description": "as the prompt gives it"},
		"status":     object{"enum": statuses}, "summary": text,
		"findings": object{"type": "array", "maxItems": MaxFindings, "items": finding},
	}, "session_id", "status", "summary", "findings")
	schema["$schema"], schema["title"] = "https://json-schema.org/draft/2020-12/schema",
		"QuarantineAgentResponse"
	out, _ := json.MarshalIndent(schema, "", "  ")
	return append(out, '\n')
}
