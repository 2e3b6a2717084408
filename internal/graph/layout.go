package graph

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"

	"github.com/lukasa-memory/lukasa"
)

// What places vertices on the plane. Lengths are in units of the picture, in which the root stands at 0, 0 and a container of
// the first level about 400 from it.
const (
	levelRadius = 400.0 // of the first level; each level below has half
	leafRadius  = 95.0  // documents and memories stand within this of their container
	thingSpread = 45.0  // topics and entities stand within this of the middle of what names them
	elbow       = 24.0  // vertices that are nearer push each other away
	leash       = 60.0  // and no further from their anchor than this
	rounds      = 30
)

// Arrange gives each vertex a place: the same input has the same places, and a small change moves little. Every vertex has an
// anchor that depends on its id and on what it hangs on alone (a container on its parent, a record on its container, a
// topic or entity on the middle of what names it); a few rounds in which neighbours push each other apart, each on a leash,
// then make room. After the idea of anchored incremental layouts (Frishman and Tal, "Online dynamic graph drawing", 2008),
// without the simulation: positions never depend on earlier pictures.
func Arrange(g *Picture) {
	n := len(g.Vertices)
	order := make([]int, n)
	at := make(map[string]int, n)
	for i := range order {
		order[i], at[g.Vertices[i].ID] = i, i
	}
	anchors := anchors(g, at)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(g.Vertices[a].ID, g.Vertices[b].ID) })
	places := slices.Clone(anchors)
	for range rounds {
		push(places, anchors, order)
	}
	for i := range g.Vertices {
		g.Vertices[i].X, g.Vertices[i].Y = round(places[i].x), round(places[i].y)
	}
}

type point struct{ x, y float64 }

func (p point) plus(q point) point { return point{p.x + q.x, p.y + q.y} }

// chance is a number in [0, 1) that depends on id and salt alone.
func chance(id, salt string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(salt))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(id))
	x := h.Sum64()
	x ^= x >> 33 // FNV leaves the high bits of short texts alike
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x>>11) / (1 << 53)
}

func polar(angle, r float64) point {
	return point{r * math.Cos(angle*2*math.Pi), r * math.Sin(angle*2*math.Pi)}
}

// scatter is a place in a disk of the radius, evenly.
func scatter(id string, r float64) point {
	return polar(chance(id, "angle"), r*math.Sqrt(chance(id, "radius")))
}

func anchors(g *Picture, at map[string]int) []point {
	out := make([]point, len(g.Vertices))
	done := make([]bool, len(g.Vertices))
	parent := map[string]string{}
	near := map[string][]int{}
	for _, e := range g.Edges {
		if e.Type == lukasa.EdgeContains {
			parent[e.To] = e.From
			continue
		}
		near[e.From] = append(near[e.From], at[e.To])
		near[e.To] = append(near[e.To], at[e.From])
	}
	var place func(i, depth int) point
	place = func(i, depth int) point {
		v := &g.Vertices[i]
		if done[i] || depth > 64 {
			return out[i]
		}
		done[i] = true
		base := point{}
		if j, ok := at[parent[v.ID]]; ok {
			base = place(j, depth+1)
		} else if v.Type != "container" && v.Path != "" {
			base = polar(chance(string(v.Path), "angle"), levelRadius)
		}
		switch {
		case v.Type == "container" && v.Path == "":
		case v.Type == "container":
			base = base.plus(polar(chance(v.ID, "angle"), levelRadius/math.Pow(2, float64(max(0, v.Path.Depth()-1)))))
		default:
			base = base.plus(scatter(v.ID, leafRadius))
		}
		out[i] = base
		return base
	}
	for i := range g.Vertices {
		if !g.Vertices[i].thing() {
			place(i, 0)
		}
	}
	for i := range g.Vertices {
		v := &g.Vertices[i]
		if !v.thing() {
			continue
		}
		middle, n := point{}, 0.0
		for _, j := range near[v.ID] {
			if !g.Vertices[j].thing() {
				middle, n = middle.plus(out[j]), n+1
			}
		}
		if n == 0 {
			out[i] = polar(chance(v.ID, "angle"), levelRadius*(1+chance(v.ID, "radius")))
			continue
		}
		out[i] = point{middle.x / n, middle.y / n}.plus(scatter(v.ID, thingSpread))
	}
	return out
}

// push moves vertices that are too near each other apart, each at most leash from its anchor. It looks at neighbours only, by a
// grid of cells as wide as the elbow.
func push(places, anchors []point, order []int) {
	type cell struct{ x, y int32 }
	cells := make(map[cell][]int, len(places))
	of := func(p point) cell { return cell{int32(math.Floor(p.x / elbow)), int32(math.Floor(p.y / elbow))} }
	for _, i := range order {
		c := of(places[i])
		cells[c] = append(cells[c], i)
	}
	moved := slices.Clone(places)
	for _, i := range order {
		p := places[i]
		c := of(p)
		shift := point{(anchors[i].x - p.x) * 0.05, (anchors[i].y - p.y) * 0.05}
		for dx := int32(-1); dx <= 1; dx++ {
			for dy := int32(-1); dy <= 1; dy++ {
				for _, j := range cells[cell{c.x + dx, c.y + dy}] {
					d := math.Hypot(p.x-places[j].x, p.y-places[j].y)
					if i == j || d >= elbow {
						continue
					}
					if d < 1e-6 {
						continue // the same place: their anchors differ, or they stay so
					}
					f := 0.25 * (elbow - d) / d
					shift = shift.plus(point{(p.x - places[j].x) * f, (p.y - places[j].y) * f})
				}
			}
		}
		q := p.plus(shift)
		if d := math.Hypot(q.x-anchors[i].x, q.y-anchors[i].y); d > leash {
			q = point{anchors[i].x + (q.x-anchors[i].x)*leash/d, anchors[i].y + (q.y-anchors[i].y)*leash/d}
		}
		moved[i] = q
	}
	copy(places, moved)
}
