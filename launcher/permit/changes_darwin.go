package permit

import "context"

// watched reports that nothing tells of changes here.
func (p *Approvals) watched(context.Context, chan<- struct{}) bool { return false }
