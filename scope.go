package lukasa

import "strings"

// Role says what a credential may do beyond its own records.
type Role string

// The roles.
const (
	RoleAdmin Role = "admin" // may manage users, keys and the server
	RoleUser  Role = "user"  // may use its own records
)

// Scope says who is asking and what that one may see. It is made from a credential by the auth room and handed down
// through every call; a request can only narrow it. The zero Scope sees nothing.
type Scope struct {
	Owner     ID     // whose rows
	Principal ID     // the user who asks
	Key       ID     // the credential used, "" for the local process
	Role      Role   //
	Root      Path   // the subtree the credential is bound to; "" is the whole tree, "!" is nothing of it
	Grantee   ID     // who grants are made out to: a persona's node or a third party's key, "" for none
	Granted   string // the nodes outside of Root that it was granted, as " work.acme=read home=read_write "
	ReadOnly  bool
	Unlimited bool // no rate limit: the local admin key, stdio, the local process
}

// CanWrite returns an error unless the scope may change records.
func (s Scope) CanWrite() error {
	if s.Owner == "" {
		return Errorf(CodeUnauthenticated, "no credential")
	}
	if s.ReadOnly {
		return &Error{Code: CodeForbidden, Msg: "this key is read-only", Hint: "use a key that may write, or make one with `lukasa key create`"}
	}
	return nil
}

// CanAdmin returns an error unless the scope may manage users, keys and the server.
func (s Scope) CanAdmin() error {
	if s.Owner == "" {
		return Errorf(CodeUnauthenticated, "no credential")
	}
	if s.Role != RoleAdmin || s.Root != "" {
		return Errorf(CodeForbidden, "this needs an admin key")
	}
	return nil
}

// Holds reports whether the path stands in the scope's own subtree: there it may make and move nodes.
func (s Scope) Holds(p Path) bool { return s.Owner != "" && s.Root.Covers(p) }

// Sees reports whether the scope may read what stands at the path.
func (s Scope) Sees(p Path) bool { return s.Holds(p) || strings.Contains(s.Granted, " "+string(p)+"=") }

// Writes reports whether the scope, unless it is read-only, may write to what stands at the path.
func (s Scope) Writes(p Path) bool {
	return s.Holds(p) || strings.Contains(s.Granted, " "+string(p)+"=read_write ")
}
