// Package encoder runs sentence encoders of the BERT family on the processor, without cgo: it cuts a text into tokens, runs
// them through the layers of a transformer with 8-bit weights, and gives back their states or one vector for the text.
//
// A [Model] comes from a folder in the layout of sentence-transformers ([OpenFolder]) or from one packed file
// ([ParsePacked]), whose weights are used in place, so that processes share them through the page cache.
//
// # Arithmetic
//
// Weights are 8-bit numbers with a scale for each row. Activations are rounded at run time to 13 bits with a scale for each
// token, products are summed in 32 bits, and everything between two matrices (attention, GELU, normalisation) is float32. There
// are three sets of inner loops: AVX-512 with VNNI, AVX2, and plain Go. They agree to about 1e-5.
//
// Sources: Devlin and others, "BERT" (2019) for the layers; Reimers and Gurevych, "Sentence-BERT" (2019) for the pooling; Schuster
// and Nakajima (2012) and Wu and others (2016) for WordPiece; Kudo (2018) for Unigram.
package encoder
