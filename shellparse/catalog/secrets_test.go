package catalog

import (
	"regexp"
	"strings"
	"testing"
)

// J3: what the scrubber, the judge and the record take for a secret is one table. The names are
// those on which they disagreed before.
func TestSecretName(t *testing.T) {
	for name, want := range map[string]bool{
		"AWS_SECRET_ACCESS_KEY": true, "db_password": true, "token": true, "KEY": true,
		"KEYS":    true,
		"DB_PASS": true, "PASS": true, "GPG_PASSPHRASE": true, "SENTRY_DSN": true, "DSN": true,
		"SESSION_COOKIE": true, "AZURE_STORAGE_CONNECTION_STRING": true, "SECRET_KEY_BASE": true,
		"DOCKER_AUTH_CONFIG": true, "SSH_PRIVATE_FILE": true, "ACCESS_KEY_ID": true,
		"HTTP_AUTHORIZATION": true, "AUTHOR_TOKEN": true, "SSH_AUTH_SOCK_TOKEN": true,

		"": false, "_": false, "SSH_AUTH_SOCK": false, "GIT_AUTHOR_NAME": false,
		"XAUTHORITY": false,
		"KEYBOARD":   false, "COMPASS": false, "PASSES": false, "HOME": false, "COOKIE_JAR": false,
	} {
		if got := SecretName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// Every entry is of one kind, and says what that kind needs.
func TestSecrets(t *testing.T) {
	for e := range Secrets().Entries() {
		switch fact, value := e.First(); fact {
		case "inside", "ends", "whole", "apart":
			if e.Key != strings.ToUpper(e.Key) || strings.Contains(e.Key, "*") {
				t.Errorf("%q is not a part of a name in upper case", e.Key)
			}
			if fact == "ends" && e.Key[0] != '_' {
				t.Errorf("%q: an ending begins with _", e.Key)
			}
		case "file", "public", "section":
		case "token":
			if value == "" {
				t.Errorf("%q: what is it?", e.Key)
			}
			if e.value("form") == "" && e.Why() == "" {
				t.Errorf("%q: nothing says why it has no form", e.Key)
			}
			if _, err := regexp.Compile(e.value("form")); err != nil {
				t.Errorf("%q: %v", e.Key, err)
			}
		default:
			t.Errorf("%q begins with the fact %q", e.Key, fact)
		}
	}
}
