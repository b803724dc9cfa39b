"""Training data on the device: token streams, pieces, and the kernel of near words."""
import lzma
from pathlib import Path

import numpy as np
import torch

from text import NUMBER, PUNCTUATION, WORD
from word_kinds import WordKinds
from word_model import read_word_model

MAX_PIECES = 8
# What is taken off the similarity of words that cannot stand for each other without harm to the grammar, and of a function word
# and a content word.
OTHER_INFLECTION = 0.2
OTHER_KIND = 0.2


class Pack:
    """What prepare.py wrote."""

    def __init__(self, folder):
        arrays = np.load(Path(folder) / "stream.npz")
        self.stream, self.ends, self.borders = arrays["stream"], arrays["ends"], arrays["borders"]
        with open(Path(folder) / "types.tsv", encoding="utf-8") as file:
            self.types = [(form, int(c)) for form, c in (line.rstrip("\n").split("\t") for line in file)]


def read_pack(folder):
    return Pack(folder)


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


def noun_of(word):
    return word[:-2] if word.endswith("'s") and len(word) > 3 else word


def frequent_possessives(pack, least=5):
    counts = np.bincount(pack.stream, minlength=len(pack.types))
    return [form for (form, _), n in zip(pack.types, counts) if n >= least and noun_of(form) != form]


class Kernel:
    """How near two words are, in [-1, 1]: the mean cosine of Sotto's WordNet and CBOW models and GloVe, synonyms raised,
    antonyms pushed away, so that targets keep a text's polarity, and words of another inflection or kind, so that they keep
    its grammar."""

    def __init__(self, data, words, possessives, device):
        known, first = read_word_model(data / "sotto-en-wordnet.safetensors")
        self.words = list(dict.fromkeys([*known, *words, *possessives]))
        self.row = {word: i for i, word in enumerate(self.words)}
        self.out_rows = torch.tensor([self.row[w] for w in words], device=device)
        self.spaces = [self._space(known, first, device)]
        self.spaces.append(self._space(*read_word_model(data / "sotto-en-cbow.safetensors"), device))
        names, matrix = read_vectors_text(data / "glove.100d.10000.txt.xz")
        self.spaces.append(self._space(names, flatten(matrix), device))
        self.device = device
        pairs = [(self.row[x], self.row[y]) for x, y in read_groups(data / "ppdb_synonyms.txt")
                 if x in self.row and y in self.row]
        anti = [(self.row[x], self.row[y]) for x, y in read_groups(data / "wordnet_antonyms.txt")
                if x in self.row and y in self.row]
        self.synonyms = torch.tensor(pairs + [(y, x) for x, y in pairs], device=device)
        self.antonyms = torch.tensor(anti + [(y, x) for x, y in anti], device=device)
        self.kinds = WordKinds(self.words, data / "inflections.tsv", data / "word-forms.safetensors")
        to = lambda array: torch.from_numpy(array).to(device)
        self.tags, self.groups = to(self.kinds.tags), to(self.kinds.groups)
        self.function, self.negation = to(self.kinds.function), to(self.kinds.negation)

    def _space(self, names, matrix, device):
        """(unit vectors by row, whether there is one); a possessive has its noun's."""
        rows = torch.zeros(len(self.words), matrix.shape[1])
        number = {name: i for i, name in enumerate(names)}
        at = [(i, number[noun_of(word)]) for i, word in enumerate(self.words) if noun_of(word) in number]
        to, of = (torch.tensor(column) for column in zip(*at))
        rows[to] = torch.from_numpy(np.ascontiguousarray(matrix))[of]
        rows = rows.to(device)
        return rows, (rows.abs().sum(1) > 0).float()

    def block(self, begin, end):
        """Similarity of rows [begin, end) to all words."""
        total = torch.zeros(end - begin, len(self.words), device=self.device)
        weight = torch.zeros_like(total)
        for rows, has in self.spaces:
            total += rows[begin:end] @ rows.T
            weight += has[begin:end, None] * has[None]
        sim = total / weight.clamp(min=1)
        for pairs, change in ((self.synonyms, self._raise), (self.antonyms, self._lower)):
            if len(pairs):
                inside = pairs[(pairs[:, 0] >= begin) & (pairs[:, 0] < end)]
                r, c = inside[:, 0] - begin, inside[:, 1]
                sim[r, c] = change(sim[r, c])
        tags = self.tags[begin:end]
        other = ((tags[:, None] & self.tags[None]) == 0) & ((tags[:, None] | self.tags[None]) != 0)
        sim -= OTHER_INFLECTION * other
        sim -= OTHER_KIND * (self.function[begin:end, None] != self.function[None])
        sim = torch.where(self.negation[begin:end, None] != self.negation[None], sim.clamp(max=0.0), sim)
        i = torch.arange(begin, end, device=self.device)
        sim[i - begin, i] = 1.0
        return sim

    def word_groups(self):
        """The group of each output word: the number of the first output word of its lemma."""
        first, groups = {}, []
        for i, group in enumerate(self.groups[self.out_rows].tolist()):
            groups.append(first.setdefault(group, i))
        return torch.tensor(groups, device=self.device)

    @staticmethod
    def _raise(x):
        return torch.clamp(torch.clamp(x, min=0.2) + 0.2, max=0.95)

    @staticmethod
    def _lower(x):
        return torch.clamp(x, max=0.05)

    def tables(self, present, near=32, temperature=0.065, floor=0.2):
        """(similarity of every word to the output words; words to exchange every content word for, of its inflection and
        kind but another lemma; their cumulative shares, 0 where there are none). `present`: words that occur in the corpora."""
        n = len(self.words)
        to_words = torch.empty(n, len(self.out_rows), dtype=torch.bfloat16, device=self.device)
        near_rows = torch.zeros(n, near, dtype=torch.long, device=self.device)
        shares = torch.zeros(n, near, device=self.device)
        closed = self.function | ~present
        for begin in range(0, n, 4096):
            end = min(n, begin + 4096)
            sim = self.block(begin, end)
            to_words[begin:end] = sim[:, self.out_rows].to(torch.bfloat16)
            tags = self.tags[begin:end]
            same = ((tags[:, None] & self.tags[None]) != 0) | ((tags[:, None] | self.tags[None]) == 0)
            allowed = same & (self.groups[begin:end, None] != self.groups[None]) & ~closed[None] & (sim > floor)
            top, rows = torch.where(allowed, sim, torch.full_like(sim, -1)).topk(near, -1)
            weight = torch.exp(top / temperature) * (top > floor) * ~self.function[begin:end, None]
            near_rows[begin:end] = rows
            shares[begin:end] = (weight / weight.sum(-1, keepdim=True).clamp(min=1e-9)).cumsum(-1)
        return to_words, near_rows, shares


