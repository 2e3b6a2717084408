// Command openapi prints the OpenAPI description of the REST API, which the types of the dashboard are made from.
package main

import (
	"fmt"
	"os"

	"github.com/lukasa-memory/lukasa/internal/api"
)

func main() {
	b, err := api.OpenAPI("")
	if err == nil {
		_, err = os.Stdout.Write(append(b, '\n'))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}
