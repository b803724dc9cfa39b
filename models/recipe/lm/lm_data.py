"""Training data on the device: token streams, pieces, and the kernel of near words."""
import lzma
import os
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import torch

from corpora import CORPORA, read_train
from text import NUMBER, PUNCTUATION, WORD, corpus_lines, forms
from word_model import read_word_model

MAX_PIECES = 8


def _chunk(job):
    name, lines, seed = job
    ids, types, ends = {}, [], []
    stream = []
    for line in corpus_lines(name, lines, seed):
        for key in forms(line):
            i = ids.get(key)
            if i is None:
                i = ids[key] = len(types)
                types.append(key)
            stream.append(i)
        ends.append(len(stream))
    return types, np.array(stream, dtype=np.int32), np.array(ends, dtype=np.int64)


def read_streams(folder, names=CORPORA, limit=None):
    """(types, stream, line ends): all training text as numbers of (form, class) types."""
    jobs = []
    for name in names:
        lines = read_train(folder, name)[:limit]
        step = 6000
        jobs += [(name, lines[i:i + step], i) for i in range(0, len(lines), step)]
    types, index, streams, ends, total = [], {}, [], [], 0
    with Pool(min(16, os.cpu_count())) as pool:
        for chunk_types, stream, chunk_ends in pool.imap_unordered(_chunk, jobs):
            table = np.empty(len(chunk_types), dtype=np.int32)
            for i, key in enumerate(chunk_types):
                at = index.get(key)
                if at is None:
                    at = index[key] = len(types)
                    types.append(key)
                table[i] = at
            streams.append(table[stream])
            ends.append(chunk_ends + total)
            total += len(stream)
    return types, np.concatenate(streams), np.concatenate(ends)


def load_pieces(folder):
    """The shipped byte-level BPE as a `tokenizers` object that takes one token at a time."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    model = models.BPE.from_file(str(Path(folder) / "vocab.json"), str(Path(folder) / "merges.txt"))
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return tokenizer


def piece_table(tokenizer, texts):
    """[n, 8] piece numbers, 0 where there is none; a longer token keeps its first eight."""
    table = np.zeros((len(texts), MAX_PIECES), dtype=np.int32)
    for i, encoding in enumerate(tokenizer.encode_batch(list(texts))):
        ids = encoding.ids[:MAX_PIECES]
        table[i, :len(ids)] = ids
    return table


def read_vectors_text(path):
    words, rows = [], []
    with lzma.open(path, "rt", encoding="utf-8", errors="replace") as file:
        for line in file:
            word, *numbers = line.rstrip("\n").split(" ")
            if len(numbers) > 10:
                words.append(word)
                rows.append(np.array(numbers, dtype=np.float32))
    return words, np.vstack(rows)


def flatten(matrix, drop=2):
    """Unit rows without mean and first components, which encode frequency."""
    matrix = matrix - matrix.mean(0)
    _, _, basis = np.linalg.svd(matrix, full_matrices=False)
    matrix = matrix - matrix @ basis[:drop].T @ basis[:drop]
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


def read_groups(path):
    """Lines of words that belong together, as pairs with the first."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            first, *others = line.split()
            yield from ((first, other) for other in others)


