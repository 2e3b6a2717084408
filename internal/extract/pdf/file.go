package pdf

import (
	"bytes"
	"maps"
	"slices"
)

// reader finds the objects of one file. It reads from bytes and keeps what it has read, within its budget.
type reader struct {
	data    []byte // from the header on
	bud     *budget
	xref    map[int]place
	trailer dict
	cipher  *cipher
	repair  bool // the table of objects was lost and made anew
	objects map[int]any
	packs   map[int]*pack
	packed  int // bytes of these
	fonts   map[any]*font
	busy    map[int]bool // objects being read: a reference to one of these is a loop
}

// place says where an object lies: at a position of the file, or as the nth of an object stream.
type place struct {
	pos  int
	pack int // number of the object stream; 0: none
	nth  int
	gen  int
}

// pack is an object stream, opened.
type pack struct {
	data []byte
	pos  []int
	num  []int
}

// openFile reads the table of objects and the cipher. A file without a usable table is searched for objects.
func openFile(data []byte, b *budget) (*reader, error) {
	head := bytes.Index(data[:min(len(data), 4096)], []byte("%PDF-"))
	if head < 0 {
		return nil, ErrNotPDF
	}
	r := &reader{data: data[head:], bud: b}
	r.reset()
	if r.readTables() {
		if err := r.unlock(); err != nil {
			return nil, err
		}
		if r.hasPages() {
			return r, nil
		}
	}
	if err := r.rebuild(); err != nil {
		return nil, err
	}
	return r, r.unlock()
}

func (r *reader) reset() {
	r.xref, r.trailer, r.cipher = map[int]place{}, dict{}, nil
	r.objects, r.packs, r.busy, r.fonts = map[int]any{}, map[int]*pack{}, map[int]bool{}, map[any]*font{}
}

func (r *reader) hasPages() bool {
	root, _ := r.resolve(r.trailer["Root"]).(dict)
	_, ok := r.resolve(root["Pages"]).(dict)
	return ok
}

// readTables follows the chain of cross-reference tables and streams from the end of the file (7.5.4, 7.5.8).
func (r *reader) readTables() bool {
	tail := r.data[max(0, len(r.data)-2048):]
	i := bytes.LastIndex(tail, []byte("startxref"))
	if i < 0 {
		return false
	}
	l := lexer{b: tail, pos: i + len("startxref"), bud: r.bud}
	at, ok := integer(l.object(0))
	if !ok {
		return false
	}
	seen := map[int]bool{}
	for next := []int{at}; len(next) > 0; {
		at, next = next[0], next[1:]
		if at < 0 || at >= len(r.data) || seen[at] {
			continue
		}
		seen[at] = true
		t, ok := r.readTable(at)
		if !ok {
			return false
		}
		for k, v := range t {
			if _, has := r.trailer[k]; !has {
				r.trailer[k] = v
			}
		}
		if n, ok := integer(t["XRefStm"]); ok {
			next = append(next, n)
		}
		if n, ok := integer(t["Prev"]); ok {
			next = append(next, n)
		}
	}
	return len(r.xref) > 0
}

// readTable reads one table or stream of cross references and returns its trailer. Newer entries were read before.
func (r *reader) readTable(at int) (dict, bool) {
	l := lexer{b: r.data, pos: at, bud: r.bud}
	switch v := l.object(0).(type) {
	case op:
		if v != "xref" {
			return nil, false
		}
		return r.readClassic(&l)
	case float64:
		l.pos = at
		s, ok := r.indirect(&l, nil).(*stream)
		if !ok {
			return nil, false
		}
		return s.dict, r.readXRefStream(s)
	}
	return nil, false
}

func (r *reader) readClassic(l *lexer) (dict, bool) {
	for {
		v := l.object(0)
		if v == op("trailer") {
			t, ok := l.object(0).(dict)
			return t, ok
		}
		start, ok1 := integer(v)
		count, ok2 := integer(l.object(0))
		if !ok1 || !ok2 || start < 0 || count < 0 {
			return nil, false
		}
		for i := range count {
			pos, ok1 := integer(l.object(0))
			gen, ok2 := integer(l.object(0))
			kind, ok3 := l.object(0).(op)
			if !ok1 || !ok2 || !ok3 {
				return nil, false
			}
			if kind == "n" && pos > 0 {
				r.note(start+i, place{pos: pos, gen: gen})
			}
		}
	}
}

// note keeps where an object lies, unless a newer table said so before.
func (r *reader) note(num int, p place) {
	if _, has := r.xref[num]; !has && num >= 0 && num < maxObjects {
		r.xref[num] = p
	}
}

