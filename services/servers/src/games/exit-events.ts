import type { Instance, Runtime } from '@panel/runtime';

const pollMs = 500;

/** By the node's watcher, and by polls of the engine. */
export class ExitEvents {
  readonly #waiting = new Map<string, Set<() => void>>();

  emit(serverId: string): void {
    for (const wake of this.#waiting.get(serverId) ?? []) wake();
  }

  /** True if this run ended in time; a later run is another one. Throws the engine's errors. */
  async wait(run: Pick<Instance, 'serverId' | 'generation'>, runtime: Runtime, timeoutMs: number): Promise<boolean> {
    const { serverId, generation } = run;
    const until = performance.now() + timeoutMs;
    for (;;) {
      const instance = await runtime.inspect(serverId);
      if (instance?.state !== 'running' || instance.generation !== generation) return true;
      const left = until - performance.now();
      if (left <= 0) return false;
      await this.#wakeOrTimeout(serverId, Math.min(left, pollMs));
    }
  }

  async #wakeOrTimeout(serverId: string, ms: number): Promise<void> {
    const waiting = this.#waiting.get(serverId) ?? new Set();
    this.#waiting.set(serverId, waiting);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(wake, ms);
      function wake() {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      }
      waiting.add(wake);
    });
    if (waiting.size === 0) this.#waiting.delete(serverId);
  }
}
