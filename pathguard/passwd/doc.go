// Package passwd looks up accounts in /etc/passwd, and on macOS where the C library does.
package passwd
