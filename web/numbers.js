// Figures as people read them.

const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});

/** @param {number} value @returns {string} */
export function count(value) {
  return whole.format(value);
}

/** @param {number} share @returns {string} */
export function percent(share) {
  const value = share * 100;
  if (value === 0 || value === 100) return `${value}%`;
  if (value < 0.1) return 'below 0.1%';
  if (value > 99.9) return 'above 99.9%';
  return `${value < 1 || value > 99 ? value.toFixed(1) : value.toFixed(0)}%`;
}

/**
 * A unit without the digest of its model, which identifies it but reads like noise.
 * @param {string} unit
 */
export function readableUnit(unit) {
  return unit.replace(/ of model [0-9a-f]{64}/, '').replace(/\bepsilon\b/, 'ε');
}

/** @param {number} value @returns {string} */
export function figure(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) {
    const [digits, exponent] = value.toExponential(1).split('e');
    return `${digits}·10${superscript(Number(exponent))}`;
  }
  if (size >= 1000) return whole.format(value);
  return String(Number(value.toPrecision(3)));
}

/** @param {number} value @returns {string} */
function superscript(value) {
  return String(value).replace(/[-0-9]/g, (c) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]);
}

/**
 * e to the power of a loss. A factor is rounded up: a promise must not read as more than it is.
 * @param {number} loss
 * @returns {string}
 */
export function factor(loss) {
  if (loss < Math.log(1000)) {
    const value = Math.exp(loss);
    const digits = Math.max(0, 1 - Math.floor(Math.log10(value)));
    return String(Math.ceil(value * 10 ** digits - 1e-9) / 10 ** digits);
  }
  return `10${superscript(Math.ceil(loss / Math.LN10))}`;
}
