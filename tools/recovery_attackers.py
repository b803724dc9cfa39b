"""Attackers that learn from privatized public text which word stood where an output word stands.

All count how often an original stands behind an output word. The majority attacker guesses the most frequent one. The others
are log-linear: they weigh features of candidates, by weights fitted on a part of the training text whose counts they have not
seen. Naive Bayes knows the output word and its two neighbours; the re-ranker also knows the public language around its own
guesses, the vectors and kinds of words, and whether the guess is the output word."""
import numpy as np

SMOOTHING = 2.0  # occurrences that the frequencies of words count for
NEAR = 12  # candidates by vectors
CHUNK = 8192  # places at a time
MOST_FITTED = 30000  # places
ROUNDS = 2  # of guessing, then guessing again beside these guesses
RIDGE = 1e-4
BAYES = slice(0, 3)  # of the features: the output word and its neighbours


def chunks(places):
    """Parts of the places, at least one."""
    return [places[first:first + CHUNK] for first in range(0, max(1, len(places)), CHUNK)]


class PairCounts:
    """How often a word goes with a key."""

    def __init__(self, keys, words, size):
        self.size = size
        self.codes, self.counts = np.unique(keys.astype(np.int64) * size + words, return_counts=True)
        self.totals = np.bincount(keys, minlength=size)

    def of(self, keys, words):
        codes = keys.astype(np.int64) * self.size + words
        at = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[at] == codes, self.counts[at], 0)

    def log_share(self, keys, words, prior):
        return np.log((self.of(keys, words) + SMOOTHING * prior[words]) / (self.totals[keys] + SMOOTHING))

    def top(self, n):
        """[size, n]: the most frequent words of each key; -1: none."""
        keys, words = self.codes // self.size, self.codes % self.size
        order = np.lexsort((words, -self.counts, keys))
        keys, words = keys[order], words[order]
        rank = np.arange(len(keys)) - np.searchsorted(keys, keys)
        table = np.full((self.size, n), -1)
        table[keys[rank < n], rank[rank < n]] = words[rank < n]
        return table


