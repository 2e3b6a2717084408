package text

// EachAnew is [Analyzer.Each] with nothing remembered of any word.
func (a *Analyzer) EachAnew(s string, yield func(term []byte, pos, start, end int)) {
	a.each(s, false, yield)
}
