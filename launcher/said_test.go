package launcher

import (
	"strings"
	"testing"
)

func TestSaidOnce(t *testing.T) {
	l, _ := world(t)
	var out strings.Builder
	l.withheld(&out, []string{"$", "BASH_FUNC_x%%"})
	l.withheld(&out, []string{"GH_TOKEN", "LD_\x1bX", "LD_X"})
	l.withheld(&out, []string{"GH_TOKEN", "LD_\x1bX", "LD_X"})
	again, err := own(l.Home().Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	again.withheld(&out, []string{"GH_TOKEN", "LD_\x1bX", "LD_X"})
	if got := strings.Count(out.String(), "\n"); got != 1 || !strings.Contains(out.String(), `GH_TOKEN LD_X;`) {
		t.Errorf("said %d times:\n%s", got, out.String())
	}
	again.withheld(&out, []string{"OTHER"})
	if got := strings.Count(out.String(), "\n"); got != 2 {
		t.Errorf("another set was said %d times", got-1)
	}
}
