import type { Logger, TaskGroup } from '@panel/kit/process';
import type { Services } from '../services.js';
import { Channel } from './channel.js';
import type { ConsoleSocket } from './console-socket.js';
import type { HistorySetting } from './history-setting.js';

interface ChannelsOptions {
  readonly services: Services;
  readonly historySetting: HistorySetting;
  readonly tasks: TaskGroup;
  readonly log: Logger;
  /** Closes sockets without access. */
  readonly recheck: (sockets: readonly ConsoleSocket[]) => Promise<void>;
}

export class Channels {
  readonly #open = new Map<string, { readonly channel: Channel; readonly sockets: Set<ConsoleSocket> }>();

  constructor(private readonly options: ChannelsOptions) {}

  sockets(): ConsoleSocket[] {
    return [...this.#open.values()].flatMap(({ sockets }) => [...sockets]);
  }

  join(socket: ConsoleSocket): void {
    const entry = this.#open.get(socket.serverId) ?? this.#start(socket.serverId);
    entry.sockets.add(socket);
    entry.channel.join(socket);
    socket.onClose(() => this.#leave(socket));
  }

  #start(serverId: string) {
    const { services, historySetting, tasks, log, recheck } = this.options;
    const sockets = new Set<ConsoleSocket>();
    const channel = new Channel({
      serverId,
      console: services.consoleStreams,
      historyLines: historySetting.lines,
      log,
      beforeResume: async () => recheck([...sockets]),
    });
    const entry = { channel, sockets };
    this.#open.set(serverId, entry);
    tasks.run(`console of ${serverId}`, async () => {
      await channel.run();
      // Ended: the next socket needs a new channel.
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

  /** The caller closes the sockets. */
  stop(): void {
    for (const { channel } of this.#open.values()) channel.stop();
  }
}
