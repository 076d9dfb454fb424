package integration

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// hostileOutput asks a terminal for what no program may have of a viewer's, and tries markup.
const hostileOutput = "\x1b]0;pwned\x07\x1b]2;pwned\x1b\\" + // titles
	"\x1b]8;;javascript:alert(1)\x07click\x1b]8;;\x07" + // a link
	"\x1b]52;c;cHduZWQ=\x07\x1b]52;c;?\x07" + // the clipboard
	"\x1b]4;1;?\x07\x1b]10;?\x07\x1b]1337;File=inline=1:AAAA\x07" + // colours, a picture
	"\x1b[c\x1b[>c\x1b[5n\x1b[6n\x9b6n\x1b[18t\x1b[21t\x1b[8;500;500t" + // questions, a size
	"\x1bP$qm\x1b\\\x1bPq#0~\x1b\\\x1b_Gf=100;AAAA\x1b\\" + // another question, pictures
	"\x1b[?1000h\x1b[?1006h\x1b[?1004h" + // mouse and focus as keys
	"\x1b[99999C\x1b[99999;99999H\x1b[999999999d" + // places that there are not
	"</script><img src=x onerror=\"document.title='pwned'\"><!--\u202e\u2066\u200b"

// showHostile takes away what the terminal of the owner answers, and makes mouse and focus no keys
// again.
const showHostile = `#!/bin/bash
stty -echo
cat hostile
read -rs -t 1 -d "" x
printf '\033[?1000;1004;1006l'
stty echo
echo
echo survived
`

// hostile puts a program into the folder, ./show, that prints hostileOutput; and ./keyed, which
// says which key was pressed.
func (d *desktop) hostile() {
	d.t.Helper()
	const keyed = "#!/bin/bash\nIFS= read -rsn1 -p ready x\necho \"key-${x@Q}-\"\n"
	if err := errors.Join(
		os.WriteFile(filepath.Join(d.dir, "hostile"), []byte(hostileOutput), 0o600),
		hermetic.WriteProgram(filepath.Join(d.dir, "show"), []byte(showHostile), 0o755),
		hermetic.WriteProgram(filepath.Join(d.dir, "keyed"), []byte(keyed), 0o755)); err != nil {
		d.t.Fatal(err)
	}
}
