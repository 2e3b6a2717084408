package sense

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
)

// Example is a case with what it should be: a share of 1 for each class.
type Example struct {
	Bag    Bag
	Target Odds
	Weight float32
}

// Options are the settings of a training run.
type Options struct {
	Rounds int     // passes over the examples
	Rate   float64 // of learning
	Decay  float64 // L2: what pulls weights to nothing
	Least  int     // examples that a feature must stand in
}

// Train fits a model to examples by multinomial logistic regression, descending by AdaGrad (Duchi, Hazan, Singer 2011), and packs its weights into
// 8 bits. The same examples in the same order give the same bytes.
func Train(list []Example, o Options) []byte {
	marks, rows := features(list, o.Least)
	w := make([]float32, len(marks)*Classes)
	sq := make([]float32, len(w))
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rate, decay := float32(o.Rate), float32(o.Decay)
	for range o.Rounds {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, k := range order {
			var z [Classes]float64
			for _, at := range rows[k] {
				for i, v := range w[at : at+Classes] {
					z[i] += float64(v)
				}
			}
			p := soft(z)
			for _, at := range rows[k] {
				for i := range Classes {
					g := float32((p[i]-list[k].Target[i])*list[k].Weight) + float32(decay*w[at+i])
					sq[at+i] += float32(g * g)
					w[at+i] -= float32(rate*g) / float32(math.Sqrt(float64(sq[at+i]))+1e-6)
				}
			}
		}
	}
	return pack(marks, w)
}

// features lists the features that stand in at least so many examples, ascending, and for each example where the rows of its own begin.
func features(list []Example, least int) ([]uint32, [][]int) {
	count := map[uint32]int{}
	for _, ex := range list {
		own := slices.Clone(ex.Bag.Marks)
		slices.Sort(own)
		for _, h := range slices.Compact(own) {
			count[h]++
		}
	}
	var marks []uint32
	for h, n := range count {
		if n >= least {
			marks = append(marks, h)
		}
	}
	slices.Sort(marks)
	marks = marks[:min(len(marks), maxFeatures)]
	rows := make([][]int, len(list))
	for k, ex := range list {
		for _, h := range ex.Bag.Marks {
			if i, ok := slices.BinarySearch(marks, h); ok {
				rows[k] = append(rows[k], i*Classes)
			}
		}
	}
	return marks, rows
}

// pack quantises weights to 8 bits.
func pack(marks []uint32, w []float32) []byte {
	top := float32(1e-9)
	for _, v := range w {
		top = max(top, v, -v)
	}
	out := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(marks)))
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(top/127))
	for _, h := range marks {
		out = binary.LittleEndian.AppendUint32(out, h)
	}
	for _, v := range w {
		out = append(out, byte(int8(math.Round(float64(v/top*127)))))
	}
	return out
}
