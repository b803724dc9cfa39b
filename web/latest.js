// Work that is superseded by newer work: only the last call counts.

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

export class Latest {
  /** @param {number} delay milliseconds to wait for a newer call */
  constructor(delay) {
    this.delay = delay;
    /** @type {AbortController | null} */
    this.current = null;
  }

  cancel() {
    this.current?.abort();
  }

  /**
   * Runs `work` unless another call comes first. What a newer call aborts ends silently.
   * @param {(signal: AbortSignal) => Promise<void>} work
   * @param {(error: unknown) => void} failed
   */
  async run(work, failed) {
    this.cancel();
    const controller = new AbortController();
    this.current = controller;
    try {
      await pause(this.delay, controller.signal);
      await work(controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) failed(error);
    }
  }
}
