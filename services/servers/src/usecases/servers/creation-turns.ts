import { type ConcurrencyLimiter, createConcurrencyLimiter } from '@panel/kit/async';
import type { CallContext } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { requireAccess } from '../../domain/servers/access.js';

const retryAfterSeconds = 1;

/** `run` throws RATE_LIMIT_EXCEEDED when too many wait. */
export function createTurns({
  concurrency,
  maxWaiting,
}: {
  readonly concurrency: number;
  readonly maxWaiting: number;
}): ConcurrencyLimiter {
  const refusal = () => fail('RATE_LIMIT_EXCEEDED', 'too much is being created here at once', { retryAfterSeconds });
  return createConcurrencyLimiter({ concurrency, queue: { maxWaiting, refusal } });
}

/**
 * Lets few tasks of one key run at a time. Many writes of one document conflict, and each conflict is a try again that takes the
 * database from everybody else: in a row they are done sooner, and others do not notice.
 */
export class CreationTurns {
  readonly #turns = new Map<string, ConcurrencyLimiter>();

  constructor(private readonly limits: Parameters<typeof createTurns>[0]) {}

  /** As `createTurns`, for each key. */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turns = this.#turns.get(key) ?? createTurns(this.limits);
    this.#turns.set(key, turns);
    try {
      return await turns.run(task, signal);
    } finally {
      if (turns.isIdle) this.#turns.delete(key);
    }
  }
}

/** One creation for a server after the other, of those who may create something there. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, and as `run`. */
export async function createInTurn<T>(
  context: Pick<ServersContext, 'stores' | 'creationTurns'>,
  serverId: string,
  call: CallContext,
  task: () => Promise<T>,
): Promise<T> {
  // Before it waits: who has no access takes no place. One read for all who come at the same time.
  requireAccess(await context.stores.servers.getJoined(serverId), call);
  return context.creationTurns.run(serverId, task, call.signal);
}
