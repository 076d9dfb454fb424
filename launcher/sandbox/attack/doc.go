// Package attack is the list of every known escape from a sandbox, each as a small program that
// tries it.
//
// A list of refusals proves nothing by itself: the refused thing may be broken, misspelt, or
// missing on this machine. So each attack is tried twice: by a victim without a sandbox, where it
// has to work, and in the sandbox, where it must not.
//
//	rows, err := attack.Run(ctx, sandbox.Strong)
//	for _, r := range rows {
//		fmt.Println(r.Outcome, r.Kind, r.Name, r.Note)
//	}
//
// The attacker is the calling program itself, started again under another name; so its main begins
// with
//
//	if code, mine := attack.Main(os.Args); mine {
//		os.Exit(code)
//	}
//
// # Outcomes
//
//	held      it works without a sandbox, and not inside one
//	told      it works in the sandbox, and the receipt says so: this level does not protect from it
//	broken    it works in the sandbox, and the receipt does not say so
//	unproven  it does not work without a sandbox either: the machine lacks what is attacked
//
// Attacks aim at files, servers and processes that were made for them, and touch nothing of the
// user's.
package attack
