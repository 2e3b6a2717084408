package exports

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"time"
)

// Limits bound what an export may cost. Zero fields mean the default.
type Limits struct {
	Files  int   // entries of an archive or folder; default 200,000
	Index  int64 // bytes of an archive's list of entries; default 32 MiB
	Total  int64 // bytes read out of an archive, all entries together; default 64 GiB
	File   int64 // bytes of a file that has to be held at once: a note, a day of a channel; default 32 MiB
	Item   int64 // bytes of one element of a streamed file: a conversation; default 64 MiB
	Nested int64 // bytes of a compressed archive inside an archive; one that is stored costs nothing; default 256 MiB
	Ratio  int64 // bytes out for a byte in, once an entry has given 16 MiB; default 200
}

func (l *Limits) fill() {
	set := func(v *int64, otherwise int64) {
		if *v <= 0 {
			*v = otherwise
		}
	}
	if l.Files <= 0 {
		l.Files = 200_000
	}
	set(&l.Index, 32<<20)
	set(&l.Total, 64<<30)
	set(&l.File, 32<<20)
	set(&l.Item, 64<<20)
	set(&l.Nested, 256<<20)
	set(&l.Ratio, 200)
}

// Source is an export: a file, an archive or a folder, as a list of files. It is for one goroutine at a time.
type Source struct {
	Top     string // the folder that held everything in an archive, "" without one
	Name    string // of the file or folder, without those above it
	Single  bool   // one file that is no archive
	Files   []File // by name
	Hidden  []string
	refused []*PlaceError
	Limits  Limits
	spent   *int64 // bytes read out of archives
	closers []io.Closer
}

// File is one file of an export.
type File struct {
	Name string // slash-separated, relative to the export's root
	Size int64  // as declared
	Mod  time.Time
	Open func() (io.ReadCloser, error)
}

// Stem is the name without folders and without its extension.
func (f File) Stem() string { return strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name)) }

// Ext is the extension in lower case, with its dot.
func (f File) Ext() string { return strings.ToLower(path.Ext(f.Name)) }

// Refused returns why the first of what was refused was, nil if nothing was.
func (s *Source) Refused() error {
	if len(s.refused) == 0 {
		return nil
	}
	return s.refused[0]
}

// Len returns how many files the export has.
func (s *Source) Len() int { return len(s.Files) }

// Close closes what reading the export has opened.
func (s *Source) Close() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c.Close())
	}
	s.closers = nil
	return errors.Join(errs...)
}

