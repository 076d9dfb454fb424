// Package attack is the list of every known way out of a fence, each as a small program that tries it.
//
// A list of refusals proves nothing by itself: what is refused may be broken, misspelt, or not there on this machine. So each attack
// is tried twice: by a victim without a fence, where it has to work, and behind the fence, where it must not.
//
//	rows, err := attack.Run(ctx, sandbox.Strong)
//	for _, r := range rows {
//		fmt.Println(r.Outcome, r.Kind, r.Name, r.Note)
//	}
//
// The attacker is the calling program itself, started again under another name; so its main begins with
//
//	if code, mine := attack.Main(os.Args); mine {
//		os.Exit(code)
//	}
//
// # Outcomes
//
//	held      it works without a fence, and not behind it
//	told      it works behind the fence, and the receipt has said that it would: this level does not give that protection
//	broken    it works behind the fence, and nobody said so
//	unproven  it does not work without a fence either, so nothing was shown: the machine lacks what is attacked, or it takes root
//
// Victims are aimed at files, servers and processes that were made for it. Nothing of the user's is touched.
package attack