func (r *reader) readXRefStream(s *stream) bool {
	w := r.numbers(s.dict["W"])
	if len(w) < 3 {
		return false
	}
	var width [3]int
	for i := range width {
		if width[i] = int(w[i]); w[i] < 0 || w[i] > 8 {
			return false
		}
	}
	total := width[0] + width[1] + width[2]
	if total == 0 {
		return false
	}
	s.open = true // never encrypted
	data, _ := r.decode(s)
	size, _ := integer(s.dict["Size"])
	index := r.numbers(s.dict["Index"])
	if len(index) < 2 {
		index = []float64{0, float64(size)}
	}
	for i := 0; i+1 < len(index); i += 2 {
		for n := int(index[i]); n < int(index[i]+index[i+1]) && len(data) >= total; n++ {
			r.bud.step()
			f := [3]int{0: 1}
			at := 0
			for k, wk := range width {
				if wk > 0 {
					f[k] = 0
				}
				for range wk {
					f[k] = f[k]<<8 | int(data[at])
					at++
				}
			}
			data = data[total:]
			switch f[0] {
			case 1:
				r.note(n, place{pos: f[1], gen: f[2]})
			case 2:
				r.note(n, place{pack: f[1], nth: f[2]})
			}
		}
	}
	return true
}

// rebuild searches the file for objects and trailers, as if it had no table. A later object of a number replaces an earlier.
func (r *reader) rebuild() error {
	r.reset()
	r.repair = true
	var packs []int
	for at := 0; ; {
		i := bytes.Index(r.data[at:], []byte("obj"))
		if i < 0 {
			break
		}
		at += i
		r.bud.step()
		if num, gen, pos, ok := r.objectBefore(at); ok && num < maxObjects {
			r.xref[num] = place{pos: pos, gen: gen}
			head := r.data[at:min(len(r.data), at+512)]
			if end := bytes.Index(head, []byte("stream")); end > 0 && bytes.Contains(head[:end], []byte("/ObjStm")) {
				packs = append(packs, num)
			}
		}
		at += 3
	}
	for at := 0; ; {
		i := bytes.Index(r.data[at:], []byte("trailer"))
		if i < 0 {
			break
		}
		at += i + len("trailer")
		l := lexer{b: r.data, pos: at, bud: r.bud}
		if t, ok := l.object(0).(dict); ok {
			maps.Copy(r.trailer, t)
		}
	}
	// Without a trailer the catalogue, and in encrypted files the way in, is looked for among the objects.
	for _, num := range sortedKeys(r.xref) {
		v := r.load(num)
		d, _ := v.(dict)
		if s, ok := v.(*stream); ok {
			d = s.dict
		}
		switch d["Type"] {
		case name("Catalog"):
			if _, ok := r.trailer["Root"].(ref); !ok {
				r.trailer["Root"] = ref{num, 0}
			}
		case name("XRef"):
			for _, k := range []name{"Root", "Info", "Encrypt", "ID"} {
				if r.trailer[k] == nil && d[k] != nil {
					r.trailer[k] = d[k]
				}
			}
		}
	}
	r.objects = map[int]any{}
	if len(packs) > 0 && r.trailer["Encrypt"] != nil {
		if err := r.unlock(); err != nil {
			return err
		}
	}
	for _, num := range packs {
		if p := r.openPack(num); p != nil {
			for nth, n := range p.num {
				r.note(n, place{pack: num, nth: nth})
				if d, ok := r.load(n).(dict); ok && d["Type"] == name("Catalog") && r.trailer["Root"] == nil {
					r.trailer["Root"] = ref{n, 0}
				}
			}
		}
	}
	if len(r.xref) == 0 {
		return ErrNoPages
	}
	return nil
}

func sortedKeys[V any](m map[int]V) []int {
	return slices.Sorted(maps.Keys(m))
}

// objectBefore reads "num gen " backwards from the keyword obj at a position.
func (r *reader) objectBefore(at int) (num, gen, pos int, ok bool) {
	if at > 2 && string(r.data[at-3:at]) == "end" {
		return 0, 0, 0, false
	}
	p := at
	back := func() (int, bool) {
		for p > 0 && isSpace(r.data[p-1]) {
			p--
		}
		end := p
		for p > 0 && end-p < 10 && r.data[p-1] >= '0' && r.data[p-1] <= '9' {
			p--
		}
		n := 0
		for _, c := range r.data[p:end] {
			n = n*10 + int(c-'0')
		}
		return n, p < end
	}
	if gen, ok = back(); !ok {
		return 0, 0, 0, false
	}
	num, ok = back()
	return num, gen, p, ok
}

