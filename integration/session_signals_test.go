package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// impatientAgent starts commands and ends each after a random time: with the two signals of a time
// limit, the second at once or later, with SIGKILL alone, and with a stop in between. It is perl,
// which no policy reads, and is finally killed itself.
const impatientAgent = `#!/usr/bin/perl
use POSIX; use Time::HiRes qw(sleep);
my $rounds = shift;
my $signal = POSIX->can(join('', 'ki', 'll'));
for my $i (0 .. $rounds - 1) {
	my $how = $i % 4;
	my $pid = fork();
	POSIX::setpgid($pid, $pid);
	if (!$pid) { exec 'tada-run', '-c', "echo > begun$i; sleep 1$i; touch never$i"; }
	sleep(rand(0.25));
	if ($how == 1) { $signal->(-$pid, SIGSTOP); sleep(rand(0.05)); $signal->(-$pid, SIGCONT); sleep(rand(0.05)); }
	if ($how == 3) { $signal->(-$pid, SIGKILL); } else { $signal->(-$pid, SIGTERM); sleep($how == 2 ? 0.3 : 0); $signal->(-$pid, SIGKILL); }
	waitpid($pid, 0);
}
`

// A run that an agent ends at any moment of its start is recorded if it began, and has an end in
// the record.
func TestEndedAnytimeInside(t *testing.T) {
	t.Parallel()
	need(t, "perl")
	p := newPlace(t)
	rounds := 60
	if testing.Short() {
		rounds = 24
	}
	if err := hermetic.WriteProgram(filepath.Join(p.dir, "agent"), []byte(impatientAgent),
		0o755); err != nil {
		t.Fatal(err)
	}
	if out := p.run(fmt.Sprintf("tada-run --session -- ./agent %d </dev/null; echo status $?", rounds)); !strings.Contains(out, "status 0") {
		t.Fatal(out)
	}
	var runs []struct{ Command, State string }
	if out := p.run("tadactl sessions --json"); json.Unmarshal([]byte(out), &runs) != nil {
		t.Fatal(out)
	}
	recorded := map[string]string{}
	for _, r := range runs {
		recorded[r.Command] = r.State
	}
	began := 0
	for i := range rounds {
		command := fmt.Sprintf("echo > begun%d; sleep 1%[1]d; touch never%[1]d", i)
		if _, err := os.Stat(filepath.Join(p.dir, fmt.Sprintf("begun%d", i))); err == nil {
			began++
			if recorded[command] == "" {
				t.Errorf("it ran and is not on record: %s", command)
			}
		}
		if _, err := os.Stat(filepath.Join(p.dir, fmt.Sprintf("never%d", i))); err == nil {
			t.Errorf("it was not ended: %s", command)
		}
		if state := recorded[command]; state != "" && state != "ended" {
			t.Errorf("it is on record as %s: %s", state, command)
		}
	}
	if began == 0 || began == rounds {
		t.Errorf("%d of %d commands began, so not every moment was tried", began, rounds)
	}
	if out := p.run("tadactl audit verify --complete; echo status $?"); !strings.Contains(out,
		"status 0") {
		t.Error(out)
	}
}
