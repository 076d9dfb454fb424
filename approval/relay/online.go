package relay

import "context"

// Online returns nil if the agent is there and connected, and otherwise what a transaction would
// return.
func (d *DB) Online(ctx context.Context) error {
	k, welcome, err := d.greet(ctx)
	if err != nil {
		return err
	}
	k.close()
	if !welcome.Yes {
		return d.offline(disconnected(welcome))
	}
	return nil
}
