package lukasa_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// sources are the Go files of a tree, tests and all build tags included, by directory.
type sources struct {
	set      *token.FileSet
	packages []*pkg          // by directory
	modules  []string        // what go.mod requires, longest path first
	direct   map[string]bool // those not marked as indirect
}

// pkg is what one directory holds. Its name is that of the files that are not tests, "" without any.
type pkg struct {
	dir      string
	name     string
	files    []*file
	comments []string
}

type file struct {
	name      string
	lines     int
	test      bool
	generated bool
	ast       *ast.File
	set       *token.FileSet
	imports   []importLine
}

type importLine struct {
	path string
	line int
}

// readSources parses every Go file of the module. Other modules, testdata and hidden folders are not part of it.
func readSources(tree fs.FS) (*sources, error) {
	s := &sources{set: token.NewFileSet(), direct: map[string]bool{}}
	mod, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		return nil, err
	}
	for _, m := range requireLine.FindAllStringSubmatch(string(mod), -1) {
		s.modules = append(s.modules, m[1])
		if m[3] == "" {
			s.direct[m[1]] = true
		}
	}
	slices.SortFunc(s.modules, func(a, b string) int { return len(b) - len(a) })
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return s.enter(tree, name)
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		return s.add(tree, name)
	})
	return s, err
}

// enter says whether a directory belongs to the module's sources.
func (s *sources) enter(tree fs.FS, dir string) error {
	if dir == "." {
		return nil
	}
	switch base := path.Base(dir); {
	case base[0] == '.' || base[0] == '_', base == "testdata", base == "vendor", base == "node_modules", dir == "bin", dir == "data":
		return fs.SkipDir
	}
	if _, err := fs.Stat(tree, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func (s *sources) add(tree fs.FS, name string) error {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return err
	}
	parsed, err := parser.ParseFile(s.set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", name, err)
	}
	f := &file{
		name: name, test: strings.HasSuffix(name, "_test.go"), generated: ast.IsGenerated(parsed),
		lines: strings.Count(string(text), "\n"), ast: parsed, set: s.set,
	}
	for _, im := range parsed.Imports {
		p, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			return fmt.Errorf("parse %s: %w", name, err)
		}
		f.imports = append(f.imports, importLine{path: p, line: s.set.Position(im.Pos()).Line})
	}
	p := s.directory(path.Dir(name))
	p.files = append(p.files, f)
	if !f.test {
		p.name = parsed.Name.Name
		if parsed.Doc != nil {
			p.comments = append(p.comments, parsed.Doc.Text())
		}
	}
	return nil
}

func (s *sources) directory(dir string) *pkg {
	for _, p := range s.packages {
		if p.dir == dir {
			return p
		}
	}
	p := &pkg{dir: dir}
	s.packages = append(s.packages, p)
	return p
}

// declares reports whether a test file declares a function of this name.
func (s *sources) declares(name string) bool {
	for _, p := range s.packages {
		for _, f := range p.files {
			if f.test && slices.ContainsFunc(f.ast.Decls, func(d ast.Decl) bool {
				fn, ok := d.(*ast.FuncDecl)
				return ok && fn.Recv == nil && fn.Name.Name == name
			}) {
				return true
			}
		}
	}
	return false
}

// library returns the module that an import comes from, "" for the standard library and for this module. A path of no
// known module stands for itself.
func (s *sources) library(importPath string) string {
	if !strings.Contains(strings.Split(importPath, "/")[0], ".") {
		return ""
	}
	if _, ok := internalDir(importPath); ok {
		return ""
	}
	for _, m := range s.modules {
		if importPath == m || strings.HasPrefix(importPath, m+"/") {
			return m
		}
	}
	return importPath
}

// checkFile checks the lengths of a file and of its functions, and that there is no init function.
func (c *checker) checkFile(f *file) {
	if !f.generated && f.lines > maxFile {
		c.report(f.name, "has %d lines, a file has at most %d", f.lines, maxFile)
	}
	for _, d := range f.ast.Decls {
		n, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n.Recv == nil && n.Name.Name == "init" {
			c.report(f.at(n), "has an init function")
		}
		if lines := f.line(n.End()) - f.line(n.Pos()) + 1; !f.generated && lines > maxFunction {
			c.report(f.at(n), "%s has %d lines, a function has at most %d", n.Name.Name, lines, maxFunction)
		}
	}
}

// checkInterfaces checks the number of methods of each interface. Methods of embedded interfaces of the same package count, unless
// there are three or more of them: such an interface combines roles, and only its own methods count.
func (c *checker) checkInterfaces(p *pkg) {
	declared := map[string]*ast.InterfaceType{}
	type found struct {
		spec *ast.TypeSpec
		file *file
	}
	var all []found
	for _, f := range p.files {
		if f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if i, ok := spec.Type.(*ast.InterfaceType); ok {
					declared[spec.Name.Name] = i
					all = append(all, found{spec, f})
				}
			}
			return true
		})
	}
	for _, x := range all {
		i := declared[x.spec.Name.Name]
		n := ownMethods(i)
		if len(i.Methods.List)-n < composition {
			n = allMethods(i, declared)
		}
		if n > maxMethods {
			c.report(x.file.at(x.spec), "interface %s has %d methods, at most %d are allowed: combine smaller interfaces", x.spec.Name.Name, n, maxMethods)
		}
	}
}

