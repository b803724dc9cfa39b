// ε on a slider: logarithmic, and rounded to two significant digits as the server does it.

export const SMALLEST = 0.001;
export const LARGEST = 1000;
const STEPS_PER_DECADE = 100;

/** @param {number} value @returns {number} */
export function roundEpsilon(value) {
  return Number(Math.min(LARGEST, Math.max(SMALLEST, value)).toPrecision(2));
}

/** @param {number} position @returns {number} */
export function epsilonAt(position) {
  return roundEpsilon(SMALLEST * 10 ** (position / STEPS_PER_DECADE));
}

/** @param {number} epsilon @returns {number} */
export function positionOf(epsilon) {
  return Math.round(STEPS_PER_DECADE * Math.log10(epsilon / SMALLEST));
}

/**
 * `count` values from low to high, equally far apart on the slider, without repeats.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 * @returns {number[]}
 */
export function spread(low, high, count) {
  const ratio = (high / low) ** (1 / (count - 1));
  return [...new Set(Array.from({length: count}, (_, i) => roundEpsilon(low * ratio ** i)))];
}

/**
 * The middle of a range on the slider.
 * @param {{low: number, high: number}} range
 */
export function middle(range) {
  return roundEpsilon(Math.sqrt(range.low * range.high));
}
