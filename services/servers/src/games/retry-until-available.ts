import { pause } from '@panel/kit/async';
import type { GameServer, PowerAction } from '../domain/servers/server.js';
import { fail } from '../reasons.js';
import type { GameDeps } from './dependencies.js';
import { describeTime } from './describe-time.js';
import { isTransient, nameOfUnavailable } from './dependency-unavailable.js';
import type { PowerLease } from './power-lease.js';

const retryMs = 1_000;

interface AcceptedStart {
  readonly server: GameServer;
  readonly lease: PowerLease;
  readonly action: PowerAction;
  readonly stopping: AbortSignal;
}

/**
 * Repeats a requested start while a dependency is unavailable, until START_TIMEOUT after its acceptance. Meanwhile a stop or
 * kill takes the lease. Starts of the panel's own are tried once. Throws START_TIMED_OUT, LEASE_LOST, and the errors of
 * `start`.
 */
export async function retryUntilAvailable(
  deps: Pick<GameDeps, 'servers' | 'hub' | 'clock' | 'log' | 'settings'>,
  { server, lease, action, stopping }: AcceptedStart,
  start: (server: GameServer) => Promise<void>,
): Promise<void> {
  const { servers, hub, clock, log, settings } = deps;
  const requestedAt = requestedAtOf(server);
  const limit = describeTime(settings.startTimeoutMs);
  let current = server;
  for (let tries = 1; ; tries++) {
    try {
      return await start(current);
    } catch (error) {
      if (!isTransient(error) || requestedAt === null || stopping.aborted) throw error;
      const absent = nameOfUnavailable(error);
      if (clock().getTime() - requestedAt.getTime() >= settings.startTimeoutMs)
        throw fail('START_TIMED_OUT', `${absent.toLowerCase()} did not answer for ${limit}`, {}, { cause: error });
      if (tries === 1) {
        log.warn({ err: error, serverId: server.id, action }, 'a power action waits for what is away');
        hub.console(server.id).notice(`${absent} does not answer: the ${action} is tried again for up to ${limit}`);
      }
    }
    const waiting = await servers.power.waitToStart(server.id, lease.id);
    if (!waiting) throw fail('LEASE_LOST', 'another power action has taken over', { server_id: server.id });
    current = waiting;
    await pause(retryMs, stopping);
    if (stopping.aborted) throw stopping.reason;
    await lease.check();
  }
}

/** Null: no user has requested it. */
function requestedAtOf({ power, powerOperations }: GameServer): Date | null {
  const id = power.lease?.operationId;
  if (id === undefined) return null;
  return powerOperations?.find((operation) => operation.id === id)?.startedAt ?? null;
}
