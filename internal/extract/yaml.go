package extract

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML is a node of a YAML document, with its comments and place.
type YAML = yaml.Node

// The kinds of node that have to be told apart.
const (
	YAMLMap    = yaml.MappingNode
	YAMLList   = yaml.SequenceNode
	YAMLScalar = yaml.ScalarNode
	YAMLAlias  = yaml.AliasNode
)

// ParseYAML yields the documents of a YAML text until more is false. Aliases stay what they are.
func ParseYAML(text string, yield func(root *YAML) (more bool, err error)) error {
	dec := yaml.NewDecoder(strings.NewReader(text))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("parse YAML: %w", err)
		}
		more, err := yield(&doc)
		if err != nil || !more {
			return err
		}
	}
}
