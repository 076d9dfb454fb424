// Package intent reads what a caller says about its own commands.
package intent
