package pathguard

// Approval says who has to answer a question.
type Approval struct {
	People   int  // how many different people must approve; 0 means one
	FromRisk int  // the lowest risk that needs them, 0 to 3; below it one person is enough
	NotSelf  bool // from that risk on, the account that asks does not count

	// Quarantined is set if the request comes from outside text: a foreign repository, a page, a
	// mail. No part of it can be approved for more than one run.
	Quarantined bool

	// Notify is a program with its words that tells the person that a question waits.
	Plain  bool // questions are shown without colours, lines and symbols
	Notify []string

	// Offline is what becomes of a command that may run, while the agent of the fleet cannot be
	// reached or has no connection. A question then has to wait in any case.
	Offline Decision
}

// For returns how many people must approve a risk, and whether the account that asks may be one of
// them.
func (a Approval) For(risk int) (people int, self bool) {
	if risk < a.FromRisk {
		return 1, true
	}
	return max(a.People, 1), !a.NotSelf
}

// strictest returns the larger number of people and the lower risk.
func (a Approval) strictest(add Approval) Approval {
	return Approval{
		People: max(a.People, add.People), FromRisk: min(a.FromRisk, add.FromRisk),
		NotSelf:     a.NotSelf || add.NotSelf,
		Quarantined: a.Quarantined || add.Quarantined,
		Notify:      a.Notify,
		Offline:     min(a.Offline, add.Offline),
	}
}