// FromFile wraps one file: an archive if it begins like one. The name is the file's own, without folders. ra must stay open
// while the export is read.
func FromFile(name string, ra io.ReaderAt, size int64, lim Limits) (*Source, error) {
	lim.fill()
	s := &Source{Name: path.Base(strings.ReplaceAll(name, `\`, "/")), Limits: lim, spent: new(int64)}
	if isZip(ra) {
		if err := s.addZip("", ra, size, 0); err != nil {
			return nil, fmt.Errorf("open archive %s: %w", s.Name, err)
		}
		s.strip()
		s.settle()
		return s, nil
	}
	s.Single = true
	s.Files = []File{{Name: s.Name, Size: size, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(ra, 0, size)), nil
	}}}
	return s, nil
}

// FromFolder wraps a folder. Only plain files are taken: links are refused, as they may lead out of the folder.
func FromFolder(name string, dir fs.FS, lim Limits) (*Source, error) {
	lim.fill()
	s := &Source{Name: path.Base(strings.ReplaceAll(name, `\`, "/")), Limits: lim, spent: new(int64)}
	err := fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			s.refuse(p, err)
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case p == ".":
			return nil
		case isHidden(p):
			s.Hidden = append(s.Hidden, p)
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			s.refuse(p, errors.New("is a link or a device, not a plain file"))
			return nil
		case len(s.Files) >= s.Limits.Files:
			return fmt.Errorf("holds more than %d files", s.Limits.Files)
		}
		f := File{Name: p, Open: func() (io.ReadCloser, error) { return dir.Open(p) }}
		if info, err := d.Info(); err == nil {
			f.Size, f.Mod = info.Size(), info.ModTime().UTC()
		}
		s.Files = append(s.Files, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read folder %s: %w", s.Name, err)
	}
	s.settle()
	return s, nil
}

// settle sorts the files and, where the export is nothing but archives (the parts of one), opens these.
func (s *Source) settle() {
	sortFiles := func() { slices.SortFunc(s.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) }) }
	sortFiles()
	if len(s.Files) == 0 || slices.ContainsFunc(s.Files, func(f File) bool { return f.Ext() != ".zip" || strings.Contains(f.Name, "/") }) {
		return
	}
	parts := s.Files
	s.Files = nil
	for _, f := range parts {
		prefix := f.Stem() + "/"
		if len(parts) == 1 {
			prefix = ""
		}
		if err := s.addPart(prefix, f); err != nil {
			s.refuse(f.Name, fmt.Errorf("open the archive inside: %w", err))
		}
	}
	if len(parts) == 1 {
		s.strip()
	}
	sortFiles()
}

// addPart adds the files of an archive inside the export, under its own name where it is one of several.
func (s *Source) addPart(prefix string, f File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	if ra, ok := r.(io.ReaderAt); ok && f.Size > 0 {
		s.closers = append(s.closers, r)
		return s.addZip(prefix, ra, f.Size, 1)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, s.Limits.Nested+1))
	if err != nil {
		return err
	}
	if int64(len(data)) > s.Limits.Nested {
		return fmt.Errorf("is over %d MiB: unpack it, and import the folder", s.Limits.Nested>>20)
	}
	return s.addZip(prefix, bytes.NewReader(data), int64(len(data)), 1)
}

func (s *Source) refuse(where string, err error) {
	const most = 1000
	if len(s.refused) < most {
		s.refused = append(s.refused, &PlaceError{Where: s.Name + "/" + Clip(where, 200), Err: err})
	}
}

// strip takes away the one folder that holds everything, so that an archive of a folder reads like the folder.
func (s *Source) strip() {
	if len(s.Files) == 0 {
		return
	}
	top, _, ok := strings.Cut(s.Files[0].Name, "/")
	if !ok {
		return
	}
	for _, f := range s.Files {
		if !strings.HasPrefix(f.Name, top+"/") {
			return
		}
	}
	s.Top = top
	for i := range s.Files {
		s.Files[i].Name = s.Files[i].Name[len(top)+1:]
	}
	for i := range s.Hidden {
		s.Hidden[i] = strings.TrimPrefix(s.Hidden[i], top+"/")
	}
}

// isHidden reports whether some part of the name begins with a dot, or the file belongs to an operating system.
func isHidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || part == "__MACOSX" || part == "Thumbs.db" || part == "desktop.ini" {
			return true
		}
	}
	return false
}

func isZip(ra io.ReaderAt) bool {
	var head [4]byte
	_, err := ra.ReadAt(head[:], 0)
	return err == nil && (string(head[:]) == "PK\x03\x04" || string(head[:]) == "PK\x05\x06")
}

// addZip lists the entries of an archive. Names that lead out of it, links, encrypted entries and names that come twice are
// refused one by one; a list of entries over the limits refuses the archive before it is read.
func (s *Source) addZip(prefix string, ra io.ReaderAt, size int64, depth int) error {
	if err := checkIndex(ra, size, s.Limits); err != nil {
		return err
	}
	z, err := zip.NewReader(ra, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	if len(z.File)+len(s.Files) > s.Limits.Files {
		return fmt.Errorf("holds more than %d files", s.Limits.Files)
	}
	seen := make(map[string]bool, len(z.File))
	for _, e := range z.File {
		name := e.Name
		if e.NonUTF8 {
			name = decodeName(name)
		}
		name = strings.ReplaceAll(name, `\`, "/")
		if strings.HasSuffix(name, "/") {
			continue
		}
		name = strings.TrimPrefix(name, "./")
		switch {
		case !fs.ValidPath(name) || strings.ContainsRune(name, ':') && strings.Index(name, ":") == 1:
			s.refuse(name, errors.New("its name leads out of the archive"))
			continue
		case isHidden(name):
			s.Hidden = append(s.Hidden, prefix+name)
			continue
		case !e.Mode().IsRegular():
			s.refuse(name, errors.New("is a link or a device, not a plain file"))
			continue
		case e.Flags&1 != 0:
			s.refuse(name, errors.New("is encrypted: unpack the archive with its password, and import the folder"))
			continue
		case seen[name]:
			s.refuse(name, errors.New("comes twice in the archive"))
			continue
		}
		seen[name] = true
		s.Files = append(s.Files, File{
			Name: prefix + name, Size: int64(min(e.UncompressedSize64, math.MaxInt64)), Mod: e.Modified.UTC(),
			Open: func() (io.ReadCloser, error) { return s.openEntry(e, ra, depth) },
		})
	}
	return nil
}

// openEntry opens an entry of an archive. What is stored as it is can be read at any place, which archives inside need.
func (s *Source) openEntry(e *zip.File, ra io.ReaderAt, depth int) (io.ReadCloser, error) {
	if e.Method == zip.Store && depth == 0 && strings.EqualFold(path.Ext(e.Name), ".zip") {
		if at, err := e.DataOffset(); err == nil {
			return storedEntry{io.NewSectionReader(ra, at, int64(e.CompressedSize64))}, nil
		}
	}
	r, err := e.Open()
	if err != nil {
		return nil, err
	}
	return &meteredEntry{ReadCloser: r, s: s, packed: int64(max(1, e.CompressedSize64))}, nil
}

type storedEntry struct{ *io.SectionReader }

func (storedEntry) Close() error { return nil }

// meteredEntry counts what comes out of an archive and stops what grows too much.
type meteredEntry struct {
	io.ReadCloser
	s      *Source
	packed int64
	out    int64
}

func (m *meteredEntry) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.out += int64(n)
	*m.s.spent += int64(n)
	switch {
	case *m.s.spent > m.s.Limits.Total:
		return 0, fmt.Errorf("the archive unpacks to more than %d MiB", m.s.Limits.Total>>20)
	case m.out > 16<<20 && m.out/m.packed > m.s.Limits.Ratio:
		return 0, fmt.Errorf("it unpacks to more than %d times its size: this is a bomb, not an export", m.s.Limits.Ratio)
	}
	return n, err
}

// Where returns the files that match.
func (s *Source) Where(match func(File) bool) []File {
	var out []File
	for _, f := range s.Files {
		if match(f) {
			out = append(out, f)
		}
	}
	return out
}

// Has returns the files of an extension.
func (s *Source) Has(ext ...string) []File {
	return s.Where(func(f File) bool { return slices.Contains(ext, f.Ext()) })
}
