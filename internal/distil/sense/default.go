package sense

import (
	_ "embed" // the model
	"sync"
)

// file is the trained model, made by go generate in package rules.
//
//go:embed model.bin
var file string

// Default returns the model that the program comes with; nil when its file is broken, which a test excludes.
var Default = sync.OnceValue(func() *Model {
	m, err := Parse(file)
	if err != nil {
		return nil
	}
	return m
})
