import { setTimeout as wait } from 'node:timers/promises';
import type { TaskGroup } from '@panel/kit/process';
import { createDoneMatcher, type DoneMatcher } from '../domain/eggs/done.js';
import type { ServerStore } from '../models/servers/server.js';

/** Lines kept until the egg is loaded. */
const maxWaiting = 5_000;
const retryMs = 20;

type Watch =
  | { readonly generation: number; readonly step: 'loading'; readonly lines: string[] }
  | { readonly generation: number; readonly step: 'waiting'; readonly matcher: DoneMatcher }
  | { readonly generation: number; readonly step: 'done' };

export class ReadyDetector {
  readonly #watches = new Map<string, Watch>();

  constructor(
    private readonly servers: Pick<ServerStore, 'get' | 'power' | 'states'>,
    private readonly tasks: TaskGroup,
  ) {}

  onLine(serverId: string, generation: number, text: string): void {
    const watch = this.#watches.get(serverId);
    if (watch?.generation !== generation) {
      this.#watches.set(serverId, { generation, step: 'loading', lines: [text] });
      this.tasks.run('console.egg', () => this.#load(serverId, generation));
    } else if (watch.step === 'loading' && watch.lines.length < maxWaiting) watch.lines.push(text);
    else if (watch.step === 'waiting' && watch.matcher.matches(text)) this.#markRunning(serverId, generation);
  }

  forget(serverId: string): void {
    this.#watches.delete(serverId);
  }

  async #load(serverId: string, generation: number): Promise<void> {
    const server = await this.servers.get(serverId);
    const watch = this.#watches.get(serverId);
    if (watch?.generation !== generation || watch.step !== 'loading') return;
    if (server?.power.state !== 'starting' || server.power.generation !== generation) {
      this.#watches.set(serverId, { generation, step: 'done' });
      return;
    }
    const matcher = createDoneMatcher(server.egg.config);
    if (watch.lines.some((line) => matcher.matches(line))) this.#markRunning(serverId, generation);
    else this.#watches.set(serverId, { generation, step: 'waiting', matcher });
  }

  #markRunning(serverId: string, generation: number): void {
    this.#watches.set(serverId, { generation, step: 'done' });
    this.tasks.run('console.ready', (signal) => this.#untilMarked(serverId, generation, signal));
  }

  /** A fast game is ready before its start releases the lease: clients that see "running" must be able to stop it. */
  async #untilMarked(serverId: string, generation: number, signal: AbortSignal): Promise<void> {
    while (!(await this.servers.power.markRunning(serverId, generation))) {
      const [state] = await this.servers.states([serverId]);
      if (state?.power.state !== 'starting' || state.power.generation !== generation) return;
      await wait(retryMs, undefined, { signal });
    }
  }
}
