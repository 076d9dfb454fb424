package render_test

import (
	"fmt"

	"github.com/tada-run/tada-run/approval/render"
)

func ExampleInert() {
	fmt.Println(render.Inert("ls\x1b[2K\rrm \u202e l\u0455 \xff"))
	// Output: ls⟦U+001B⟧[2K⟦U+000D⟧rm ⟦U+202E⟧ lѕ⟦U+0455⟧ ⟦xFF⟧
}
