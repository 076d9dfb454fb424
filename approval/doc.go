// Package approval keeps one person's yes: good for one plan, once, soon.
package approval
