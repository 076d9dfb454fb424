// Package hosts compares hosts with the entries of network.allow, and has the ports and the package
// registries that are known beforehand.
package hosts
