// Package passwd looks up accounts in /etc/passwd.
package passwd
