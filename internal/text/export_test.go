package text

// EachAnew is [Analyzer.Each] with nothing remembered of any word.
func (a *Analyzer) EachAnew(s string, yield func(term []byte, pos, start, end int)) {
	a.anew = true
	defer func() { a.anew = false }()
	a.Each(s, yield)
}
