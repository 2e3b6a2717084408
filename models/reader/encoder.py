"""The encoder: BERT, 6 layers, 384 wide, 12 heads, read from the published file of all-MiniLM-L6-v2."""
import os

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn

WIDTH, HEADS, INNER, LAYERS = 384, 12, 1536, 6
# Our names of the parts of a layer, and their names in the published file.
PARTS = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
         "o": "attention.output.dense", "norm1": "attention.output.LayerNorm", "up": "intermediate.dense",
         "down": "output.dense", "norm2": "output.LayerNorm"}


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.norm1 = nn.LayerNorm(WIDTH, 1e-12)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, 1e-12)

    def forward(self, x, mask, drop):
        batch, length, width = x.shape

        def split(y):
            return y.view(batch, length, HEADS, width // HEADS).transpose(1, 2)

        a = F.scaled_dot_product_attention(split(self.q(x)), split(self.k(x)), split(self.v(x)), attn_mask=mask)
        a = self.o(a.transpose(1, 2).reshape(batch, length, width))
        x = self.norm1(x + F.dropout(a, drop, self.training))
        return self.norm2(x + F.dropout(self.down(F.gelu(self.up(x))), drop, self.training))


class Encoder(nn.Module):
    """The word table stays as published (frozen): it is shared with the sentence encoder."""

    def __init__(self, folder, drop=0.1):
        super().__init__()
        self.word, self.place, self.segment = (nn.Embedding(n, WIDTH) for n in (30522, 512, 2))
        self.norm = nn.LayerNorm(WIDTH, 1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.drop = drop
        weights = {k: v.float() for k, v in load_file(os.path.join(folder, "model.safetensors")).items()}
        with torch.no_grad():
            self.word.weight.copy_(weights["embeddings.word_embeddings.weight"])
            for name, value in self.named_parts():
                value.copy_(weights[name])
        self.word.weight.requires_grad = False
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def named_parts(self):
        """All tensors but the word table, by their names in the published file."""
        yield "embeddings.position_embeddings.weight", self.place.weight
        yield "embeddings.token_type_embeddings.weight", self.segment.weight
        yield "embeddings.LayerNorm.weight", self.norm.weight
        yield "embeddings.LayerNorm.bias", self.norm.bias
        for i, layer in enumerate(self.layers):
            for ours, theirs in PARTS.items():
                part = getattr(layer, ours)
                yield f"encoder.layer.{i}.{theirs}.weight", part.weight
                yield f"encoder.layer.{i}.{theirs}.bias", part.bias

    def forward(self, tokens, mask, segment, extra):
        """tokens, mask, segment: (batch, length). extra (batch, length, 384) is added to the input vectors.
        Returns the states of the last layer (batch, length, 384)."""
        x = self.norm(self.word(tokens) + self.place.weight[:tokens.shape[1]] + self.segment(segment) + extra)
        x = F.dropout(x, self.drop, self.training)
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :], self.drop)
        return x
