import type { MongoConnection } from '@panel/kit/mongo';

const housekeeping = new Set(['hello', 'ping', 'endSessions', 'createIndexes']);

/** Requires `monitorCommands`. */
export class TripCounter {
  readonly #depths = new Map<number, number>();
  #ended = 0;
  /** In sending order. */
  readonly commands: string[] = [];

  constructor(connection: MongoConnection) {
    const client = connection.getClient();
    client.on('commandStarted', ({ requestId, commandName, command }) => {
      if (housekeeping.has(commandName)) return;
      const depth = this.#ended + 1;
      this.#depths.set(requestId, depth);
      this.commands.push(`${depth} ${commandName} ${command[commandName]}`);
    });
    const end = ({ requestId }: { readonly requestId: number }) => {
      this.#ended = Math.max(this.#ended, this.#depths.get(requestId) ?? 0);
    };
    client.on('commandSucceeded', end);
    client.on('commandFailed', end);
  }

  /** Sequential trips: overlapping commands count as one. */
  get inRow(): number {
    return this.#ended;
  }

  reset(): void {
    this.#depths.clear();
    this.#ended = 0;
    this.commands.length = 0;
  }
}
