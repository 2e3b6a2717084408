package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// matrix is a transformation: x' = a·x + c·y + e, y' = b·x + d·y + f.
type matrix [6]float64

// mul returns the transformation that does m first and then n.
func (m matrix) mul(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// state is what the operators of a content stream change.
type state struct {
	ctm    matrix
	font   *font
	size   float64
	char   float64 // character spacing
	word   float64 // word spacing
	across float64 // horizontal scaling, 1 for 100 %
	lead   float64
	rise   float64
}

// canvas runs the content of a page and collects its words.
type canvas struct {
	r         *reader
	page      *Page
	st        state
	stack     []state
	tm, tlm   matrix
	forms     []*stream // that are being run
	open      *Word
	end       float64 // where the open word's last glyph ended
	quarter   int     // its direction
	instead   []*actual
	resources dict
}

// actual is marked content that says its text itself.
type actual struct {
	text string
	said bool
}

// readPage returns the words of a page, in coordinates that count from its upper left corner as it is displayed.
func (r *reader) readPage(l leaf) *Page {
	w, h := l.box[2]-l.box[0], l.box[3]-l.box[1]
	p := &Page{Width: w, Height: h}
	m := matrix{1, 0, 0, -1, -l.box[0], l.box[3]}
	switch l.rotate {
	case 90:
		p.Width, p.Height = h, w
		m = matrix{0, 1, 1, 0, -l.box[1], -l.box[0]}
	case 180:
		m = matrix{-1, 0, 0, 1, l.box[2], -l.box[1]}
	case 270:
		p.Width, p.Height = h, w
		m = matrix{0, -1, -1, 0, l.box[3], l.box[2]}
	}
	c := &canvas{r: r, page: p, st: state{ctm: m, across: 1}, resources: l.resources}
	var content []byte
	for _, v := range r.list(l.page["Contents"]) {
		if s, ok := r.resolve(v).(*stream); ok {
			b, rest := r.decode(s)
			if rest == "" {
				if content = append(append(content, b...), '\n'); len(content) > maxStream {
					panic(stop{ErrBudget})
				}
			}
		}
	}
	c.run(content)
	c.flush()
	for _, v := range r.list(l.page["Annots"]) {
		c.annotation(v, state{ctm: m, across: 1})
	}
	return p
}

// annotation paints what a form field, a note on the page or a stamp shows (12.5.5).
func (c *canvas) annotation(v any, st state) {
	d, _ := c.r.resolve(v).(dict)
	kind, _ := c.r.resolve(d["Subtype"]).(name)
	flags, _ := integer(c.r.resolve(d["F"]))
	const hidden, noView = 2, 32
	if kind != "Widget" && kind != "FreeText" && kind != "Stamp" || flags&(hidden|noView) != 0 {
		return
	}
	all, _ := c.r.resolve(d["AP"]).(dict)
	normal := c.r.resolve(all["N"])
	if states, ok := normal.(dict); ok {
		on, _ := c.r.resolve(d["AS"]).(name)
		normal = c.r.resolve(states[on])
	}
	s, ok := normal.(*stream)
	rect := c.r.numbers(d["Rect"])
	if !ok || len(rect) < 4 {
		return
	}
	box := c.r.numbers(s.dict["BBox"])
	if len(box) < 4 {
		box = []float64{0, 0, rect[2] - rect[0], rect[3] - rect[1]}
	}
	if m := c.r.numbers(s.dict["Matrix"]); len(m) == 6 && m[1] == 0 && m[2] == 0 {
		box = []float64{box[0]*m[0] + m[4], box[1]*m[3] + m[5], box[2]*m[0] + m[4], box[3]*m[3] + m[5]}
	}
	c.st, c.stack = st, nil
	c.st.ctm = matrix{1, 0, 0, 1, min(rect[0], rect[2]) - min(box[0], box[2]), min(rect[1], rect[3]) - min(box[1], box[3])}.mul(c.st.ctm)
	c.form(s)
	c.flush()
}

// run carries out the operators of a content stream.
func (c *canvas) run(content []byte) {
	l := lexer{b: content, bud: c.r.bud}
	var args []any
	for {
		v := l.object(0)
		o, ok := v.(op)
		switch {
		case !ok:
			if len(args) < 64 {
				args = append(args, v)
			}
			continue
		case o == eof:
			return
		case o == "BI":
			c.inline(&l)
		default:
			c.do(o, args)
		}
		args = args[:0]
	}
}

// inline skips a picture that stands in the content itself.
func (c *canvas) inline(l *lexer) {
	for {
		if v := l.object(0); v == op("ID") || v == eof {
			break
		}
	}
	for l.pos++; l.pos+2 < len(l.b); l.pos++ {
		if l.b[l.pos] == 'E' && l.b[l.pos+1] == 'I' && isSpace(l.b[l.pos-1]) && (l.pos+2 == len(l.b) || isSpace(l.b[l.pos+2])) {
			l.pos += 2
			return
		}
	}
	l.pos = len(l.b)
}

func num(args []any, i int) float64 {
	if i >= len(args) {
		return 0
	}
	f, _ := args[i].(float64)
	return f
}

func matrixOf(args []any) (m matrix, ok bool) {
	if len(args) < 6 {
		return m, false
	}
	for i := range m {
		m[i] = num(args, i)
	}
	return m, true
}

// do carries out one operator.
func (c *canvas) do(o op, args []any) {
	switch o {
	case "q":
		if len(c.stack) < 256 {
			c.stack = append(c.stack, c.st)
		}
	case "Q":
		if n := len(c.stack); n > 0 {
			c.st, c.stack = c.stack[n-1], c.stack[:n-1]
		}
	case "cm":
		if m, ok := matrixOf(args); ok {
			c.st.ctm = m.mul(c.st.ctm)
		}
	case "Do":
		if len(args) > 0 {
			if n, ok := args[0].(name); ok {
				c.object(n)
			}
		}
	case "BDC":
		c.begin(args)
	case "BMC":
		c.instead = append(c.instead, nil)
	case "EMC":
		if n := len(c.instead); n > 0 {
			c.instead = c.instead[:n-1]
		}
	case "gs":
		if len(args) > 0 {
			n, _ := args[0].(name)
			states, _ := c.r.resolve(c.resources["ExtGState"]).(dict)
			gs, _ := c.r.resolve(states[n]).(dict)
			if f, ok := c.r.resolve(gs["Font"]).(array); ok && len(f) == 2 {
				size, _ := c.r.resolve(f[1]).(float64)
				c.st.font, c.st.size = c.r.font(f[0]), size
			}
		}
	default:
		c.text(o, args)
	}
}

// text carries out the operators of text (9.3 and 9.4).
func (c *canvas) text(o op, args []any) {
	switch o {
	case "BT":
		c.tm, c.tlm = matrix{1, 0, 0, 1}, matrix{1, 0, 0, 1}
	case "Tc":
		c.st.char = num(args, 0)
	case "Tw":
		c.st.word = num(args, 0)
	case "Tz":
		c.st.across = num(args, 0) / 100
	case "TL":
		c.st.lead = num(args, 0)
	case "Ts":
		c.st.rise = num(args, 0)
	case "Tf":
		if len(args) == 2 {
			if n, ok := args[0].(name); ok {
				fonts, _ := c.r.resolve(c.resources["Font"]).(dict)
				c.st.font = c.r.font(fonts[n])
			}
			c.st.size = num(args, 1)
		}
	case "Tm":
		if m, ok := matrixOf(args); ok {
			c.tm, c.tlm = m, m
		}
	case "Td":
		c.move(num(args, 0), num(args, 1))
	case "TD":
		c.st.lead = -num(args, 1)
		c.move(num(args, 0), num(args, 1))
	case "T*":
		c.move(0, -c.st.lead)
	case "Tj":
		c.show(args)
	case "'":
		c.move(0, -c.st.lead)
		c.show(args)
	case "\"":
		c.st.word, c.st.char = num(args, 0), num(args, 1)
		c.move(0, -c.st.lead)
		if len(args) == 3 {
			c.show(args[2:])
		}
	case "TJ":
		if len(args) == 1 {
			a, _ := args[0].(array)
			for _, v := range a {
				switch v := v.(type) {
				case str:
					c.show([]any{v})
				case float64:
					c.tm = matrix{1, 0, 0, 1, -v / 1000 * c.st.size * c.st.across, 0}.mul(c.tm)
				}
			}
		}
	}
}

func (c *canvas) move(x, y float64) {
	c.tlm = matrix{1, 0, 0, 1, x, y}.mul(c.tlm)
	c.tm = c.tlm
}

// begin opens marked content. What it says in ActualText replaces what its glyphs would.
func (c *canvas) begin(args []any) {
	var a *actual
	if len(args) == 2 {
		d, ok := args[1].(dict)
		if n, isName := args[1].(name); isName {
			props, _ := c.r.resolve(c.resources["Properties"]).(dict)
			d, ok = c.r.resolve(props[n]).(dict)
		}
		if s, has := c.r.resolve(d["ActualText"]).(str); ok && has {
			a = &actual{text: textString(s)}
		}
	}
	if len(c.instead) < 64 {
		c.instead = append(c.instead, a)
	}
}

// replacing returns the outermost marked content that says its text.
func (c *canvas) replacing() *actual {
	for _, a := range c.instead {
		if a != nil {
			return a
		}
	}
	return nil
}

// object paints a form, or takes note of a picture.
func (c *canvas) object(n name) {
	all, _ := c.r.resolve(c.resources["XObject"]).(dict)
	s, ok := c.r.resolve(all[n]).(*stream)
	if !ok {
		return
	}
	switch kind, _ := c.r.resolve(s.dict["Subtype"]).(name); kind {
	case "Image":
		area := math.Abs(c.st.ctm[0]*c.st.ctm[3] - c.st.ctm[1]*c.st.ctm[2])
		if c.page.Pictures += area; area > c.page.largest {
			c.page.largest, c.page.picture = area, s
		}
	case "Form":
		c.form(s)
	}
}

// form runs the content of a form.
func (c *canvas) form(s *stream) {
	if len(c.forms) >= 12 || slices.Contains(c.forms, s) {
		return
	}
	outer, resources, tm, tlm, stack := c.st, c.resources, c.tm, c.tlm, c.stack
	c.stack = nil
	if m := c.r.numbers(s.dict["Matrix"]); len(m) == 6 {
		c.st.ctm = matrix(m).mul(c.st.ctm)
	}
	if res, ok := c.r.resolve(s.dict["Resources"]).(dict); ok {
		c.resources = res
	}
	c.forms = append(c.forms, s)
	if b, rest := c.r.decode(s); rest == "" {
		c.run(b)
	}
	c.forms = c.forms[:len(c.forms)-1]
	c.st, c.resources, c.tm, c.tlm, c.stack = outer, resources, tm, tlm, stack
}

// show adds the glyphs of a string to the page.
func (c *canvas) show(args []any) {
	if len(args) == 0 || c.st.font == nil {
		return
	}
	s, ok := args[0].(str)
	if !ok {
		return
	}
	st := &c.st
	st.font.each(s, func(g shown) {
		c.r.bud.step()
		advance := (g.width*st.size + st.char) * st.across
		if g.space {
			advance += st.word * st.across
		}
		m := matrix{st.size * st.across, 0, 0, st.size, 0, st.rise}.mul(c.tm).mul(st.ctm)
		c.glyph(g, m)
		c.tm = matrix{1, 0, 0, 1, advance, 0}.mul(c.tm)
	})
}

// glyph adds one glyph, whose em square m puts on the page, to the open word or to a new one.
func (c *canvas) glyph(g shown, m matrix) {
	size := math.Hypot(m[2], m[3])
	along := math.Hypot(m[0], m[1])
	if !(size > 0.1) || !(size < 5000) || !(along > 0.01) || !(math.Abs(m[4]) < 1e5) || !(math.Abs(m[5]) < 1e5) {
		return
	}
	text := g.text
	if a := c.replacing(); a != nil {
		if text = ""; !a.said {
			text, a.said = a.text, true
		}
	}
	quarter := 0
	switch ux, uy := m[0]/along, m[1]/along; {
	case ux < -0.7:
		quarter = 2
	case uy > 0.7:
		quarter = 1
	case uy < -0.7:
		quarter = 3
	}
	// Turn the page so that the text runs to the right; the layout does each direction by itself.
	x, y := turn(m[4], m[5], quarter)
	width := g.width * along
	if strings.TrimSpace(text) == "" && text != "" || g.text == "" && c.replacing() == nil {
		c.flush()
		return
	}
	w := c.open
	f := c.st.font
	top, bottom := y-f.ascent*size, y-f.descent*size
	switch gap := x - c.end; {
	case w == nil || c.quarter != quarter || math.Abs(w.Y0-top) > 0.35*size || w.Size > 1.6*size || size > 1.6*w.Size:
		w = nil
	case gap > -0.4*size && gap < 0.14*size:
		w.Text += text
		w.X1 = max(w.X1, x+width)
		c.end = x + width
	case math.Abs(x+width-w.X0) < 0.14*size && w.X1-w.X0 < 60*size: // painted from right to left
		w.Text = text + w.Text
		w.X0 = x
	default:
		w = nil
	}
	if w != nil && len(w.Text) < maxWord {
		return
	}
	c.flush()
	if c.r.bud.words--; c.r.bud.words < 0 {
		panic(stop{ErrBudget})
	}
	c.open = &Word{X0: x, X1: x + width, Y0: top, Y1: bottom, Size: size, Text: text}
	c.end, c.quarter = x+width, quarter
}

// turn rotates a point by quarters against the clock.
func turn(x, y float64, quarter int) (float64, float64) {
	switch quarter {
	case 1:
		return y, -x
	case 2:
		return -x, -y
	case 3:
		return -y, x
	}
	return x, y
}

// flush ends the open word.
func (c *canvas) flush() {
	w := c.open
	c.open = nil
	if w == nil || strings.TrimSpace(w.Text) == "" {
		return
	}
	if !utf8.ValidString(w.Text) {
		w.Text = strings.ToValidUTF8(w.Text, unknown)
	}
	c.page.Words[c.quarter] = append(c.page.Words[c.quarter], *w)
}
