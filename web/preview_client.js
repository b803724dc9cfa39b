// Previews from the service, with those that it could not reach in time.
/** @import {Preview, Setting} from './types.js' */

import {ApiError, ask} from './api.js';
import {pause} from './latest.js';

const MOST_RETRIES = 20;

/**
 * @param {Record<string, unknown>} body
 * @param {AbortSignal} signal
 * @returns {Promise<Preview>}
 */
async function patient(body, signal) {
  for (let tries = 0; ; ++tries) {
    try {
      return await ask('/v1/preview', body, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.retryAfter === 0 || tries === MOST_RETRIES) throw error;
      await pause(error.retryAfter * 1000, signal);
    }
  }
}

/**
 * Calls `show` with what there is so far, until everything is there.
 * @param {Record<string, unknown> & {epsilons: number[]}} body
 * @param {AbortSignal} signal
 * @param {(preview: Preview) => void} show
 */
export async function previews(body, signal, show) {
  let epsilons = body.epsilons;
  /** @type {Setting[]} */
  let settings = [];
  while (epsilons.length > 0) {
    const preview = await patient({...body, epsilons}, signal);
    settings = [...settings, ...preview.settings].sort((a, b) => a.epsilon - b.epsilon);
    show({...preview, settings});
    epsilons = preview.pending;
  }
}
