package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/crypt"
)

// Keyring gives the vault the data key of an owner.
type Keyring interface {
	// DataKey returns the owner's data key (32 bytes), which the vault does not keep
	// or change. An owner whose key was destroyed gives an error that wraps
	// [ErrKeyDestroyed].
	DataKey(ctx context.Context, owner string) ([]byte, error)
}

// Options of a vault. The zero value is useful.
type Options struct {
	// MaxSize is the largest plaintext of a file, in bytes, on writing and on
	// reading. 0 means 1 GiB.
	MaxSize int64

	// MaxInline is the same for SealBytes and OpenBytes. 0 means 1 MiB.
	MaxInline int

	// Rand is where salts and nonces come from; it must be safe for concurrent use.
	// nil means crypto/rand.Reader. Anything else is for tests.
	Rand io.Reader
}

// Vault is the file layer: it packs, seals and stores files, and seals small
// payloads that live in rows. It is safe for concurrent use.
type Vault struct {
	driver Driver
	keys   Keyring
	pack   *packer
	opt    Options
}

// Sealed describes a file that was written.
type Sealed struct {
	Size       int64             // bytes of plaintext
	SealedSize int64             // bytes given to the driver
	SHA256     [sha256.Size]byte // of the plaintext
}

// New makes a vault above a driver.
func New(driver Driver, keys Keyring, opt Options) (*Vault, error) {
	if opt.MaxSize == 0 {
		opt.MaxSize = 1 << 30
	}
	if opt.MaxInline == 0 {
		opt.MaxInline = 1 << 20
	}
	if opt.MaxSize < 0 || opt.MaxInline < 0 {
		return nil, errors.New("make vault: negative limit")
	}
	if opt.Rand == nil {
		opt.Rand = rand.Reader
	}
	pack, err := newPacker(opt.MaxInline)
	if err != nil {
		return nil, fmt.Errorf("make vault: %w", err)
	}
	return &Vault{driver: driver, keys: keys, pack: pack, opt: opt}, nil
}

// Write packs, seals and stores what r gives, up to its io.EOF, as a file of owner.
// owner is one segment of the key grammar (see [ValidateKey]), key up to seven.
// The file is durable when Write returns nil; after an error nothing is visible.
//
// A key is written once: [ErrExists] leaves the old file as it is, also when the
// content would be the same, since two seals of one content differ. Callers that
// may repeat a write name the file by its version or content hash. Other
// errors: [ErrTooLarge], [ErrFull], [ErrKey], [ErrKeyDestroyed], that of r.
func (v *Vault) Write(ctx context.Context, owner, key string, r io.Reader) (Sealed, error) {
	return v.write(ctx, owner, key, r, false)
}

// WriteDense is [Vault.Write] with the highest compression: several times slower to write and as quick to read, for what is
// kept long and read seldom.
func (v *Vault) WriteDense(ctx context.Context, owner, key string, r io.Reader) (Sealed, error) {
	return v.write(ctx, owner, key, r, true)
}

func (v *Vault) write(ctx context.Context, owner, key string, r io.Reader, dense bool) (Sealed, error) {
	place, err := place(owner, key)
	if err != nil {
		return Sealed{}, fmt.Errorf("write file: %w", err)
	}
	data, err := v.dataKey(ctx, owner)
	if err != nil {
		return Sealed{}, fmt.Errorf("write file %s: %w", place, err)
	}
	s := newSealer(v, r, data, owner, key, dense)
	err = v.driver.Put(ctx, place, s, -1)
	s.abandon()
	if err != nil {
		return Sealed{}, fmt.Errorf("write file %s: %w", place, err)
	}
	return s.sealed(), nil
}

