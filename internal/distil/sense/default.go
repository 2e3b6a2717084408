package sense

import (
	_ "embed" // the models
	"sync"
)

// The trained models, made by go generate in package rules.
var (
	//go:embed model.bin
	judgeFile string
	//go:embed subject.bin
	subjectFile string
)

// Default returns the model that tells what is worth remembering; nil when its file is broken, which a test excludes.
var Default = sync.OnceValue(func() *Model { return parsed(judgeFile) })

// Subjects returns the model that tells whom or what is meant; nil when its file is broken, which a test excludes.
var Subjects = sync.OnceValue(func() *Model { return parsed(subjectFile) })

func parsed(file string) *Model {
	m, err := Parse(file)
	if err != nil {
		return nil
	}
	return m
}
