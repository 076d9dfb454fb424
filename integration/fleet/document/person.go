package document

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"

	"github.com/tada-run/tada-run/approval/plan"
)

// A Person is a name and a key.
type Person struct {
	Name    string
	Key     ed25519.PublicKey
	Admin   bool     // may sign fleet documents, freezes and thaws
	Answers Selector // the machines whose questions the person may answer
	MaxRisk int      // the highest risk that the person may allow
}

func (p Person) fields() map[string]any {
	return map[string]any{"admin": p.Admin, "answers": p.Answers.String(),
		"key": base64.StdEncoding.EncodeToString(p.Key), "max_risk": p.MaxRisk, "name": p.Name}
}

func (p Person) equal(q Person) bool {
	return p.Name == q.Name && p.Key.Equal(q.Key) && p.Admin == q.Admin && p.MaxRisk == q.MaxRisk &&
		p.Answers.String() == q.Answers.String()
}

func readPerson(f plan.Fields) (Person, error) {
	p := Person{Name: f.Text("name"), Admin: f.Flag("admin"), MaxRisk: int(f.Number("max_risk"))}
	key, err := base64.StdEncoding.Strict().DecodeString(f.Text("key"))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return Person{}, fmt.Errorf("key of %q: it is not an Ed25519 key", p.Name)
	}
	p.Key = key
	if text := f.Text("answers"); text != "" {
		if p.Answers, err = ParseSelector(text); err != nil {
			return Person{}, fmt.Errorf("machines of %q: %w", p.Name, err)
		}
	}
	if p.MaxRisk < 0 || p.MaxRisk > plan.MaxRisk {
		return Person{}, fmt.Errorf("risk of %q: %d is not 0 to %d", p.Name, p.MaxRisk,
			plan.MaxRisk)
	}
	return p, nil
}

func fieldsOf(list []Person) (all []any) {
	for _, p := range list {
		all = append(all, p.fields())
	}
	return all
}

func readPeople(list []plan.Fields) (all []Person, err error) {
	for _, f := range list {
		p, err := readPerson(f)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// check refuses a person who could sign nothing.
func (p Person) check() error {
	if err := checkName(p.Name); err != nil {
		return err
	}
	if len(p.Key) != ed25519.PublicKeySize {
		return fmt.Errorf("key of %q: it is not an Ed25519 key", p.Name)
	}
	return nil
}