class Lexicon:
    """What is public about the words of a list: vectors [n, d] (0: none), masks of tags, whether of grammar, and frequencies
    of single words and of two in a row in public text."""

    def __init__(self, vectors, tags, function, language):
        size = len(tags)
        self.vectors, self.tags, self.function = vectors, tags, function
        self.share = (np.bincount(language, minlength=size) + 0.5) / (len(language) + 0.5 * size)
        self.after = PairCounts(language[:-1], language[1:], size)
        self.before = PairCounts(language[1:], language[:-1], size)
        self.near = self.neighbours()

    def neighbours(self):
        table = np.full((len(self.tags), NEAR), -1)
        have = np.flatnonzero(np.abs(self.vectors).sum(1) > 0)
        for part in np.array_split(have, max(1, len(have) // 1024)):
            cosines = self.vectors[part] @ self.vectors[have].T
            if len(have) > NEAR:
                table[part] = have[np.argpartition(-cosines, NEAR, axis=1)[:, :NEAR]]
        return table


class Learned:
    """What the counts of one privatized text tell about another."""

    def __init__(self, lexicon, text):
        size, at = len(lexicon.tags), text.drawn
        self.lexicon = lexicon
        true = text.originals[at]
        self.share = (np.bincount(true, minlength=size) + 10 * lexicon.share) / (len(true) + 10)
        self.behind = PairCounts(text.outputs[at], true, size)
        self.beside = {d: PairCounts(text.outputs[at + d], true, size) for d in (-2, -1, 1, 2)}
        self.tops = {d: counts.top(6) for d, counts in self.beside.items() if abs(d) == 1}
        self.likeliest = self.behind.top(20)
        self.public = {-1: lexicon.after.top(8), 1: lexicon.before.top(8)}
        self.frequent = np.argsort(-self.share)[:8]

    def majority(self, text):
        """A guess for each token of the text; the tokens that are not drawn are public."""
        guesses = self.likeliest[text.outputs, 0]
        guesses = np.where(guesses < 0, text.outputs, guesses)
        public = np.ones(len(guesses), dtype=bool)
        public[text.drawn] = False
        return np.where(public, text.outputs, guesses)

    def candidates(self, text, at, guesses):
        """[places, candidates], each once; -1: none. The public tokens around a place are known, the words only guessed."""
        outputs = text.outputs
        columns = [outputs[at, None], self.likeliest[outputs[at]], self.lexicon.near[outputs[at]],
                   np.broadcast_to(self.frequent, (len(at), len(self.frequent)))]
        columns += [self.tops[d][outputs[at + d]] for d in (-1, 1)] + [self.public[d][guesses[at + d]] for d in (-1, 1)]
        table = np.sort(np.concatenate(columns, axis=1), axis=1)
        table[:, 1:][table[:, 1:] == table[:, :-1]] = -1
        return table

    def features(self, text, at, candidates, guesses):
        lexicon, outputs = self.lexicon, text.outputs
        words = np.maximum(candidates, 0)
        shown = np.broadcast_to(outputs[at, None], words.shape)
        own, prior = words == shown, np.log(self.share)[words]

        def around(counts, tokens, share):
            return counts.log_share(np.broadcast_to(tokens[:, None], words.shape), words, share) - np.log(share)[words]

        near = (lexicon.vectors[words] * lexicon.vectors[outputs[at]][:, None]).sum(-1)
        rare = np.log(lexicon.share)[shown]
        columns = [self.behind.log_share(shown, words, self.share)]
        columns += [around(self.beside[d], outputs[at + d], self.share) for d in (-1, 1, -2, 2)]
        columns += [prior, own, own * rare, own * np.log1p(self.behind.totals[shown]), self.behind.of(shown, words) > 0, near,
                    near * (near > 0.5), (lexicon.tags[words] & lexicon.tags[shown]) > 0,
                    lexicon.function[words] == lexicon.function[shown]]
        columns += [around(counts, guesses[at + d], lexicon.share) for d, counts in ((-1, lexicon.after), (1, lexicon.before))]
        return np.stack(columns, axis=-1).astype(np.float32)


def shares(features, candidates, weights):
    scores = np.where(candidates >= 0, features @ weights, -np.inf)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def fit(features, candidates, true, steps=12):
    """Weights that make the true candidates likely, by Newton's method; places where the truth is no candidate are left out."""
    place = np.argmax(candidates == true[:, None], axis=1)
    found = candidates[np.arange(len(true)), place] == true
    features, candidates, place = features[found], candidates[found], place[found]
    rows, weights = np.arange(len(place)), np.zeros(features.shape[-1], dtype=np.float32)
    weights[0] = 1
    if not len(place):
        return weights

    def loss(weights):
        return -np.log(shares(features, candidates, weights)[rows, place] + 1e-30).mean() + RIDGE * weights @ weights

    for _ in range(steps):
        p = shares(features, candidates, weights).astype(np.float32)
        mean = np.einsum("nk,nkf->nf", p, features)
        slope = (features[rows, place] - mean).mean(0) - 2 * RIDGE * weights
        scaled = (features * np.sqrt(p)[..., None]).reshape(-1, len(weights))
        bend = (scaled.T @ scaled - mean.T @ mean) / len(rows) + 2 * RIDGE * np.eye(len(weights))
        step, before = np.linalg.solve(bend, slope), loss(weights)
        while np.abs(step).max() > 1e-4 and loss(weights + step) > before:
            step = step / 2
        weights = (weights + step).astype(np.float32)
    return weights


class LogLinear:
    """Chooses among candidates by some of the features, with weights of its own where the output is a function word."""

    def __init__(self, lexicon, learning, tuning, chosen, rounds):
        self.function, self.chosen, self.rounds = lexicon.function, chosen, []  # weights of each round
        learned = Learned(lexicon, learning)
        at = np.random.default_rng(1).permutation(tuning.drawn)[:MOST_FITTED]
        guesses = learned.majority(tuning)
        for _ in range(rounds):
            self.rounds.append({kind: self.fitted(learned, tuning, at[self.function[tuning.outputs[at]] == kind], guesses)
                                for kind in (False, True)})
            if len(self.rounds) < rounds:
                guesses = self.once(learned, tuning, guesses, self.rounds[-1])

    def fitted(self, learned, text, at, guesses):
        parts = [self.candidates_of(learned, text, part, guesses) for part in chunks(at)]
        candidates, features = (np.concatenate(column) for column in zip(*parts))
        return fit(features, candidates, text.originals[at])

    def candidates_of(self, learned, text, at, guesses):
        candidates = learned.candidates(text, at, guesses)
        return candidates, learned.features(text, at, candidates, guesses)[..., self.chosen]

    def once(self, learned, text, guesses, weights):
        better = guesses.copy()
        for kind in (False, True):
            for at in chunks(text.drawn[self.function[text.outputs[text.drawn]] == kind]):
                candidates, features = self.candidates_of(learned, text, at, guesses)
                best = np.argmax(np.where(candidates >= 0, features @ weights[kind], -np.inf), axis=1)
                better[at] = candidates[np.arange(len(at)), best]
        return better

    def guess(self, learned, text):
        guesses = learned.majority(text)
        for weights in self.rounds:
            guesses = self.once(learned, text, guesses, weights)
        return guesses


def attack(lexicon, learning, tuning, training, test):
    """Guesses for each token of `test` by each attacker. `learning` and `tuning` are the parts of `training`."""
    learned = Learned(lexicon, training)
    return {"majority": learned.majority(test),
            "naive Bayes": LogLinear(lexicon, learning, tuning, BAYES, 1).guess(learned, test),
            "re-ranker": LogLinear(lexicon, learning, tuning, slice(None), ROUNDS).guess(learned, test)}
