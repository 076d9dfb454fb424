package permit

import "context"

// Changes returns a channel that has a value whenever the approvals may have changed: at once for
// the first time, then after each process that wrote them. It is closed when ctx ends. Several
// changes may arrive as one. The file is polled; on a machine of a fleet the changes come from its
// agent.
func (p *Approvals) Changes(ctx context.Context) (<-chan struct{}, error) {
	if p.dir.Joined() {
		return p.follow(ctx), nil
	}
	if err := p.Ready(); err != nil {
		return nil, err
	}
	changes := make(chan struct{}, 1)
	changes <- struct{}{}
	go p.withdrawing(ctx)
	go p.pollChanges(ctx, changes)
	return changes, nil
}
