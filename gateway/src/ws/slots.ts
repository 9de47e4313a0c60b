import { fail } from '../reasons.js';

const retryAfterSeconds = 10;

export interface SlotLimits {
  readonly perServer: number;
  readonly perUser: number;
}

/** Places for sockets of this gateway: bounds what one server and one user can hold open. */
export class SocketSlots {
  readonly #taken = new Map<string, number>();

  constructor(private readonly limits: SlotLimits) {}

  /** Take a place; the result gives it back, once. Throws TOO_MANY_SOCKETS. */
  take(serverId: string, userId: string): () => void {
    const names: [string, number, string][] = [
      [`server ${serverId}`, this.limits.perServer, 'this server'],
      [`user ${userId}`, this.limits.perUser, 'you'],
    ];
    for (const [name, limit, whose] of names) {
      if ((this.#taken.get(name) ?? 0) < limit) continue;
      const message = `too many open consoles for ${whose}: close one, or try again in ${retryAfterSeconds} seconds`;
      throw fail('TOO_MANY_SOCKETS', message, { retryAfterSeconds });
    }
    for (const [name] of names) this.#add(name, 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const [name] of names) this.#add(name, -1);
    };
  }

  #add(name: string, change: number): void {
    const count = (this.#taken.get(name) ?? 0) + change;
    if (count === 0) this.#taken.delete(name);
    else this.#taken.set(name, count);
  }
}
