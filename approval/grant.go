package approval

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
)

// A Grant is a standing approval: the same plan again, without asking, a few times, for a while,
// in one session. It covers exactly what a person saw; there are no patterns and no prefixes.
//
// That of what an agent's session opens ([Lasting]) stands until it is revoked, or another one is
// given in that session: its page says so.
type Grant struct {
	ID        string    // UUID version 4
	Envelope  string    // the question that it was given with
	Session   string    // who may use it
	WorkItem  string    // of the plan, which is bound as part of it
	Template  string    // see [Template]
	Issued    time.Time // UTC
	Expires   time.Time // UTC; dead at this instant
	Uses      int       // how often it may be used
	Used      int       // how often it was
	Lasting   bool      // neither its uses nor its time end it
	Ended     string    // why it cannot be used any more, before its time; "" while it can
	Approver  string
	Channel   string
	Payload   []byte // the plan that the person saw
	givenBoot stamp
}

// Authority says by what right a use runs, for the person who watches and for the record.
func (g Grant) Authority(now time.Time) string {
	if g.Lasting {
		return fmt.Sprintf("allowed by grant %s; to revoke it: tadactl grants revoke %s", g.ID, g.ID)
	}
	left := max(0, g.Expires.Sub(now)).Round(time.Minute)
	return fmt.Sprintf("allowed by grant %s, %d/%d, %d min left", g.ID, g.Used, g.Uses, int(left.Minutes()))
}

// A GrantRequest makes an approved question a standing approval. Only a person may ask for it, by
// the channel and at the moment of the approval itself.
type GrantRequest struct {
	Envelope string        // approved, every call of it, and not yet used
	PlanHash string        // of what the person saw, in full
	For      time.Duration // 0 means 1 h; at most MaxGrantTime
	Uses     int           // 0 means 5; at most MaxGrantUses
	Approver string
	Channel  string
}

// What a standing approval may not exceed: a working day, and about as many uses as one still
// remembers having allowed.
const (
	MaxGrantTime = 12 * time.Hour
	MaxGrantUses = 100

	defaultGrantTime = time.Hour
	defaultGrantUses = 5
)

// SessionTool is the name of the only call of a plan that is what an agent's session opens, and no
// command.
const SessionTool = "session"

// Lasting reports whether a plan is what an agent's session opens: a yes to it is a standing
// approval until it is revoked.
func Lasting(payload []byte) bool {
	tree, err := canonical.Parse(payload)
	top, _ := tree.(map[string]any)
	calls := fields(top).list("tool_calls")
	if err != nil || len(calls) != 1 {
		return false
	}
	call, _ := calls[0].(map[string]any)
	return fields(call).text("tool_name") == SessionTool
}

// Template returns the hash of what a standing approval binds: the whole plan but the ids of its
// calls, which number the attempts, and the agent's own words, which decide nothing. Of a plan that
// is asked about for the tool alone ([ForTool]) it binds the tool, the agent and the workspace. It
// returns ErrPayload for bytes that are no plan.
func Template(payload []byte) (string, error) {
	if _, err := readPlan(payload); err != nil {
		return "", err
	}
	tree, err := canonical.Parse(payload)
	if err != nil {
		return "", err
	}
	top, _ := tree.(map[string]any)
	if name, ok := forTool(top); ok {
		tool := map[string]any{"tool": name}
		for _, bound := range []string{"version", "work_item_id", "agent_name", "workspace_root", "toolset_mode", "risk", "trust", "needs"} {
			if v, ok := top[bound]; ok {
				tool[bound] = v
			}
		}
		top = tool
	}
	delete(top, "agent_says")
	for _, c := range fields(top).list("tool_calls") {
		if call, ok := c.(map[string]any); ok {
			delete(call, "tool_call_id")
		}
	}
	b, err := canonical.Append(nil, top)
	if err != nil {
		return "", err
	}
	return PlanHash(b), nil
}

// ForTool is the name of the tool, of a plan that is asked about for no other reason than that
// nobody knows it. A standing approval of it covers the tool with other input too, as long as that
// gives no other reason to ask.
func ForTool(payload []byte) (name string, ok bool) {
	tree, err := canonical.Parse(payload)
	if err != nil {
		return "", false
	}
	top, _ := tree.(map[string]any)
	return forTool(top)
}

func forTool(top fields) (name string, ok bool) {
	calls, reasons := top.list("tool_calls"), top.list("reasons")
	effects, _ := top["effects"].(map[string]any)
	if len(calls) != 1 || len(reasons) != 1 || len(top.list("opaque")) > 0 || len(fields(effects).list("net")) > 0 {
		return "", false
	}
	call, _ := calls[0].(map[string]any)
	reason, _ := reasons[0].(map[string]any)
	name, ok = strings.CutPrefix(fields(call).text("tool_name"), "tool:")
	return name, ok && name != "" && fields(reason).text("rule") == "tool.unknown"
}

