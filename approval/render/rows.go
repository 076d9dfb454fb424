package render

// A Row is a part of a page before it is broken into lines, for a place that breaks them itself.
type Row struct {
	Kind   Kind
	Label  string // the name of its section; "" for one more row of it
	Number string // of a line of a command that has several
	Spans  []Span
}

// A Kind is what a row is.
type Kind byte

// The kinds of rows.
const (
	Value  Kind = iota // what the plan says of something
	Code               // a line of a command
	Rule               // a line across the page: the title, or the last line
	Listed             // one value of the listing, by its name
)

// row is a row whose text is not finished. Its prefixes are those of the lines that it becomes.
type row struct {
	Row
	units       []unit
	first, next string
}

// finished is the row as it is shown.
func (r row) finished(plain bool) Row {
	if plain {
		r.units = plainLine(r.units)
	}
	r.Spans = spans(r.units)
	return r.Row
}