class Kernel:
    """How near two words are, in [-1, 1]: the mean cosine of Sotto's WordNet model and GloVe, synonyms raised,
    antonyms pushed away, so that the training targets keep a text's polarity."""

    def __init__(self, word_model, glove, lexicons, words, device):
        known, vectors = read_word_model(word_model)
        known = known + [w for w in words if w not in set(known)]
        self.words = known
        self.row = {word: i for i, word in enumerate(known)}
        self.out_rows = torch.tensor([self.row[w] for w in words], device=device)
        a = torch.zeros(len(known), vectors.shape[1])
        a[:len(vectors)] = torch.from_numpy(vectors)
        b = torch.zeros(len(known), 100)
        if glove is not None:
            names, matrix = read_vectors_text(glove)
            matrix = flatten(matrix)
            for i, name in enumerate(names):
                if name in self.row:
                    b[self.row[name], :matrix.shape[1]] = torch.from_numpy(matrix[i])
        self.a, self.b = a.to(device), b.to(device)
        self.has_b = (self.b.abs().sum(1) > 0).float()
        self.device = device
        pairs = [(self.row[x], self.row[y]) for x, y in read_groups(Path(lexicons) / "ppdb_synonyms.txt")
                 if x in self.row and y in self.row]
        anti = [(self.row[x], self.row[y]) for x, y in read_groups(Path(lexicons) / "wordnet_antonyms.txt")
                if x in self.row and y in self.row]
        self.synonyms = torch.tensor(pairs + [(y, x) for x, y in pairs], device=device)
        self.antonyms = torch.tensor(anti + [(y, x) for x, y in anti], device=device)

    def block(self, begin, end):
        """Similarity of rows [begin, end) to all words."""
        a = self.a[begin:end] @ self.a.T
        b = self.b[begin:end] @ self.b.T
        both = self.has_b[begin:end, None] * self.has_b[None]
        sim = a + both * (b - a) / 2
        for pairs, change in ((self.synonyms, self._raise), (self.antonyms, self._lower)):
            if len(pairs):
                inside = pairs[(pairs[:, 0] >= begin) & (pairs[:, 0] < end)]
                r, c = inside[:, 0] - begin, inside[:, 1]
                sim[r, c] = change(sim[r, c])
        i = torch.arange(begin, end, device=self.device)
        sim[i - begin, i] = 1.0
        return sim

    @staticmethod
    def _raise(x):
        return torch.clamp(torch.clamp(x, min=0.2) + 0.25, max=0.95)

    @staticmethod
    def _lower(x):
        return torch.clamp(x, max=0.05)

    def tables(self, near=16, temperature=0.1, floor=0.25):
        """(similarity of every word to the output words, near words of every word, their cumulative shares)."""
        n = len(self.words)
        to_words = torch.empty(n, len(self.out_rows), dtype=torch.bfloat16, device=self.device)
        near_rows = torch.zeros(n, near, dtype=torch.long, device=self.device)
        shares = torch.zeros(n, near, device=self.device)
        for begin in range(0, n, 4096):
            end = min(n, begin + 4096)
            sim = self.block(begin, end)
            to_words[begin:end] = sim[:, self.out_rows].to(torch.bfloat16)
            i = torch.arange(begin, end, device=self.device)
            sim[i - begin, i] = -1.0
            top, rows = sim.topk(near, -1)
            weight = torch.exp(top / temperature) * (top > floor)
            near_rows[begin:end] = rows
            shares[begin:end] = weight / weight.sum(-1, keepdim=True).clamp(min=1e-9)
        return to_words, near_rows, shares.cumsum(-1)


def base_form(form):
    """The word whose vector stands for a form without one: the noun of a possessive, the head of a compound."""
    if form.endswith("'s"):
        return form[:-2]
    return form.rsplit("-", 1)[-1] if "-" in form else form


def type_tables(types, tokenizer, kernel, words, device):
    """Per type: pieces, their count, whether it may be drawn, its kernel row and output number (-1: none)."""
    pieces = piece_table(tokenizer, [form for form, _ in types])
    out = {word: i for i, word in enumerate(words)}
    row = np.full(len(types), -1, dtype=np.int64)
    target = np.full(len(types), -1, dtype=np.int64)
    drawn = np.zeros(len(types), dtype=bool)
    type_of_row = np.full(len(kernel.words), -1, dtype=np.int64)
    for i, (form, token_class) in enumerate(types):
        drawn[i] = token_class not in (NUMBER, PUNCTUATION)
        if token_class == WORD:
            target[i] = out.get(form, -1)
            row[i] = kernel.row.get(form, -1)
            if row[i] >= 0:
                type_of_row[row[i]] = i
            else:
                row[i] = kernel.row.get(base_form(form), -1)
    to = lambda x: torch.from_numpy(x).to(device)
    return {"pieces": to(pieces).long(), "count": to((pieces > 0).sum(1)), "drawn": to(drawn), "row": to(row),
            "out": to(target), "type_of_row": to(type_of_row)}


def window_starts(types, stream, ends, least=6):
    """(starts, ends of their lines): after a sentence end or a line start, with at least `least` tokens to come."""
    stops = np.array([form in (".", "!", "?") for form, _ in types])
    starts = np.concatenate([[0], ends[:-1], np.flatnonzero(stops[stream]) + 1])
    starts = np.unique(starts[starts < len(stream)])
    line_end = ends[np.searchsorted(ends, starts, side="right")]
    keep = line_end - starts >= least
    return starts[keep], line_end[keep]
