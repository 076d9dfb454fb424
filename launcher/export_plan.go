package launcher

import (
	"fmt"

	"github.com/tada-run/tada-run/pathguard"
)

// ExportPlan judges a request and returns its plan as a line for a signer elsewhere, who can allow
// it in advance for a machine without people. A plan that the policy allows or denies is an error:
// no signature changes either.
func (l *Launcher) ExportPlan(req Request) ([]byte, error) {
	req.Profile = profileCI
	j, err := l.Judge(req)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	if j.Verdict.Decision != pathguard.Ask {
		return nil, nothingToSign(j.Verdict.Decision)
	}
	return l.ExportPayload(j.Payload())
}

func nothingToSign(d pathguard.Decision) error {
	return fmt.Errorf("the verdict of the policy is %s, so there is nothing to sign", d)
}