// neverWords are programs and verbs that no standing approval covers, wherever they stand in a
// command: those that run other text or other programs, those that change who one is, and those
// whose effect is not on this machine. A word that only looks like one of them costs one more
// question; a wrapper that is overlooked would be a hole (flock, time and sh -lc were, elsewhere).
var neverWords = sync.OnceValue(func() map[string]bool {
	return wordSet(`
	sh bash dash ash zsh ksh mksh fish csh tcsh busybox toybox eval exec source command builtin trap
	python python2 python3 perl ruby node deno bun lua php tclsh awk gawk mawk nawk sed ed ex vi vim nvim emacs osascript R
	osh oksh yash rbash tada-sh elvish rescue coreutils coproc
	genv gnice gnohup gstdbuf gtime gtimeout linux32 linux64 ld-linux-aarch64.so.1 ld-linux-x86-64.so.2 ld-linux.so.2 ld-musl-x86_64.so.1
	env sudo sudoedit su su-exec doas run0 pkexec runuser setpriv gosu gksudo kdesu sg capsh runcon fakeroot chpst setuidgid
	xargs xe parallel pexec perf pee rush entr reflex watch watchman-make run-parts pueue mispipe ifne retry chronic cpulimit
	flock setlock sem time timeout nohup nice ionice schedtool setsid setarch stdbuf unbuffer unshare choom prlimit softlimit
	nsenter chroot chrt taskset numactl proot bwrap firejail aa-exec systemd-run start-stop-daemon daemonize krenew reptyr
	catchsegv strace ltrace uftrace heaptrack valgrind viztracer py-spy gdb hyperfine eatmydata nocache faketime libtool ld.so
	script expect screen tmux lnav logsave mbuffer rlwrap rr ts tsp tini dumb-init with-contenv caffeinate ccache
	conda mamba micromamba pyenv rbenv mise asdf direnv dotenv env-cmd cross-env cross-env-shell fnm volta guix nix nix-shell pkgx wine xvfb-run
	dbus-launch dbus-run-session ssh-agent sshpass proxychains torify torsocks
	at atq atrm batch crontab ssh scp sftp
	rsync find fd tar zip docker podman kubectl nc ncat socat curl wget mail sendmail
	publish push install add ci uninstall upgrade accept_tamper takeover deploy release login tada-run tadactl`)
})

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// Grantable returns why no standing approval may be given for a plan; it is empty when one may. It
// reads the plan alone, so the prompt that offers the choice and the store that refuses it agree.
func Grantable(payload []byte) []string {
	facts, err := readPlan(payload)
	if err != nil {
		return []string{err.Error()}
	}
	tree, err := canonical.Parse(payload)
	if err != nil {
		return []string{err.Error()}
	}
	top, _ := tree.(map[string]any)
	f := fields(top)
	var why []string
	no := func(found bool, reason string) {
		if found {
			why = append(why, reason)
		}
	}
	lasting := Lasting(payload)
	no(facts.risk >= 2, "the risk is high")
	trust, told := top["trust"]
	no(told && (trust == nil || ParseLevel(fmt.Sprint(trust)) == Quarantined), "its origin is quarantined")
	no(len(f.list("opaque")) > 0, "part of it cannot be inspected")
	no(len(f.list("hazards")) > 0, "it has a hazard by itself")
	no(len(marksOf(top)) > 0, "its text has suspicious characters")
	if _, tool := forTool(top); tool {
		return why
	}
	effects, _ := top["effects"].(map[string]any)
	no(effects == nil, "its effects are unknown")
	no(len(fields(effects).list("net")) > 0 && !lasting, "it uses the network")
	no(outside(fields(effects).list("delete"), f.text("workspace_root")), "it deletes outside the workspace")
	no(guarded(f.list("reasons")), "it touches protected files")
	no(lasting && f.text("workspace_root") == "", "it is in no workspace")
	no(len(facts.calls) > 1, "it has several calls")
	if lasting {
		return why
	}
	for _, c := range f.list("tool_calls") {
		call, _ := c.(map[string]any)
		why = append(why, ungrantableCall(call)...)
	}
	return why
}

func ungrantableCall(call fields) []string {
	args, _ := call["args"].(map[string]any)
	command := fields(args).text("command")
	var why []string
	if tool := call.text("tool_name"); tool != "shell" && tool != "exec" {
		why = append(why, fmt.Sprintf("tool %q is not a command", tool))
	}
	if command == "" {
		why = append(why, "it has no command text")
	}
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n;&|<>(){}'\"`$=", r) })
	for _, w := range append(words, fields(args).texts("argv")...) {
		// python3.11 is python, and \rm is rm.
		name := strings.TrimRight(path.Base(strings.ReplaceAll(w, `\`, "")), "0123456789.")
		if neverWords()[name] || neverWords()[path.Base(w)] {
			why = append(why, fmt.Sprintf("%q may do anything", w))
			break
		}
	}
	if strings.ContainsAny(command, "`$\\") || slices.ContainsFunc(strings.Fields(command), assigns) {
		why = append(why, "the shell would expand or assign something in it")
	}
	return why
}

// assigns reports whether a word is NAME=value, which before a command changes what it does.
func assigns(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && !strings.ContainsAny(name, "-./")
}

// outside reports whether a path is not below the workspace.
func outside(paths []any, workspace string) bool {
	for _, p := range paths {
		s, _ := p.(string)
		if workspace == "" || path.Clean(s) != s || !strings.HasPrefix(s, strings.TrimSuffix(workspace, "/")+"/") {
			return true
		}
	}
	return false
}

// guardedRules are what reasons about secrets, policy and protected files are called by.
var guardedRules = []string{"read.secret", "secret", "path.state", "path.readonly", "path.restricted", "path.protected", "protect", "policy", "tamper", "text.", "intent.", "tada.", "exec.shadow", "net."}

func guarded(reasons []any) bool {
	for _, x := range reasons {
		r, _ := x.(map[string]any)
		rule := fields(r).text("rule")
		for _, prefix := range guardedRules {
			if rule == "" || strings.HasPrefix(rule, prefix) {
				return true
			}
		}
	}
	return false
}
