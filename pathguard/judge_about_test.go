package pathguard

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse"
)

// TestResource names what a command of a cloud or a database is about, as far as its words tell.
func TestResource(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"pulumi stack rm prod --force -y":                          "prod",
		"terraform destroy -auto-approve":                          "",
		"aws ec2 terminate-instances --instance-ids i-1":           "i-1",
		"aws rds delete-db-instance --db-instance-identifier=prod": "prod",
		"gcloud compute instances delete vm1 --quiet":              "vm1",
		"kubectl delete pod x -n prod":                             "pod x",
		"kubectl delete -f k8s.yaml":                               "",
		"helm uninstall web -n prod":                               "web",
		"psql app -c SQL":                                          "app",
		"psql -c SQL":                                              "",
		"redis-cli flushall":                                       "",
	} {
		c := shellparse.Command{}
		for word := range strings.FieldsSeq(line) {
			c.Args = append(c.Args, shellparse.Word{Text: word, Static: true})
			c.Name = c.Args[0].Text
		}
		if got := resource(&c); got != want {
			t.Errorf("%s: about %q, want %q", line, got, want)
		}
		c.Args = append(c.Args, shellparse.Word{Text: "x"})
		if got := resource(&c); got != "" && got != want {
			t.Errorf("%s $X: about %q", line, got)
		}
	}
}
