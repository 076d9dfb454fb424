package render

import (
	"slices"

	"github.com/tada-run/tada-run/approval/plan"
)

// dangerSpans returns the parts of a call's command that the reasons of a verdict point at, merged
// and in order. Reasons name a call by tool_call_id; a reason without one refers to the only call
// there is. A span of the whole text does not say where to look, so it counts only if there is no
// other.
func dangerSpans(top map[string]any, id string, only bool, length int) [][2]int {
	var spans [][2]int
	whole := false
	for _, v := range plan.Fields(top).List("reasons") {
		m, _ := v.(map[string]any)
		r := plan.Fields(m)
		span := r.List("span")
		if to := r.Text("tool_call_id"); r.Text("verdict") == "allow" || len(span) != 2 ||
			to != id && (to != "" || !only) {
			continue
		}
		start, _ := span[0].(int64)
		end, _ := span[1].(int64)
		if start < 0 || end > int64(length) || start >= end {
			continue
		}
		if start == 0 && end == int64(length) {
			whole = true
			continue
		}
		spans = append(spans, [2]int{int(start), int(end)})
	}
	if whole && len(spans) == 0 {
		return [][2]int{{0, length}}
	}
	slices.SortFunc(spans, func(a, b [2]int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return a[1] - b[1]
	})
	var merged [][2]int
	for _, s := range spans {
		if n := len(merged); n > 0 && s[0] <= merged[n-1][1] {
			merged[n-1][1] = max(merged[n-1][1], s[1])
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// boundaries are the offsets at which a unit must begin.
func boundaries(breaks []int, spans [][2]int) []int {
	out := slices.Clone(breaks)
	for _, s := range spans {
		out = append(out, s[0], s[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// danger puts marks around the units in the spans, in the text itself, so that they do not depend
// on colour, and protects those units from being elided. A span that covers the whole text does not
// say where to look and gets no marks.
func danger(units []unit, spans [][2]int) []unit {
	if len(spans) == 0 {
		return units
	}
	out := make([]unit, 0, len(units)+2*len(spans))
	inside := false
	for i, u := range units {
		for len(spans) > 0 && u.at >= spans[0][1] {
			if inside {
				out = append(out, dangerMark(closeDanger, u.at))
				inside = false
			}
			spans = spans[1:]
		}
		if len(spans) > 0 && u.at >= spans[0][0] && !inside {
			out = append(out, dangerMark(openDanger, u.at))
			inside = true
		}
		if u.must = inside; inside {
			u.tone = Danger
		}
		out = append(out, u)
		if i == len(units)-1 && inside {
			out = append(out, dangerMark(closeDanger, u.at))
		}
	}
	return out
}

func dangerMark(text string, at int) unit {
	return unit{text: text, cells: 1, at: at, must: true, tone: Danger}
}
