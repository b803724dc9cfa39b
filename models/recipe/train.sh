#!/usr/bin/env bash
# Step 3: train skip-gram and CBOW vectors with fastText.
#
#     train.sh WORK_FOLDER
#
# WORK_FOLDER is the output of prepare_corpus.py. Writes skipgram.vec, skipgram.output, cbow.vec and cbow.output there.
# FASTTEXT names the program, THREADS the number of threads (default: all cores).
set -euo pipefail
work=$1
fasttext=${FASTTEXT:-fasttext}
threads=${THREADS:-$(nproc)}

# Wikipedia and the news count twice: they are today's English, and the Gutenberg books alone are longer than both.
# Threads start at different places of the file, so its parts must not stand in blocks.
cat "$work"/train.*.txt "$work"/train.wikipedia.txt "$work"/train.news2014.txt |
  shuf --random-source=<(yes) > "$work"/train.txt

# -maxn 0: whole words only, a spelling-based vector would put "there" next to "three".
# -t 1e-5: strong subsampling of frequent words, which leaves room for a wide window and more epochs.
# -dim 200: postprocess.py needs spare dimensions to drop.
common=(-input "$work"/train.txt -dim 200 -ws 8 -t 1e-5 -minCount 5 -maxn 0 -thread "$threads" -saveOutput)
"$fasttext" skipgram "${common[@]}" -neg 5 -epoch 6 -output "$work"/skipgram
"$fasttext" cbow "${common[@]}" -neg 10 -epoch 10 -output "$work"/cbow