def base_form(form):
    """The word whose vector stands for a form without one: the noun of a possessive, the head of a compound."""
    if form.endswith("'s"):
        return form[:-2]
    return form.rsplit("-", 1)[-1] if "-" in form else form


def type_tables(types, tokenizer, kernel, words, device):
    """Per type: pieces, their count, whether it may be drawn, its kernel row and output number (-1: none), whether it is a content
    word."""
    pieces = piece_table(tokenizer, [form for form, _ in types])
    out = {word: i for i, word in enumerate(words)}
    row = np.full(len(types), -1, dtype=np.int64)
    target = np.full(len(types), -1, dtype=np.int64)
    drawn = np.zeros(len(types), dtype=bool)
    content = np.zeros(len(types), dtype=bool)
    name = np.zeros(len(types), dtype=bool)
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
            content[i] = row[i] < 0 or not kernel.kinds.function[row[i]]
            name[i] = row[i] >= 0 and kernel.kinds.name[row[i]]
    to = lambda x: torch.from_numpy(x).to(device)
    return {"pieces": to(pieces).long(), "count": to((pieces > 0).sum(1)), "drawn": to(drawn), "row": to(row),
            "out": to(target), "type_of_row": to(type_of_row), "content": to(content),
            "name": to(name)}


def window_starts(types, stream, ends, least=6):
    """(starts, ends of their lines): after a sentence end or a line start, with at least `least` tokens to come."""
    stops = np.array([form in (".", "!", "?") for form, _ in types])
    starts = np.concatenate([[0], ends[:-1], np.flatnonzero(stops[stream]) + 1])
    starts = np.unique(starts[starts < len(stream)])
    line_end = ends[np.searchsorted(ends, starts, side="right")]
    keep = line_end - starts >= least
    return starts[keep], line_end[keep]
