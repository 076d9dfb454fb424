// Package upkeep verifies and proves the record of a state directory, and does to it what a person
// orders or its age asks for: it goes on after tampering, is sealed, loses a text or its oldest
// part, and is packed. Each leaves an entry, and what was proven stays so.
package upkeep
