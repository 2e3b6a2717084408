package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // GIF is decoded
	"image/jpeg"
	"image/png"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/program"
)

const (
	maxPixels = 120_000_000 // of a picture that programs are given
	maxDecode = 50_000_000  // of one that is decoded here: 4 bytes each
	maxSide   = 2400        // of what a model is shown
	maxShown  = 4 << 20     // bytes of that
)

// imageType tells a format by its first bytes; "" for what is no picture that is read here.
func imageType(b []byte) string {
	has := func(at int, mark string) bool { return len(b) >= at+len(mark) && string(b[at:at+len(mark)]) == mark }
	switch {
	case has(0, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case has(0, "\xff\xd8\xff"):
		return "image/jpeg"
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return "image/gif"
	case has(0, "RIFF") && has(8, "WEBP"):
		return "image/webp"
	case has(0, "BM") && len(b) > 26 && b[6] == 0 && b[7] == 0 && b[8] == 0 && b[9] == 0:
		return "image/bmp"
	case has(0, "II*\x00"), has(0, "MM\x00*"):
		return "image/tiff"
	case has(4, "ftypavif"), has(4, "ftypavis"):
		return "image/avif"
	case has(4, "ftyphei"), has(4, "ftyphev"), has(4, "ftypmif1"), has(4, "ftypmsf1"):
		return "image/heic"
	}
	return ""
}

// picture is a picture on its way to those who read it.
type picture struct {
	data          []byte
	media         string
	width, height int // 0 where the format is not known here
}

// extensions name files for programs that go by the name.
func extension(media string) string {
	switch media {
	case "image/jpeg":
		return ".jpg"
	case "image/tiff":
		return ".tif"
	case "":
		return ".bin"
	}
	return "." + media[len("image/"):]
}

// prepare makes a picture ready to be read: converted where its format is one that few know, upright, and not too large.
func prepare(ctx context.Context, help extract.Help, data []byte, orientation int) (*picture, error) {
	p := &picture{data: data, media: imageType(data)}
	if p.media == "image/heic" || p.media == "image/avif" {
		converted, err := convert(ctx, help, p)
		if err != nil {
			return nil, err
		}
		p, orientation = &picture{data: converted, media: "image/png"}, 1 // converters turn it
	}
	if c, _, err := image.DecodeConfig(bytes.NewReader(p.data)); err == nil {
		p.width, p.height = c.Width, c.Height
	} else if p.media == "image/png" || p.media == "image/jpeg" || p.media == "image/gif" {
		return nil, &extract.Error{Reason: "the picture is damaged", Hint: "fetch or take it again", Err: err}
	}
	if p.width*p.height > maxPixels || p.width > 1<<20 || p.height > 1<<20 {
		return nil, &extract.Error{
			Reason: fmt.Sprintf("the picture is too large: %d by %d pixels", p.width, p.height),
			Hint:   "make it smaller, or cut it into parts",
		}
	}
	if orientation > 1 && orientation <= 8 && p.media == "image/jpeg" && p.width*p.height <= maxDecode {
		if img, err := jpeg.Decode(bytes.NewReader(p.data)); err == nil {
			var b bytes.Buffer
			if err := jpeg.Encode(&b, upright(img, orientation), &jpeg.Options{Quality: 92}); err == nil {
				p.data = b.Bytes()
				if orientation > 4 {
					p.width, p.height = p.height, p.width
				}
			}
		}
	}
	return p, nil
}

// turned is a picture seen in another orientation.
type turned struct {
	image.Image
	size image.Rectangle
	at   func(x, y int) (int, int)
}

func (t turned) Bounds() image.Rectangle { return t.size }

func (t turned) At(x, y int) color.Color {
	x, y = t.at(x, y)
	return t.Image.At(x, y)
}

// upright undoes an orientation of EXIF: 1 is upright, 3 turned by 180 degrees, 6 and 8 by 90, the even ones of the others
// mirrored.
func upright(img image.Image, orientation int) image.Image {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation > 4 {
		size = image.Rect(0, 0, h, w)
	}
	return turned{Image: img, size: size, at: func(x, y int) (int, int) {
		switch orientation {
		case 2:
			x = w - 1 - x
		case 3:
			x, y = w-1-x, h-1-y
		case 4:
			y = h - 1 - y
		case 5:
			x, y = y, x
		case 6:
			x, y = y, h-1-x
		case 7:
			x, y = w-1-y, h-1-x
		case 8:
			x, y = w-1-y, x
		}
		return b.Min.X + x, b.Min.Y + y
	}}
}

// convert makes a PNG of a format that is read by few, by the first program that is there.
func convert(ctx context.Context, help extract.Help, p *picture) ([]byte, error) {
	in := "in" + extension(p.media)
	last := program.ErrMissing
	for _, c := range []program.Command{
		{Name: "heif-convert", Args: []string{in, "out.png"}},
		{Name: "magick", Args: []string{in, "-auto-orient", "out.png"}},
		{Name: "convert", Args: []string{in, "-auto-orient", "out.png"}},
		{Name: "ffmpeg", Args: []string{"-nostdin", "-v", "error", "-protocol_whitelist", "file", "-i", in, "-frames:v", "1", "out.png"}},
	} {
		if help.Run == nil {
			break
		}
		c.Files, c.Collect, c.Timeout = map[string][]byte{in: p.data}, []string{"out*.png"}, time.Minute
		res, err := help.Run(ctx, c)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, b := range res.Files {
			if imageType(b) == "image/png" {
				return b, nil
			}
		}
		if err != nil && !errors.Is(err, program.ErrMissing) {
			last = err
		}
	}
	return nil, &extract.Error{
		Reason: "nothing here can open a picture of type " + p.media,
		Hint:   "install heif-convert (libheif-examples) or ImageMagick, or save the picture as JPEG; then retry", Err: last,
	}
}

// shown makes of a picture what models take: PNG, JPEG, GIF or WebP, not larger than they look at.
func (p *picture) shown(ctx context.Context, help extract.Help) ([]byte, string, error) {
	q := p
	if p.media == "image/tiff" || p.media == "image/bmp" {
		b, err := convert(ctx, help, p)
		if err != nil {
			return nil, "", err
		}
		q = &picture{data: b, media: "image/png"}
		if c, err := png.DecodeConfig(bytes.NewReader(b)); err == nil {
			q.width, q.height = c.Width, c.Height
		}
	}
	if len(q.data) <= maxShown && max(q.width, q.height) <= maxSide*3/2 || q.width*q.height > maxDecode {
		return q.data, q.media, nil
	}
	img, _, err := image.Decode(bytes.NewReader(q.data))
	if err != nil {
		return q.data, q.media, nil //nolint:nilerr // the model may know the format better
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, shrink(img, maxSide), &jpeg.Options{Quality: 85}); err != nil {
		return nil, "", fmt.Errorf("shrink picture: %w", err)
	}
	return b.Bytes(), "image/jpeg", nil
}

// shrink returns a picture no side of which is longer than most: each pixel is the mean of those that it stands for.
func shrink(img image.Image, most int) image.Image {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	scale := max(float64(max(w, h))/float64(most), 1)
	nw, nh := max(int(float64(w)/scale), 1), max(int(float64(h)/scale), 1)
	out := image.NewRGBA(image.Rect(0, 0, nw, nh))
	for y := range nh {
		y0, y1 := y*h/nh, max((y+1)*h/nh, y*h/nh+1)
		for x := range nw {
			x0, x1 := x*w/nw, max((x+1)*w/nw, x*w/nw+1)
			var r, g, bl, n uint64
			for yy := y0; yy < y1; yy++ {
				for xx := x0; xx < x1; xx++ {
					cr, cg, cb, ca := img.At(b.Min.X+xx, b.Min.Y+yy).RGBA()
					white := uint64(0xffff - ca) // what is transparent is shown on white
					r, g, bl, n = r+uint64(cr)+white, g+uint64(cg)+white, bl+uint64(cb)+white, n+1
				}
			}
			out.SetRGBA(x, y, color.RGBA{R: uint8(r / n >> 8), G: uint8(g / n >> 8), B: uint8(bl / n >> 8), A: 0xff})
		}
	}
	return out
}
