// Package check reads the files of deploy/ with the parsers of the programs that they are for: Compose, Kubernetes and
// Prometheus. It is a module of its own, so that none of these is a dependency of lukasa.
package check
