import { type Logger, type TaskGroup } from '@panel/kit';
import type { Services } from '../services.js';
import { Channel } from './channel.js';
import type { ConsoleSocket } from './console-socket.js';
import type { HistorySetting } from './history-setting.js';

export interface ChannelsOptions {
  readonly services: Services;
  readonly historySetting: HistorySetting;
  readonly tasks: TaskGroup;
  readonly log: Logger;
  /** Look again at the rights of these sockets, and close those that have none. */
  readonly recheck: (sockets: readonly ConsoleSocket[]) => Promise<void>;
}

/** The channels that have sockets, by server. A channel begins with its first socket and ends with its last. */
export class Channels {
  readonly #open = new Map<string, { readonly channel: Channel; readonly sockets: Set<ConsoleSocket> }>();

  constructor(private readonly options: ChannelsOptions) {}

  /** All open sockets. */
  sockets(): ConsoleSocket[] {
    return [...this.#open.values()].flatMap(({ sockets }) => [...sockets]);
  }

  join(socket: ConsoleSocket): void {
    const entry = this.#open.get(socket.serverId) ?? this.#begin(socket.serverId);
    entry.sockets.add(socket);
    entry.channel.join(socket);
    socket.onClose(() => this.#leave(socket));
  }

  #begin(serverId: string) {
    const { services, historySetting, tasks, log, recheck } = this.options;
    const sockets = new Set<ConsoleSocket>();
    const channel = new Channel({
      serverId,
      console: services.consoleStreams,
      historyLines: historySetting.now(),
      log,
      beforeResume: async () => recheck([...sockets]),
    });
    const entry = { channel, sockets };
    this.#open.set(serverId, entry);
    tasks.run(`console of ${serverId}`, async () => {
      await channel.run();
      // It ended by itself: whoever comes next begins anew.
      if (this.#open.get(serverId) === entry) this.#open.delete(serverId);
    });
    return entry;
  }

  #leave(socket: ConsoleSocket): void {
    const entry = this.#open.get(socket.serverId);
    if (!entry?.sockets.delete(socket)) return;
    entry.channel.leave(socket);
    if (entry.sockets.size > 0) return;
    entry.channel.stop();
    this.#open.delete(socket.serverId);
  }

  /** End all streams; the sockets are closed by whoever calls this. */
  stop(): void {
    for (const { channel } of this.#open.values()) channel.stop();
  }
}
