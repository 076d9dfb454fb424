package launcher

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/approval"
)

// notify starts the program that tells the person of a question, and does not wait for it. The
// agent chose this process's environment and directory, and the program runs outside of the
// sandbox: it gets neither, nor a word of the command. The name of the folder, which the agent may
// have chosen too, it gets only where the configuration asks for it, see [Launcher.Brief].
func (l *Launcher) notify(e approval.Envelope) {
	words := l.policy.Settings().Approval.Notify
	if len(words) == 0 {
		return
	}
	program, err := systemProgram(words[0])
	if err != nil {
		fmt.Fprintf(os.Stderr, "tada-run: notify: %v; try: tadactl policy edit\n", err)
		return
	}
	text := fmt.Sprintf("tada-run asks: R%d %s; to answer: tadactl inbox", e.Friction.Level,
		strings.ToUpper(e.Friction.Name))
	fill := strings.NewReplacer("{}", text, "{brief}", l.Brief(e))
	args := slices.Clone(words[1:])
	for i, word := range args {
		args[i] = fill.Replace(word)
	}
	if slices.Equal(args, words[1:]) {
		args = append(args, text)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = "/", l.desktop()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "tada-run: notify: %v; try: tadactl policy edit\n", err)
		return
	}
	go func() { _ = cmd.Wait() }() // it may outlive this process
}

// systemProgram finds a program by its path, or by its name where the system has programs.
func systemProgram(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	for _, dir := range filepath.SplitList(systemPath) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 && !info.IsDir() {
			return path, nil
		}
	}
	return "", fmt.Errorf("no program %q in %s", name, systemPath)
}

const systemPath = "/usr/local/bin:/usr/bin:/bin"

// desktop is the environment of such a program: where the person's desktop is, by the number of the
// account, not by what this process was told.
func (l *Launcher) desktop() []string {
	runtime := fmt.Sprintf("/run/user/%d", os.Getuid())
	env := []string{"PATH=" + systemPath, "HOME=" + l.account, "XDG_RUNTIME_DIR=" + runtime,
		"DBUS_SESSION_BUS_ADDRESS=unix:path=" + runtime + "/bus"}
	for _, name := range []string{"DISPLAY", "WAYLAND_DISPLAY"} {
		if value := os.Getenv(name); isDisplay(value) {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// isDisplay reports whether a value names a display of this machine; one elsewhere could be the
// agent's.
func isDisplay(value string) bool {
	number, ok := strings.CutPrefix(value, ":")
	if !ok {
		number, ok = strings.CutPrefix(value, "wayland-")
	}
	return ok && number != "" && len(number) < 8 && strings.Trim(number, "0123456789.") == ""
}
