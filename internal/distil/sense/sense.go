// Package sense tells what of a text is worth remembering: a small trained linear model weighs what a clause says, how, and behind what, and names
// the kind of memory that it makes, or none.
package sense

import (
	_ "embed" // the weights
	"encoding/binary"
	"errors"
	"math"

	"github.com/lukasa-memory/lukasa"
)

// The classes that the model tells apart: nothing, and the kinds of memories.
const (
	Nothing = iota
	Fact
	Preference
	Episode
	Task
	Insight
	Decision
	Milestone
	Event
	TurningPoint
	Classes
)

var kinds = [Classes]lukasa.MemoryKind{
	"", lukasa.KindFact, lukasa.KindPreference, lukasa.KindEpisode, lukasa.KindTask, lukasa.KindInsight, lukasa.KindDecision, lukasa.KindMilestone,
	lukasa.KindEvent, lukasa.KindTurningPoint,
}

// Kind is the kind of memory that a class stands for, "" for Nothing.
func Kind(class int) lukasa.MemoryKind { return kinds[class] }

// Class is the class of a kind of memory, Nothing when it has none.
func Class(k lukasa.MemoryKind) int {
	for i, other := range kinds {
		if other == k {
			return i
		}
	}
	return Nothing
}

// Bag holds the features of one case, as hashes. The zero Bag is empty.
type Bag struct {
	Marks []uint32
}

// Add takes a feature up: the words of its name, one behind the other.
func (b *Bag) Add(parts ...string) {
	h := uint32(2166136261)
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint32(p[i])) * 16777619
		}
		h = (h ^ 0x1f) * 16777619
	}
	b.Marks = append(b.Marks, h)
}

// Odds are the probabilities of the classes.
type Odds [Classes]float32

// Best is the likeliest kind, Nothing aside, with its probability.
func (o *Odds) Best() (class int, p float32) {
	for i := 1; i < Classes; i++ {
		if o[i] > p {
			class, p = i, o[i]
		}
	}
	return class, p
}

// Something is the probability that there is a memory of any kind.
func (o *Odds) Something() float32 { return 1 - o[Nothing] }

// Model is a trained model: a row of weights for each feature that it knows.
type Model struct {
	scale float32
	first [1<<topBits + 1]uint32 // where the features with these top bits begin
	marks []uint32               // the features, ascending
	rows  []int8                 // Classes for each
}

// topBits of a feature's hash lead to the few features among which it must stand.
const topBits = 14

// Weigh tells how likely each class is for a bag.
func (m *Model) Weigh(b *Bag) Odds {
	var sum [Classes]int32
	for _, h := range b.Marks {
		for i := int(m.first[h>>(32-topBits)]); i < int(m.first[h>>(32-topBits)+1]); i++ {
			if m.marks[i] != h {
				continue
			}
			for k, w := range m.rows[i*Classes:][:Classes] {
				sum[k] += int32(w)
			}
			break
		}
	}
	var z [Classes]float64
	for i, s := range sum {
		z[i] = float64(s) * float64(m.scale)
	}
	return soft(z)
}

func soft(z [Classes]float64) Odds {
	top := z[0]
	for _, v := range z {
		top = max(top, v)
	}
	var o Odds
	all := 0.0
	for i, v := range z {
		z[i] = math.Exp(v - top)
		all += z[i]
	}
	for i, v := range z {
		o[i] = float32(v / all)
	}
	return o
}

const magic = "lukasa-sense-1\n"

// maxFeatures is the most that a model may know.
const maxFeatures = 1<<20 - 1

// Parse reads a model: the magic line, the number of features and the scale of the weights, the features ascending, a row of weights for each.
// Numbers are little endian.
func Parse(data string) (*Model, error) {
	if len(data) < len(magic)+8 || data[:len(magic)] != magic {
		return nil, errors.New("read the model of sense: it does not begin as one")
	}
	data = data[len(magic):]
	n := int(binary.LittleEndian.Uint32([]byte(data[:4])))
	m := &Model{scale: math.Float32frombits(binary.LittleEndian.Uint32([]byte(data[4:8])))}
	data = data[8:]
	if n > maxFeatures || len(data) != n*(4+Classes) {
		return nil, errors.New("read the model of sense: it is cut off")
	}
	m.marks, m.rows = make([]uint32, n), make([]int8, n*Classes)
	for i := range m.marks {
		m.marks[i] = binary.LittleEndian.Uint32([]byte(data[4*i : 4*i+4]))
		if i > 0 && m.marks[i] <= m.marks[i-1] {
			return nil, errors.New("read the model of sense: its features are out of order")
		}
	}
	for i := range m.rows {
		m.rows[i] = int8(data[4*n+i])
	}
	at := 0
	for top := range m.first {
		for at < n && int(m.marks[at]>>(32-topBits)) < top {
			at++
		}
		m.first[top] = uint32(at)
	}
	return m, nil
}
