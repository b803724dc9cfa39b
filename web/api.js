// The service's own interface. The key is in this module's memory and nowhere else.

let key = '';

/** @param {string} value */
export function useKey(value) {
  key = value;
}

/** @returns {boolean} */
export function hasKey() {
  return key !== '';
}

/** An answer that is an error, or none at all (status 0). */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {number} retryAfter seconds; 0: trying again does not help
   */
  constructor(status, message, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/**
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
async function errorOf(response) {
  let message = `the server answered ${response.status}`;
  try {
    const {error} = await response.json();
    if (typeof error?.message === 'string')
      message = error.parameter && !error.message.startsWith(error.parameter) ? `${error.parameter}: ${error.message}` : error.message;
  } catch {
    // An answer without JSON says nothing more.
  }
  const retryAfter = Number(response.headers.get('retry-after')) || (response.status === 503 ? 1 : 0);
  return new ApiError(response.status, message, retryAfter);
}

/**
 * @param {string} path
 * @param {unknown} [body] makes it a POST
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(path, body, signal) {
  /** @type {Record<string, string>} */
  const headers = {accept: 'application/json'};
  if (key) headers.authorization = `Bearer ${key}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  let response;
  try {
    response = await fetch(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: 'omit',
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'the server does not answer');
  }
  if (!response.ok) throw await errorOf(response);
  return response.json();
}
