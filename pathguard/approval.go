package pathguard

// Approval says who has to answer what is asked.
type Approval struct {
	People   int  // how many different people must say yes; 0 is one
	FromRisk int  // the least risk that needs them: 0 to 3. Below it one person is enough
	NotSelf  bool // from that risk on, the account that asks is none of them

	// Quarantined says that what is asked comes from text of outside: a foreign repository, a page,
	// a mail. Nothing of it is allowed beyond once.
	Quarantined bool
}

// For is how many people must say yes to a risk, and whether the account that asks may be one of
// them.
func (a Approval) For(risk int) (people int, self bool) {
	if risk < a.FromRisk {
		return 1, true
	}
	return max(a.People, 1), !a.NotSelf
}

// strictest asks the more people, and asks them sooner.
func (a Approval) strictest(add Approval) Approval {
	return Approval{
		People: max(a.People, add.People), FromRisk: min(a.FromRisk, add.FromRisk),
		NotSelf:     a.NotSelf || add.NotSelf,
		Quarantined: a.Quarantined || add.Quarantined,
	}
}
