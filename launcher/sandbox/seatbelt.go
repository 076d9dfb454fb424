package sandbox

import (
	_ "embed"
	"fmt"
	"slices"
)

// always are the rules of every profile: all is forbidden but what any program needs to start.
//
//go:embed default/seatbelt.sb
var always string

// seatbelt returns a profile as SBPL, and what of it Seatbelt does not keep. The names of p must be
// those that the kernel has. With OneProgram, program alone is executed.
func seatbelt(p Profile, program string) (text string, lost []Loss, err error) {
	if p.Network == Hosts && len(p.Reach.Rules) > 0 {
		return "", nil, fmt.Errorf("%w: Seatbelt knows no host but this machine", ErrNoAnswers)
	}
	if lost = beltGaps(p); len(p.Must) > 0 {
		for _, l := range lost {
			if slices.Contains(p.Must, l.Protection) {
				return "", nil, fmt.Errorf("%w: %s is required and lost: %s", ErrUnsupported,
					l.Protection, l.Why)
			}
		}
	}
	if p.Require > Base {
		return "", nil, fmt.Errorf("%w: Seatbelt is level %v, and level %v is required",
			ErrUnsupported, Base, p.Require)
	}
	var b belt
	b.WriteString(always)
	b.trees(p)
	if p.OneProgram {
		b.rule("allow process-exec*", "literal", program)
	}
	b.kept(p)
	b.others(p)
	return b.String(), lost, b.wrong
}

// others are the rules that name no file of the caller.
func (b *belt) others(p Profile) {
	if p.Terminals {
		b.WriteString(`(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))
(allow file-read* file-write* file-ioctl
  (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
`)
	}
	if p.Debug {
		b.WriteString("(allow mach-priv-task-port (target same-sandbox))\n")
	}
	if p.Network == Full {
		b.WriteString(`(allow network-outbound (remote ip "*:*"))
(allow network-inbound (local ip "*:*"))
(allow network-bind (local ip "*:*"))
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd"))
`)
	}
	b.WriteString("(deny file-write-setugid)\n")
}
