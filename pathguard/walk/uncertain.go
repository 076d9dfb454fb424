package walk

// Why a name may be that of another file than its text says. Only macOS has such names.
const (
	// WhyUnnamed is a file whose name on the disk could not be found.
	WhyUnnamed = "its name on the disk is not certain"
	// WhyCaseless is a name that nothing has. If it is spelled in another way than a rule, it may
	// be the one that the rule means.
	WhyCaseless = "nothing has this name yet, and macOS may compare names without case"
)
