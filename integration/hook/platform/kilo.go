package platform

import "github.com/tada-run/tada-run/integration/hook"

// kilo is Kilo, which is made from OpenCode and takes the same plugin. It has more tools: one that
// starts a server in the background is not known, so it asks, with the command that it would run.
func kilo() hook.Adapter {
	a := openCode()
	a.Name = "kilo"
	a.Tools = talking(`board_post board_read cancel_wakeup schedule_wakeup kilo_local_recall`,
		a.Tools)
	return a
}
