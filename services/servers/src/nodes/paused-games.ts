import { isAppError } from '@panel/kit/errors';
import type { NodeDeps } from './dependencies.js';
import type { Instance, Runtime } from '@panel/runtime';

/** An engine pauses a game for an image; longer pauses are resumed. */
const resumeAfterMs = 10_000;

/** Resumes games paused on the engine: they are down for players, and nothing else reports it. */
export class PausedGames {
  readonly #since = new Map<string, number>();

  constructor(private readonly deps: Pick<NodeDeps, 'hub' | 'log'>) {}

  saw(serverId: string): void {
    if (this.#since.has(serverId)) return;
    this.#since.set(serverId, performance.now());
    this.deps.hub.console(serverId).notice('the server was paused from outside of the panel');
  }

  /** Takes all instances of the engine. */
  async review(runtime: Runtime, instances: readonly Instance[]): Promise<void> {
    const paused = instances.filter((instance) => instance.state === 'running' && instance.isPaused);
    const ids = new Set(paused.map(({ serverId }) => serverId));
    for (const serverId of this.#since.keys()) if (!ids.has(serverId)) this.#since.delete(serverId);
    for (const serverId of ids) await this.#resume(runtime, serverId);
  }

  async #resume(runtime: Runtime, serverId: string): Promise<void> {
    this.saw(serverId);
    if (performance.now() - (this.#since.get(serverId) ?? Infinity) < resumeAfterMs) return;
    try {
      await runtime.resume(serverId);
      this.#since.delete(serverId);
      this.deps.hub.console(serverId).notice('the server goes on');
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.deps.log.warn({ err: error, serverId }, 'a paused game cannot be made to go on');
    }
  }
}
