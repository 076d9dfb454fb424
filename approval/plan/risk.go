package plan

// MaxRisk is the highest risk of a plan, and the risk of a payload that states none.
const MaxRisk = 3

// Friction is what the person must do to approve. A key press that is the same for everything soon
// becomes a reflex, so what cannot be undone requires more.
type Friction struct {
	Level     int    // 1 to 3, for display as R1, R2, R3
	Name      string // "low", "high", "critical"
	Challenge int    // characters to type; 0 if one key press is enough
	Factor    bool   // a second factor or a second person is required as well
}

// ladder is indexed by the risk in the payload.
var ladder = [MaxRisk + 1]Friction{
	0: {Level: 1, Name: "low"},
	1: {Level: 1, Name: "low"},
	2: {Level: 2, Name: "high", Challenge: 4},
	3: {Level: 3, Name: "critical", Challenge: 8, Factor: true},
}

// FrictionOf returns the friction for a risk between 0 and 3. Any other number gets the highest.
func FrictionOf(risk int) Friction {
	if risk < 0 || risk > MaxRisk {
		risk = MaxRisk
	}
	return ladder[risk]
}