// Read opens a file of owner. The beginning is verified before Read returns, each
// further frame before its bytes come out, and the end when io.EOF comes: bytes read
// before an error are genuine, but are all of the file only after io.EOF. The reader must
// be closed and is not safe for concurrent use.
//
// Errors, from Read itself or from the reader: [ErrNotFound], [ErrKeyDestroyed], [ErrTooLarge], and
// those of package crypt: ErrCorrupt when a bit was changed or the file belongs to
// another owner or key, ErrTruncated, ErrFormat when it is no sealed
// file or one of a newer version.
func (v *Vault) Read(ctx context.Context, owner, key string) (io.ReadCloser, error) {
	place, err := place(owner, key)
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	data, err := v.dataKey(ctx, owner)
	if err != nil {
		return nil, fmt.Errorf("read file %s: %w", place, err)
	}
	src, err := v.driver.Get(ctx, place)
	if err != nil {
		return nil, fmt.Errorf("read file %s: %w", place, err)
	}
	f, err := openFile(v, src, data, owner, key)
	if err != nil {
		_ = src.Close() // the first error tells more
		return nil, fmt.Errorf("read file %s: %w", place, err)
	}
	return f, nil
}

// Delete removes a file of owner. To delete what is not there is no error. It needs
// no data key: files of an owner whose key was destroyed can be deleted.
func (v *Vault) Delete(ctx context.Context, owner, key string) error {
	place, err := place(owner, key)
	if err != nil {
		return fmt.Errorf("delete file: %w", err)
	}
	if err := v.driver.Delete(ctx, place); err != nil {
		return fmt.Errorf("delete file %s: %w", place, err)
	}
	return nil
}

// List calls yield for each file of owner whose key starts with prefix, in no
// particular order, until yield returns false. Info.Key is without the owner,
// Info.Size is the sealed size. yield may call the vault.
func (v *Vault) List(ctx context.Context, owner, prefix string, yield func(Info) bool) error {
	if err := validateOwner(owner); err != nil {
		return fmt.Errorf("list files: %w", err)
	}
	err := v.driver.List(ctx, owner+"/"+prefix, func(i Info) bool {
		i.Key = strings.TrimPrefix(i.Key, owner+"/")
		return yield(i)
	})
	if err != nil {
		return fmt.Errorf("list files of %s: %w", owner, err)
	}
	return nil
}

// Lost reads a file of an owner, by the key that drivers know it by, to its end, and says what is wrong with it: "missing" or "damaged", or
// nothing. Where the medium can be away, it is only looked for. What an owner's key does not open for want of the key is an error.
func (v *Vault) Lost(ctx context.Context, key string) (string, error) {
	err := v.verify(ctx, key)
	switch {
	case errors.Is(err, ErrNotFound):
		return "missing", nil
	case errors.Is(err, crypt.ErrTruncated), errors.Is(err, crypt.ErrCorrupt), errors.Is(err, crypt.ErrFormat), errors.Is(err, ErrTooLarge):
		return "damaged", nil
	}
	return "", err
}

func (v *Vault) verify(ctx context.Context, key string) error {
	owner, name, _ := strings.Cut(key, "/")
	if _, far := v.driver.(Checker); far {
		_, err := v.driver.Stat(ctx, key)
		return err
	}
	f, err := v.Read(ctx, owner, name)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, f)
	return errors.Join(err, f.Close())
}

// Check says whether the files of owner could be read: an error is [crypt.ErrMasterKey] where they were sealed under another master key.
func (v *Vault) Check(ctx context.Context, owner string) error {
	_, err := v.dataKey(ctx, owner)
	return err
}

func (v *Vault) dataKey(ctx context.Context, owner string) ([]byte, error) {
	key, err := v.keys.DataKey(ctx, owner)
	if errors.Is(err, crypt.ErrMasterKey) {
		return nil, &lukasa.Error{
			Code: lukasa.CodeStorage, Msg: "what is sealed here was made with another master key", Err: err,
			Hint: "give the one that belongs to this store: as master.key in the data directory, or as LUKASA_MASTER_KEY",
		}
	}
	if err != nil {
		return nil, fmt.Errorf("get data key of %s: %w", owner, err)
	}
	if len(key) != crypt.KeySize {
		return nil, fmt.Errorf("get data key of %s: %d bytes: %w", owner, len(key), crypt.ErrKey)
	}
	return key, nil
}

func place(owner, key string) (string, error) {
	if err := validateOwner(owner); err != nil {
		return "", err
	}
	full := owner + "/" + key
	return full, ValidateKey(full)
}

func validateOwner(owner string) error {
	if strings.Contains(owner, "/") {
		return fmt.Errorf("%w: owner %q contains a slash", ErrKey, owner)
	}
	return ValidateKey(owner)
}
