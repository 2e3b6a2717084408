package lab

import (
	"math"
	"slices"

	"github.com/lukasa-memory/lukasa/internal/rank"
)

const signs = len(rank.Row{})

// Fit holds what fitting is asked to do.
type Fit struct {
	Use         []rank.Sign        // signs that may have a weight
	Prior       rank.Linear        // where the penalty pulls to
	Penalty     float64            // strength of the pull
	Any         float64            // share of the loss that is content with any evidence at the top, 0..1
	Adversarial float64            // weight of questions that are reported apart
	Set         map[string]float64 // weight of a set; missing: 1
	Top         int                // rows a question, by Prior
}

// Drop takes a sign out.
func (f *Fit) Drop(s rank.Sign) {
	f.Use = slices.DeleteFunc(f.Use, func(o rank.Sign) bool { return o == s })
}

// example is one question ready for fitting.
type example struct {
	rows   [][]float64
	good   []bool
	n      float64
	weight float64
}

// Run fits weights to the questions: listwise softmax, Newton's method on the penalised loss.
func (f Fit) Run(qs []*Question) rank.Linear {
	count := map[string]float64{}
	for _, q := range qs {
		if q.Category != "adversarial" {
			count[q.Set]++
		}
	}
	n := len(f.Use)
	sd := f.spread(qs)
	var ex []example
	total := 0.0
	for _, q := range qs {
		weight := 1 / count[q.Set]
		if x, ok := f.Set[q.Set]; ok {
			weight *= x
		}
		if q.Category == "adversarial" {
			weight *= f.Adversarial
		}
		if weight == 0 {
			continue
		}
		e := f.example(q, sd)
		if e.n == 0 {
			continue
		}
		e.weight = weight
		total += weight
		ex = append(ex, e)
	}
	prior := make([]float64, n)
	for i, s := range f.Use {
		prior[i] = f.Prior[s] * sd[i]
	}
	w := slices.Clone(prior)
	loss, grad, hess := f.loss(ex, w, prior, total)
	for range 30 {
		step := solve(hess, grad)
		t, done := 1.0, true
		for ; t > 1e-3; t /= 2 {
			next := make([]float64, n)
			for i := range next {
				next[i] = w[i] - t*step[i]
			}
			l, g, h := f.loss(ex, next, prior, total)
			if l < loss {
				done = loss-l < 1e-7
				w, loss, grad, hess = next, l, g, h
				break
			}
		}
		if done {
			break
		}
	}
	var out rank.Linear
	for i, s := range f.Use {
		out[s] = w[i] / sd[i]
	}
	return out
}

func (f Fit) spread(qs []*Question) []float64 {
	n := len(f.Use)
	sum, square, count := make([]float64, n), make([]float64, n), 0.0
	for _, q := range qs {
		for i := range q.Rows {
			for j, s := range f.Use {
				x := float64(q.Rows[i][s])
				sum[j] += x
				square[j] += x * x
			}
		}
		count += float64(len(q.Rows))
	}
	for j := range sum {
		square[j] = math.Sqrt(max(0, square[j]/count-sum[j]*sum[j]/count/count)) + 1e-3
	}
	return square
}

func (f Fit) example(q *Question, sd []float64) (e example) {
	order := make([]int, len(q.Rows))
	scores := make([]float64, len(q.Rows))
	for i := range order {
		order[i], scores[i] = i, score(&q.Rows[i], &f.Prior)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if scores[a] > scores[b] {
			return -1
		}
		return 1
	})
	for _, o := range order[:min(f.Top, len(order))] {
		row := make([]float64, len(f.Use))
		for j, s := range f.Use {
			row[j] = float64(q.Rows[o][s]) / sd[j]
		}
		good := slices.Contains(q.Evidence, o)
		if good {
			e.n++
		}
		e.rows, e.good = append(e.rows, row), append(e.good, good)
	}
	return e
}

func (f Fit) loss(ex []example, w, prior []float64, total float64) (loss float64, grad []float64, hess [][]float64) {
	n := len(w)
	grad = make([]float64, n)
	hess = make([][]float64, n)
	for i := range hess {
		hess[i] = make([]float64, n)
		hess[i][i] = 2e-3 * f.Penalty
		d := w[i] - prior[i]
		loss += 1e-3 * f.Penalty * d * d
		grad[i] = 2e-3 * f.Penalty * d
	}
	for _, e := range ex {
		by := e.weight / total
		p := make([]float64, len(e.rows))
		top := math.Inf(-1)
		for i, r := range e.rows {
			for j, x := range r {
				p[i] += w[j] * x
			}
			top = max(top, p[i])
		}
		sum, mean := 0.0, 0.0
		for i := range p {
			if e.good[i] {
				mean += p[i] / e.n
			}
			p[i] = math.Exp(p[i] - top)
			sum += p[i]
		}
		hit := 1e-12
		for i := range p {
			p[i] /= sum
			if e.good[i] {
				hit += p[i]
			}
		}
		loss += by * ((1-f.Any)*(math.Log(sum)+top-mean) - f.Any*math.Log(hit))
		avg := make([]float64, n)
		for i, r := range e.rows {
			target := 0.0
			if e.good[i] {
				target = (1-f.Any)/e.n + f.Any*p[i]/hit
			}
			for j, x := range r {
				grad[j] += by * (p[i] - target) * x
				avg[j] += p[i] * x
			}
		}
		for i, r := range e.rows {
			if p[i] < 1e-5 {
				continue
			}
			for j := range r {
				dj := (r[j] - avg[j]) * p[i] * by
				for k := 0; k <= j; k++ {
					hess[j][k] += dj * (r[k] - avg[k])
				}
			}
		}
	}
	for j := range n {
		for k := j + 1; k < n; k++ {
			hess[j][k] = hess[k][j]
		}
	}
	return loss, grad, hess
}

// solve solves a x = b for a symmetric positive definite a, by Cholesky.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	l := make([][]float64, n)
	for i := range n {
		l[i] = make([]float64, n)
		for j := 0; j <= i; j++ {
			s := a[i][j]
			for k := range j {
				s -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(max(s, 1e-12))
			} else {
				l[i][j] = s / l[j][j]
			}
		}
	}
	y := make([]float64, n)
	for i := range n {
		y[i] = b[i]
		for k := range i {
			y[i] -= l[i][k] * y[k]
		}
		y[i] /= l[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			y[i] -= l[k][i] * y[k]
		}
		y[i] /= l[i][i]
	}
	return y
}
