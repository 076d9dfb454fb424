package plan_test

import (
	"fmt"

	"github.com/tada-run/tada-run/approval/plan"
)

func ExampleFrictionOf() {
	for risk := range 5 {
		f := plan.FrictionOf(risk)
		fmt.Printf("risk %d: R%d %s, %d characters, second factor %v\n", risk, f.Level, f.Name,
			f.Challenge, f.Factor)
	}
	// Output:
	// risk 0: R1 low, 0 characters, second factor false
	// risk 1: R1 low, 0 characters, second factor false
	// risk 2: R2 high, 4 characters, second factor false
	// risk 3: R3 critical, 8 characters, second factor true
	// risk 4: R3 critical, 8 characters, second factor true
}
