// Package vector is the float and bit arithmetic of nearest-neighbour search: dot products, a random rotation, 1-bit
// and 8-bit codes, and a collector of the best results.
//
// # Three stages
//
// A search over one partition narrows in three stages, each on fewer vectors with more bits:
//
//  1. [Kernels.ScanTop] estimates the dot product of every live slot from its 1-bit code and a query of 4 bits a
//     dimension, and keeps the best few hundred in a [TopK];
//  2. [Int8.Score] rescores from their 8-bit codes the best of these ([TopK.AppendParted]) and then those of the others that can still
//     be among the best by the doubt about their estimates ([Query.Doubt]), and a second [TopK] keeps the best two dozen;
//  3. [Kernels.Dot] scores these exactly from the float32 vectors, which may lie on disk.
//
// Codes are made from rotated vectors ([Rotation.Apply]): a random rotation spreads the weight of a vector evenly over
// its dimensions, without which the 1-bit code of a real embedding is poor. Dot products do not change under a rotation,
// so stage 3 uses the vectors as they came.
//
// Over very many vectors [Cells] take the place of a scan of all in the first stage: codes in the order of the cells of a k-means, of which a
// query reads as many as it turns out to need.
//
// # Memory
//
// But for cells the package owns no block memory. A block is a handful of plain slices that the caller allocates, saves or maps:
//
//	part        type        elements        meaning
//	Bits.Codes  []uint64    slots*dim/64    1-bit codes, interleaved as below
//	Bits.Scale  []uint16    slots           factor of the estimate, |v|²/Σ|vᵢ|: the upper half of a float32
//	Int8.Codes  []int8      slots*dim       8-bit codes, slot after slot
//	Int8.Scale  []float32   slots           value of one step of the 8-bit code
//	live        []uint64    slots/64        bit s%64 of word s/64 is set when slot s may be read
//
// where dim is the padded dimension ([PaddedDim], a multiple of 64) and slots a multiple of 8 up to [MaxSlots]
// ([SlotsFor] gives the usual steps 16, 64, 256, 1024). At 256 dimensions a slot takes 32 + 2 + 256 + 4 = 294 bytes.
// Eight slots form a group; the groups lie one after another, and inside a group the words are word-major:
//
//	Codes[(slot/8*words + w)*8 + slot%8]   words = dim/64
//
// holds dimensions 64w..64w+63 of a slot, the lowest dimension in the lowest bit; a set bit means "not negative". So
// the codes of a smaller block are a prefix of the codes of a larger one, and growing is a copy. Numbers are in the
// machine's byte order; whoever writes a block to disk fixes it (little-endian on every platform we ship).
//
// # Kernels
//
// [Default] chooses AVX2+FMA assembly where the processor has it, with a scan in AVX-512 (VPOPCNTDQ) where it has that
// too, and [Portable] is pure Go; all ([All]) give bit-identical
// results for every integer and every estimate, for rotations and codes, and differ only in the order of the additions
// of [Kernels.Dot]. The build tag purego leaves the assembly out.
//
// Without assembly the first stage is the dear one: counting the bits of a code against four planes of the query takes six times as long
// as with AVX-512. There [Kernels.ScanLikely] compares the signs of the query first, one plane of four, and counts on only where these do
// not put the estimate four standard deviations below what is wanted: 11 to 19 % of slots of real sentences, with which 1 of 5,947
// among the ten nearest was lost (docs/design/ranking.md, "What a scan without assembly passes over"). Other kernels read everything.
//
// Nothing here locks. A block may be read by many goroutines while a writer fills a slot whose live bit none of them
// has seen set.
package vector
