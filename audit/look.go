package audit

import (
	"fmt"
	"os"
)

// look looks at the files of transcripts, and at those of the log, before they are read.
func (v *verifier) look() error {
	files, err := v.o.AtRest.Files()
	if err != nil {
		return fmt.Errorf("listing the transcripts: %w", err)
	}
	v.files = map[string]look{}
	for _, file := range files {
		v.files[file] = look{} // of what is no plain file there is no note
		if info, err := os.Lstat(v.o.AtRest.Path(file)); err == nil && info.Mode().IsRegular() {
			v.files[file] = lookAt(info)
		}
	}
	v.looks = make([]look, len(v.log.parts))
	for i, p := range v.log.parts {
		if info, err := p.text.file.Stat(); err == nil {
			v.looks[i] = lookAt(info)
		}
	}
	return nil
}
