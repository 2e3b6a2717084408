package storetest

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/store"
)

// runLedger plays this part of the suite against stores that open makes, each new and empty, with the clock that it is given.
func runLedger(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	for _, cases := range [][]testCase{accountCases, memberCases, jobCases, actCases, ledgerGrantCases, ledgerFileCases} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.run(t, newWorld(t, open))
			})
		}
	}
}
