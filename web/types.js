// What the service answers, as far as the page reads it.

/**
 * @typedef {object} Mechanism
 * @property {string} name
 * @property {string} summary
 * @property {string} guarantee
 * @property {string} use_when
 * @property {string} default_model
 * @property {{name: string}[]} parameters
 * @property {{low: number, high: number} | null} useful_epsilon
 *
 * @typedef {object} Model
 * @property {string} name
 * @property {string} [kind] of a language model
 *
 * @typedef {object} Token
 * @property {number} begin
 * @property {number} end
 * @property {'word' | 'number' | 'punctuation' | 'other'} kind
 * @property {string} in
 * @property {boolean} clear
 * @property {number} sentence
 *
 * @typedef {object} Guarantee
 * @property {'certified' | 'analytic' | 'none'} kind
 * @property {string} scope
 * @property {string} unit
 * @property {boolean} pure
 * @property {string} metric
 * @property {number} epsilon
 * @property {number} additive
 * @property {string} statement
 *
 * @typedef {object} Setting
 * @property {number} epsilon
 * @property {string} text
 * @property {boolean} aligned
 * @property {string[]} out
 * @property {boolean[]} changed
 * @property {number | null} kept
 * @property {number | null} similarity
 * @property {number} draws
 * @property {Guarantee} guarantee
 * @property {{token: number, sentence: number | null, document: number, additive: number} | null} loss
 * @property {{success: number, blind_success: number, candidates: number} | null} attacker
 *
 * @typedef {object} Preview
 * @property {string} mechanism
 * @property {string} model
 * @property {'word by word' | 'masked' | 'generated'} kind
 * @property {Token[]} tokens
 * @property {Setting[]} settings
 * @property {number[]} pending
 * @property {{nearest_neighbour: number, random_pair: number} | null} typical_distances
 *
 * @typedef {object} Explanation
 * @property {string} word
 * @property {boolean} exact
 * @property {number} draws
 * @property {number} n_w
 * @property {number} s_w
 * @property {number} words_for_95_percent
 * @property {{path: string, word?: string}} [enters_as]
 * @property {{word: string, probability: number}[]} top
 *
 * @typedef {object} Choice what the page's controls say
 * @property {string} text
 * @property {string} mechanism
 * @property {string} model
 * @property {string} policy
 * @property {number} epsilon
 * @property {number} draw
 */
export {};