// ownMethods counts the methods that an interface declares itself.
func ownMethods(i *ast.InterfaceType) int {
	n := 0
	for _, m := range i.Methods.List {
		n += len(m.Names)
	}
	return n
}

// allMethods counts the methods of an interface and of the interfaces of the same package that it embeds.
func allMethods(i *ast.InterfaceType, declared map[string]*ast.InterfaceType) int {
	n := ownMethods(i)
	for _, m := range i.Methods.List {
		if id, ok := m.Type.(*ast.Ident); ok && len(m.Names) == 0 && declared[id.Name] != nil {
			n += allMethods(declared[id.Name], declared)
		}
	}
	return n
}

func (f *file) line(pos token.Pos) int { return f.set.Position(pos).Line }
func (f *file) at(n ast.Node) string   { return f.name + ":" + strconv.Itoa(f.line(n.Pos())) }
func (f *file) imported(p string) bool {
	return slices.ContainsFunc(f.imports, func(i importLine) bool { return i.path == p })
}

// selectsIn returns the two names of a qualified identifier, "" for anything else.
func selectsIn(e ast.Expr) (x, y string) {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			return id.Name, sel.Sel.Name
		}
	}
	return "", ""
}

// clockCalls read the clock or wait for it.
var clockCalls = map[string]bool{
	"Now": true, "Since": true, "Until": true, "After": true, "AfterFunc": true, "Sleep": true, "Tick": true, "NewTimer": true, "NewTicker": true,
}

// checkPure finds clocks, goroutines and channels in a file of the root package.
func (c *checker) checkPure(f *file) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			c.report(f.at(n), "the root package starts a goroutine")
		case *ast.ChanType:
			c.report(f.at(n), "the root package holds a channel")
		case *ast.SelectorExpr:
			if x, y := selectsIn(n); x == "time" && clockCalls[y] && f.imported("time") {
				c.report(f.at(n), "the root package reads the clock: take now as a parameter")
			}
		}
		return true
	})
}

// checkState finds package variables that are written after their declaration, or whose type is there to be changed. It knows the
// types of this package only, so nothing has to be built.
func (c *checker) checkState(p *pkg) {
	files := make([]*ast.File, 0, len(p.files))
	for _, f := range p.files {
		if !f.test {
			files = append(files, f.ast)
		}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: unknown{}, Error: func(error) {}}
	tp, _ := conf.Check(p.dir, c.src.set, files, info)
	global := func(e ast.Expr) (string, bool) {
		id := rootOf(e)
		if id == nil {
			return "", false
		}
		switch o := info.Uses[id].(type) {
		case *types.Var:
			return id.Name, tp != nil && o.Parent() == tp.Scope()
		case *types.PkgName: // another package's variable
			return types.ExprString(e), true
		}
		return "", false
	}
	for _, f := range p.files {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				c.checkVars(f, d)
			case *ast.FuncDecl:
				c.checkWrites(f, d, global)
			}
		}
	}
}

// checkVars finds package variables whose type says that they will change.
func (c *checker) checkVars(f *file, d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		mutable := isStateType(v.Type)
		for _, value := range v.Values {
			mutable = mutable || isStateValue(value)
		}
		if mutable {
			c.report(f.at(v), "package variable %s is state that outlives a call: put it into a struct", v.Names[0].Name)
		}
	}
}

// isStateType knows the types of which a value is there to be changed: channels, locks, pools, atomics, buffers.
func isStateType(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.ChanType:
		return true
	case *ast.StarExpr:
		return isStateType(t.X)
	case *ast.IndexExpr:
		return isStateType(t.X)
	case *ast.SelectorExpr:
		switch x, y := selectsIn(t); x {
		case "sync", "atomic":
			return true
		case "bytes", "strings":
			return y == "Buffer" || y == "Builder"
		}
	}
	return false
}

func isStateValue(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return isStateType(e.Type)
	case *ast.UnaryExpr:
		return e.Op == token.AND && isStateValue(e.X)
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && (id.Name == "make" || id.Name == "new") && len(e.Args) > 0 {
			return isStateType(e.Args[0])
		}
	}
	return false
}

// checkWrites finds statements of one function that change a package variable.
func (c *checker) checkWrites(f *file, d *ast.FuncDecl, global func(ast.Expr) (string, bool)) {
	flag := func(e ast.Expr) {
		if name, ok := global(e); ok {
			c.report(f.at(e), "changes the package variable %s", name)
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				flag(l)
			}
		case *ast.IncDecStmt:
			flag(n.X)
		case *ast.SendStmt:
			flag(n.Chan)
		case *ast.RangeStmt:
			if n.Key != nil {
				flag(n.Key)
			}
			if n.Value != nil {
				flag(n.Value)
			}
		case *ast.UnaryExpr:
			if id, ok := n.X.(*ast.Ident); ok && n.Op == token.AND {
				flag(id)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && slices.Contains([]string{"delete", "clear", "copy"}, id.Name) {
				flag(n.Args[0])
			}
		}
		return true
	})
}

// rootOf returns the variable that an expression reaches into: v for v, v.f, v[i], *v and (v).
func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// unknown is an importer that knows nothing: every package is empty.
type unknown struct{}

func (unknown) Import(p string) (*types.Package, error) {
	if p == "unsafe" {
		return types.Unsafe, nil
	}
	e := types.NewPackage(p, path.Base(p))
	e.MarkComplete()
	return e, nil
}
