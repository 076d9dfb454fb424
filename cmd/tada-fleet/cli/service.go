package cli

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tada-run/tada-run/launcher/state"
)

// A service is how the system of this account starts the agent.
type service struct {
	path  string // of the file
	text  string
	start string // what to type
	there bool   // a package of the system has brought it
}

// What the packages of Linux distributions install: packaging/nfpm-fleet.yaml.
const (
	packagedProgram = "/usr/bin/tada-fleet"
	packagedUnit    = "/usr/lib/systemd/user/tada-fleet.service"
)

// serviceHere returns the service of this system, for the agent of a state directory; false where
// neither systemd nor launchd starts what an account wants.
func serviceHere(home string) (service, bool) {
	account, err := state.AccountHome(os.Getuid())
	if err != nil {
		return service{}, false
	}
	program, err := os.Executable()
	if err != nil {
		return service{}, false
	}
	_, err = os.Stat("/run/systemd/system")
	switch {
	case runtime.GOOS == "darwin":
		path := filepath.Join(account, "Library/LaunchAgents/run.tada.fleet.plist")
		return service{path: path, text: plist(program, home),
			start: fmt.Sprintf("launchctl load %q", path)}, true
	case err == nil:
		_, err := os.Stat(packagedUnit)
		return service{path: filepath.Join(account, ".config/systemd/user/tada-fleet.service"),
			text: unit(program, home), start: "systemctl --user enable --now tada-fleet",
			there: err == nil && program == packagedProgram}, true
	}
	return service{}, false
}

// unit is a unit of systemd: see systemd.service(5). A dollar in the path of the program, and only
// there, stands for itself.
func unit(program, home string) string {
	word := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(s) + `"`
	}
	arguments := " agent --home " + word(strings.ReplaceAll(home, "$", "$$"))
	return "[Unit]\nDescription=Agent of a fleet of tada-run\n\n" +
		"[Service]\nExecStart=" + word(program) + arguments + "\n" +
		"Restart=on-failure\nRestartSec=30\n\n[Install]\nWantedBy=default.target\n"
}

// plist is a property list of launchd: see launchd.plist(5).
func plist(program, home string) string {
	var words strings.Builder
	for _, word := range []string{program, "agent", "--home", home} {
		words.WriteString("<string>")
		_ = xml.EscapeText(&words, []byte(word))
		words.WriteString("</string>")
	}
	return xml.Header + `<plist version="1.0"><dict>` +
		"<key>Label</key><string>run.tada.fleet</string>" +
		"<key>ProgramArguments</key><array>" + words.String() + "</array>" +
		"<key>RunAtLoad</key><true/><key>KeepAlive</key>" +
		"<dict><key>SuccessfulExit</key><false/></dict></dict></plist>\n"
}

// install writes the file. One that is there stays: it may be the person's own. None is written
// where a package has one, which an update of the package replaces.
func (s service) install() error {
	if s.there {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(s.text)
	return errors.Join(err, f.Close())
}

// remove removes the file, if it is as install wrote it.
func (s service) remove() error {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(text) != s.text {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Remove(s.path)
}

// installService has the system of this account start the agent, and returns what to type. Another
// state directory than the account's own is for its owner to start.
func (f *fleet) installService(home string) (string, error) {
	s, ok := serviceHere(home)
	if f.place.State != "" || !ok {
		return "tadactl fleet agent", nil
	}
	return s.start, s.install()
}

// removeService takes back what installService did.
func (f *fleet) removeService(home string) error {
	s, ok := serviceHere(home)
	if f.place.State != "" || !ok {
		return nil
	}
	return s.remove()
}
