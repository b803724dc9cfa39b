#!/usr/bin/env bash
# The model with phrases, sotto-en-phrases.
#
#     phrases.sh CORPUS_FOLDER WORK_FOLDER OUTPUT.safetensors
#
# CORPUS_FOLDER holds the five corpora as for prepare_corpus.py. SOTTO names the program, MODELS the folder with
# sotto-en-wordnet, whose words are the vocabulary. Needs about 2 GB of memory.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
corpora=$1 work=$2 output=$3
sotto=${SOTTO:-sotto}
models=${MODELS:-$here/..}

"$here"/clean_corpus.py "$corpora" "$work"

# The words of the other models, so the same are left out. A few more must not be part of a phrase, and a phrase is
# made of words of the vocabulary: these are harmless alone, but not what they stand beside.
"$sotto" model export "$models"/sotto-en-wordnet.safetensors -o "$work"/words.vec
tail -n +2 "$work"/words.vec | cut -d' ' -f1 |
  grep -vxE 'sex|sexual|sexually|sexuality|nude|nudity|naked|jew' > "$work"/words.txt

# Connectors inside: without them there would be no "point of view" and no "game of thrones".
"$sotto" collocations count "$work"/text.*.txt -o "$work"/phrases.safetensors --connectors inside --min-count 10 \
  --min-pmi 2.0 --quiet

# Wikipedia and the news stand twice in the training text, as for the other models. Threads start at different places
# of it, so its parts must not stand in blocks.
cat "$work"/text.*.txt "$work"/text.wikipedia.txt "$work"/text.news2014.txt |
  shuf --random-source=<(yes) > "$work"/corpus.txt

# 72,000 tokens of 200 dimensions in 8 bits are what 20 MB hold.
"$sotto" train vectors "$work"/corpus.txt --phrases "$work"/phrases.safetensors --method gst \
  --vocabulary "$work"/words.txt --min-count 20 --limit 72000 --algorithm cbow --dim 200 --epochs 4 --window 8 \
  --negatives 5 --subsampling 1e-5 --threads "${THREADS:-16}" --bits 8 --work "$work"/tokens -o "$output" \
  --metadata language=English \
  --metadata "corpus=Wikipedia, Project Gutenberg, IMDb, Reuters-21578, news summaries of 2014; see models/README.md" \
  --metadata "licence=see models/README.md for corpora and their licences"

# What the data sheet says about held-out text.
"$sotto" model export "$output" -o "$work"/model.vec
tail -n +2 "$work"/model.vec | cut -d' ' -f1 > "$work"/model_words.txt
for method in gst mst optimal; do
  echo "$method"
  for text in "$work"/heldout_text.*.txt; do
    "$sotto" collocations tokenize "$text" --phrases "$output" --method $method --quiet |
      "$here"/phrase_coverage.py "$work"/model_words.txt "$(basename "$text")"
  done
done
