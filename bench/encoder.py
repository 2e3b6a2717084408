#!/usr/bin/env python3
"""Times the encoder in the binary and onnxruntime's 8-bit model on one thread, in turns, and prints the ratio of their CPU times.

    pip install onnxruntime onnx torch tokenizers safetensors numpy
    bench/encoder.py --folder FOLDER [--rounds 3]

FOLDER holds the published files of all-MiniLM-L6-v2 (config.json, model.safetensors, tokenizer.json). The ONNX model is made from
them and rounded to 8 bits by onnxruntime's own tool.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..")
TEXTS = {
    "question": "until when is the car insured?",
    "note": "Boiler service is due every September. The firm is Hausner, 0441 553210, and they want the last report, which is in "
            "the blue folder on the shelf in the hall next to the meter. Ask for the same technician as last year, he knows about "
            "the valve that sticks.",
}


def make_onnx(folder, path):
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from safetensors.torch import load_file
    from torch import nn

    weights = {k: v.float() for k, v in load_file(os.path.join(folder, "model.safetensors")).items()}
    c = json.load(open(os.path.join(folder, "config.json")))
    width, heads = c["hidden_size"], c["num_attention_heads"]

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in weights.items():
                self.register_parameter(name.replace(".", "_"), nn.Parameter(value, requires_grad=False))

        def w(self, name):
            return getattr(self, name.replace(".", "_"))

        def linear(self, x, name):
            return torch.matmul(x, self.w(name + ".weight").t()) + self.w(name + ".bias")

        def norm(self, x, name):
            return nn.functional.layer_norm(x, (width,), self.w(name + ".weight"), self.w(name + ".bias"), c["layer_norm_eps"])

        def forward(self, ids):
            n = ids.shape[1]
            x = self.w("embeddings.word_embeddings.weight")[ids] + self.w("embeddings.position_embeddings.weight")[:n]
            x = self.norm(x + self.w("embeddings.token_type_embeddings.weight")[0], "embeddings.LayerNorm")
            for i in range(c["num_hidden_layers"]):
                at = f"encoder.layer.{i}."
                q, k, v = (self.linear(x, at + "attention.self." + p).view(1, n, heads, width // heads).transpose(1, 2)
                           for p in ("query", "key", "value"))
                a = torch.softmax(torch.matmul(q, k.transpose(2, 3)) / (width // heads) ** 0.5, 3)
                a = torch.matmul(a, v).transpose(1, 2).reshape(1, n, width)
                x = self.norm(x + self.linear(a, at + "attention.output.dense"), at + "attention.output.LayerNorm")
                h = nn.functional.gelu(self.linear(x, at + "intermediate.dense"))
                x = self.norm(x + self.linear(h, at + "output.dense"), at + "output.LayerNorm")
            return nn.functional.normalize(x.mean(1), dim=1)

    full = path + ".full"
    torch.onnx.export(Net().eval(), (torch.ones(1, 8, dtype=torch.long),), full, input_names=["ids"], output_names=["vector"],
                      dynamic_axes={"ids": {1: "n"}}, opset_version=17, dynamo=False)
    quantize_dynamic(full, path, weight_type=QuantType.QInt8)


def cpu():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime


def time_onnx(session, ids, runs=200):
    feed = {"ids": np.array([ids], dtype=np.int64)}
    session.run(None, feed)
    start = cpu()
    for _ in range(runs):
        session.run(None, feed)
    return (cpu() - start) / runs


def time_lukasa(name, runs=200):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([os.path.join(ROOT, "bin", "encoder.test"), "-test.run", "^$", "-test.bench", f"^BenchmarkEmbed$/^{name}$",
                          "-test.benchtime", f"{runs}x", "-test.cpu", "1"], capture_output=True, text=True, check=True,
                         cwd=os.path.join(ROOT, "internal", "embed", "builtin"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    del out
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / runs


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--folder", required=True)
    p.add_argument("--rounds", type=int, default=3)
    args = p.parse_args()
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(os.path.join(args.folder, "tokenizer.json"))
    tokenizer.no_padding()
    subprocess.run(["go", "test", "-trimpath", "-c", "-o", "bin/encoder.test", "./internal/embed/builtin"], check=True, cwd=ROOT,
                   env={**os.environ, "CGO_ENABLED": "0"})
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "model.onnx")
        make_onnx(args.folder, path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        for name, text in TEXTS.items():
            ids = tokenizer.encode(text).ids
            ours, theirs = [], []
            for _ in range(args.rounds):
                ours.append(time_lukasa(name, 400))
                theirs.append(time_onnx(session, ids, 400))
            a, b = float(np.median(ours)), float(np.median(theirs))
            print(f"{name} ({len(ids)} tokens): lukasa {1e3 * a:.2f} ms CPU, onnxruntime int8 {1e3 * b:.2f} ms, ratio {a / b:.2f}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
