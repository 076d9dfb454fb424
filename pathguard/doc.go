// Package pathguard finds the real files behind the names of a script, opens each once, and
// says whether policy lets them be touched.
package pathguard
