package media

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// rate is what speech models work with: 16 kHz, one channel, 16 bits.
const rate = 16_000

// pcm is sound as models take it.
type pcm []int16

func (p pcm) length() time.Duration { return time.Duration(len(p)) * time.Second / rate }

// errNotPCM says that a WAV file holds another coding than plain samples.
var errNotPCM = errors.New("the WAV file holds samples that are compressed")

// wave is a WAV file (RIFF, as Microsoft's and IBM's specification of 1991 has it, with WAVE_FORMAT_EXTENSIBLE).
type wave struct {
	format, channels, rate, bits int
	data                         []byte
}

// openWAV finds the format and the samples. A length that promises more than there is, as of a recording that broke off, is cut.
func openWAV(b []byte) (*wave, error) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return nil, errors.New("not a WAV file")
	}
	w := &wave{}
	for p := 12; p+8 <= len(b); {
		n := int(binary.LittleEndian.Uint32(b[p+4:]))
		body := b[p+8:]
		if n < 0 || n > len(body) {
			n = len(body)
		}
		switch body = body[:n]; string(b[p : p+4]) {
		case "fmt ":
			if len(body) < 16 {
				return nil, errNotPCM
			}
			w.format, w.channels = int(binary.LittleEndian.Uint16(body)), int(binary.LittleEndian.Uint16(body[2:]))
			w.rate, w.bits = int(binary.LittleEndian.Uint32(body[4:])), int(binary.LittleEndian.Uint16(body[14:]))
			if w.format == 0xfffe && len(body) >= 26 {
				w.format = int(binary.LittleEndian.Uint16(body[24:]))
			}
		case "data":
			w.data = body
		}
		p += 8 + n + n&1
	}
	float := w.format == 3 && w.bits == 32
	whole := w.format == 1 && (w.bits == 8 || w.bits == 16 || w.bits == 24 || w.bits == 32)
	if !float && !whole || w.channels < 1 || w.channels > 64 || w.rate < 1000 || w.rate > 768_000 {
		return nil, errNotPCM
	}
	return w, nil
}

// frames is how many samples each channel has.
func (w *wave) frames() int { return len(w.data) / (w.channels * w.bits / 8) }

func (w *wave) length() time.Duration {
	return time.Duration(float64(w.frames()) / float64(w.rate) * float64(time.Second))
}

// sample is the mean of the channels of a frame, from -1 to 1.
func (w *wave) sample(frame int) float64 {
	size := w.bits / 8
	sum := 0.0
	for c := range w.channels {
		b := w.data[(frame*w.channels+c)*size:]
		switch {
		case w.format == 3:
			if v := math.Float32frombits(binary.LittleEndian.Uint32(b)); v >= -8 && v <= 8 {
				sum += float64(v)
			}
		case size == 1:
			sum += (float64(b[0]) - 128) / 128
		case size == 2:
			sum += float64(int16(binary.LittleEndian.Uint16(b))) / (1 << 15)
		case size == 3:
			sum += float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) / (1 << 31)
		default:
			sum += float64(int32(binary.LittleEndian.Uint32(b))) / (1 << 31)
		}
	}
	return sum / float64(w.channels)
}

// cut returns the sound from one time to another. Higher rates are brought down by the mean of the samples that one stands for,
// which is filter enough for speech; lower ones are brought up on straight lines.
func (w *wave) cut(from, to time.Duration) pcm {
	n := w.frames()
	step := float64(w.rate) / rate
	first := int(from.Seconds() * rate)
	last := min(int(to.Seconds()*rate), int(float64(n)/step))
	out := make(pcm, 0, max(last-first, 0))
	for i := first; i < last; i++ {
		a, b := float64(i)*step, float64(i+1)*step
		v := 0.0
		if step > 1 {
			lo, hi := int(a), max(int(b), int(a)+1)
			for k := lo; k < min(hi, n); k++ {
				v += w.sample(k)
			}
			v /= float64(hi - lo)
		} else {
			lo := min(int(a), n-1)
			v = w.sample(lo)
			if lo+1 < n {
				v += (w.sample(lo+1) - v) * (a - float64(lo))
			}
		}
		out = append(out, int16(max(-1, min(1, v))*math.MaxInt16))
	}
	return out
}

// quiet returns where a piece of sound should end: in the middle of the quietest fifth of a second of its last seconds, so that
// no word is cut.
func (p pcm) quiet(last time.Duration) int {
	const window = rate / 5
	from := max(0, len(p)-int(last.Seconds()*rate))
	if len(p)-from < 2*window {
		return len(p)
	}
	best, least := len(p), math.Inf(1)
	for at := from; at+window <= len(p); at += window / 4 {
		sum := 0.0
		for _, v := range p[at : at+window] {
			sum += float64(v) * float64(v)
		}
		if sum <= least {
			best, least = at+window/2, sum
		}
	}
	return best
}

// wav writes the sound as a WAV file.
func (p pcm) wav() []byte {
	n := uint32(2 * len(p))
	b := make([]byte, 0, 44+len(p)*2)
	b = append(b, "RIFF"...)
	b = binary.LittleEndian.AppendUint32(b, 36+n)
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, 2*rate)
	b = append(b, "\x02\x00\x10\x00data"...)
	b = binary.LittleEndian.AppendUint32(b, n)
	for _, v := range p {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}