// resolve follows references to an object.
func (r *reader) resolve(v any) any {
	for range 32 {
		at, ok := v.(ref)
		if !ok {
			return v
		}
		v = r.load(at.num)
	}
	return nil
}

// load returns the object of a number, nil when it is not there, damaged, or asks for itself.
func (r *reader) load(num int) any {
	if v, ok := r.objects[num]; ok {
		return v
	}
	p, ok := r.xref[num]
	if !ok || r.busy[num] {
		return nil
	}
	r.bud.step()
	r.busy[num] = true
	defer delete(r.busy, num)
	var v any
	if p.pack > 0 {
		v = r.unpack(num, p)
	} else if p.pos >= 0 && p.pos < len(r.data) {
		l := lexer{b: r.data, pos: p.pos, bud: r.bud}
		v = r.indirect(&l, &num)
	}
	r.objects[num] = v
	return v
}

// indirect reads "num gen obj … endobj" with the stream that may follow. want is the number that it must have.
func (r *reader) indirect(l *lexer, want *int) any {
	num, ok1 := integer(l.object(0))
	gen, ok2 := integer(l.object(0))
	if !ok1 || !ok2 || l.object(0) != op("obj") || want != nil && *want != num {
		return nil
	}
	if r.cipher != nil {
		l.dec = func(s str) str { return r.cipher.text(s, ref{num, gen}) }
	}
	v := l.object(0)
	d, ok := v.(dict)
	if !ok {
		if _, isOp := v.(op); isOp {
			return nil
		}
		return v
	}
	l.skip()
	if !bytes.HasPrefix(l.b[l.pos:], []byte("stream")) {
		return d
	}
	l.pos += len("stream")
	if l.pos < len(l.b) && l.b[l.pos] == '\r' {
		l.pos++
	}
	if l.pos < len(l.b) && l.b[l.pos] == '\n' {
		l.pos++
	}
	return &stream{dict: d, raw: r.streamBytes(l.b[l.pos:], d), key: ref{num, gen}}
}

// streamBytes cuts a stream from what follows its keyword: by its length if the end stands there, else up to its end mark.
func (r *reader) streamBytes(b []byte, d dict) []byte {
	end := []byte("endstream")
	if n, ok := integer(r.resolve(d["Length"])); ok && n >= 0 && n <= len(b) {
		after := bytes.TrimLeft(b[n:min(len(b), n+32)], "\r\n\t \x00")
		if bytes.HasPrefix(after, end) {
			return b[:n]
		}
	}
	i := bytes.Index(b, end)
	if i < 0 {
		if i = bytes.Index(b, []byte("endobj")); i < 0 {
			return b
		}
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(b[:i], []byte("\n")), []byte("\r"))
}

// unpack reads an object from its object stream (7.5.7).
func (r *reader) unpack(num int, at place) any {
	p := r.openPack(at.pack)
	if p == nil {
		return nil
	}
	nth := at.nth
	if nth < 0 || nth >= len(p.num) || p.num[nth] != num {
		if nth = slices.Index(p.num, num); nth < 0 {
			return nil
		}
	}
	l := lexer{b: p.data, pos: p.pos[nth], bud: r.bud}
	v := l.object(0)
	if _, isOp := v.(op); isOp {
		return nil
	}
	return v
}

func (r *reader) openPack(num int) *pack {
	if p, ok := r.packs[num]; ok {
		return p
	}
	r.packs[num] = nil // an object stream that lies in itself
	s, ok := r.load(num).(*stream)
	if !ok {
		return nil
	}
	first, ok1 := integer(r.resolve(s.dict["First"]))
	count, ok2 := integer(r.resolve(s.dict["N"]))
	data, _ := r.decode(s)
	if !ok1 || !ok2 || first < 0 || first > len(data) {
		return nil
	}
	if r.packed += len(data); r.packed > maxPacked { // what is asked for again is opened again
		clear(r.packs)
		r.packed = len(data)
	}
	p := &pack{data: data}
	l := lexer{b: data[:first], bud: r.bud}
	for range min(count, maxObjects) {
		n, ok1 := integer(l.object(0))
		pos, ok2 := integer(l.object(0))
		if !ok1 || !ok2 || pos < 0 || first+pos > len(data) {
			break
		}
		p.num, p.pos = append(p.num, n), append(p.pos, first+pos)
	}
	r.packs[num] = p
	return p
}
