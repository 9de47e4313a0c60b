import { setTimeout as wait } from 'node:timers/promises';
import type { Actor } from '@panel/rpc';
import type { Logger } from '@panel/kit/process';
import { accessTo, allows } from '../domain/servers/access.js';
import { type GameServer, isInstalling } from '../domain/servers/server.js';
import type { ConsoleAnchor, ConsoleStore, InstallLogLine } from '../models/console/console.js';
import type { ServerState } from '../models/servers/server.js';
import type { Runtime } from '@panel/runtime';
import { ServerConsole } from './server-console.js';
import type { Subscriber } from './subscriber.js';

/** For unwatched, stopped servers. */
const forgetAfterMs = 10 * 60_000;

/** For this replica's nodes. */
export class ConsoleHub {
  readonly #consoles = new Map<string, ServerConsole>();
  readonly #savedAnchors = new Map<string, ConsoleAnchor>();

  constructor(
    private readonly store: ConsoleStore,
    private readonly log: Logger,
    private readonly onLine: (serverId: string, generation: number, text: string) => void,
  ) {}

  console(serverId: string): ServerConsole {
    let console = this.#consoles.get(serverId);
    if (!console) {
      console = new ServerConsole(serverId, this.log, this.onLine);
      this.#consoles.set(serverId, console);
    }
    return console;
  }

  find(serverId: string): ServerConsole | undefined {
    return this.#consoles.get(serverId);
  }

  /** No-op for runs already read. Line numbers continue after a restart. */
  async attach(
    runtime: Runtime,
    runs: readonly { readonly serverId: string; readonly generation: number }[],
  ): Promise<void> {
    const missing = runs.filter(({ serverId, generation }) => !this.find(serverId)?.isReading(generation));
    if (missing.length === 0) return;
    const anchors = await this.store.anchors(missing.map(({ serverId }) => serverId));
    const byServer = new Map(anchors.map((anchor) => [anchor.serverId, anchor]));
    for (const { serverId, generation } of missing) {
      this.console(serverId).attach(runtime, generation, byServer.get(serverId) ?? null);
    }
    await this.saveAnchors();
  }

  async saveAnchors(): Promise<void> {
    const changed = [...this.#consoles.values()]
      .map((console) => console.anchor())
      .filter((anchor) => anchor !== null)
      .filter((anchor) => !isSame(anchor, this.#savedAnchors.get(anchor.serverId)));
    await this.store.saveAnchors(changed);
    for (const anchor of changed) this.#savedAnchors.set(anchor.serverId, anchor);
  }

  /** The caller unsubscribes at its end. */
  async subscribe(
    actor: Actor,
    server: GameServer,
    historyLines: number,
  ): Promise<{ subscriber: Subscriber; leave: () => void }> {
    const log: readonly InstallLogLine[] = isInstalling(server) ? ((await this.store.log(server.id))?.lines ?? []) : [];
    const console = this.console(server.id);
    const subscriber = console.subscribe(actor, server, historyLines, log);
    return { subscriber, leave: () => console.unsubscribe(subscriber) };
  }

  watched(): string[] {
    return [...this.#consoles.values()].filter(({ isWatched }) => isWatched).map(({ serverId }) => serverId);
  }

  /** Applies changes by other replicas to watched servers. */
  review(serverIds: readonly string[], states: readonly ServerState[]): void {
    const byId = new Map(states.map((state) => [state.id, state]));
    for (const serverId of serverIds) {
      const console = this.find(serverId);
      const state = byId.get(serverId);
      if (!console) continue;
      if (!state) {
        console.endAll('deleted');
        continue;
      }
      console.observe(state);
      console.endWhere((actor) => !mayWatch(state, actor), 'forbidden');
    }
  }

  forget(serverId: string): void {
    const console = this.#consoles.get(serverId);
    console?.endAll('deleted');
    console?.detach();
    this.#consoles.delete(serverId);
    this.#savedAnchors.delete(serverId);
  }

  sweep(): void {
    for (const [serverId, console] of this.#consoles) {
      if (console.idleMs() < forgetAfterMs) continue;
      this.#consoles.delete(serverId);
      this.#savedAnchors.delete(serverId);
    }
  }

  /** At shutdown; waits 1 s at most. */
  async closeAll(): Promise<void> {
    const consoles = [...this.#consoles.values()];
    this.close(consoles.map(({ serverId }) => serverId));
    const until = performance.now() + 1_000;
    while (consoles.some(({ isWatched }) => isWatched) && performance.now() < until) await wait(10);
  }

  /** For servers that another replica takes over. */
  close(serverIds: readonly string[]): void {
    for (const serverId of serverIds) {
      const console = this.find(serverId);
      console?.endAll('restarting');
      console?.detach();
      this.#consoles.delete(serverId);
      this.#savedAnchors.delete(serverId);
    }
  }
}

function mayWatch(state: ServerState, actor: Actor): boolean {
  const access = accessTo(state, actor);
  return access !== null && allows(access, 'websocket.connect');
}

function isSame(a: ConsoleAnchor, b: ConsoleAnchor | undefined): boolean {
  return a.generation === b?.generation && a.cursor === b.cursor && a.sequence === b.sequence;
}
