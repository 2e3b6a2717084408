"""Step 7b. Packs an int8 file (version 1) into 4-bit blocks (version 2), the file that ships.

    python3 pack.py <in.bin> <out.bin>

After the vocabulary: float16 scale per block of 32 values, then 4-bit values, two a byte, low nibble first;
value = (nibble - 8) * scale.
"""
import sys

import numpy as np

import export


def pack4(source, out):
    """Packs a file and returns the size."""
    model = export.Model(source)
    return write4(dict(model.header), model.vocab, model.rows, out)


def write4(header, vocab, rows, out):
    """Writes rows of float32 and returns the size."""
    blocks = rows.reshape(-1, 32)
    scales = (np.abs(blocks).max(1, keepdims=True) / 7.5).astype(np.float16).astype(np.float32)
    scales[scales == 0] = 6e-8
    values = np.clip(np.rint(blocks / scales), -8, 7).astype(np.int8).reshape(rows.shape)
    nibbles = (values + 8).astype(np.uint8)
    packed = (nibbles[:, 0::2] | (nibbles[:, 1::2] << 4)).astype(np.uint8)
    header.update(
        version=2,
        quant='int4, blocks of 32 values, one float16 scale per block; low nibble first; value=(nibble-8)*scale',
    )
    header.pop('name', None)
    data = export.header_bytes(header) + '\n'.join(vocab).encode()
    data += b'\0' * ((-len(data)) % 16)
    data += scales.reshape(-1).astype('<f2').tobytes() + packed.tobytes()
    with open(out, 'wb') as f:
        f.write(data)
    return len(data)


if __name__ == '__main__':
    print(pack4(*sys.argv[1:3]))
