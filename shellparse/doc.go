// Package shellparse tells what a command line would start and which names it would touch.
package shellparse
