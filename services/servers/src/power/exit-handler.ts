import { judgeExit } from '../domain/crash-policy.js';
import type { GameServer } from '../domain/server.js';
import type { Instance, Runtime } from '../runtime/runtime.js';
import type { GameDeps } from './deps.js';

export interface GameExit {
  /** Null when nobody knows: the instance is gone, or the machine was restarted. */
  readonly exitCode: number | null;
  readonly outOfMemory: boolean;
}

/** Decides what follows when a game has ended: nothing, a restart, or giving up. */
export class ExitHandler {
  constructor(private readonly deps: GameDeps) {}

  /** A game has ended. Ends that somebody asked for are theirs to finish. */
  async handle(serverId: string, exit: GameExit): Promise<void> {
    const { servers, hub, settings, exits } = this.deps;
    exits.emit(serverId);
    const server = await servers.get(serverId);
    if (!server || server.power.state === 'offline' || isLocked(server)) return;
    const console = hub.find(serverId);
    await console?.readToEnd(2_000);
    const { generation } = server.power;
    if (server.power.state === 'stopping' || server.suspended || server.operation) {
      await servers.power.markEnded(serverId, generation, null);
      return;
    }
    const facts = { exitCode: exit.exitCode ?? -1, outOfMemory: exit.outOfMemory };
    const verdict = judgeExit(server.crash, facts, settings.crash, new Date());
    if (verdict.kind === 'ended') {
      console?.notice('the server has ended');
      await servers.power.markEnded(serverId, generation, null, 'offline');
      return;
    }
    this.deps.log.info({ serverId, ...exit, verdict: verdict.kind }, 'a game ended by itself');
    const next =
      verdict.kind === 'restart' ? `restarting in ${verdict.delayMs / 1000} s` : 'too many crashes, it stays offline';
    console?.notice(`the server ended by itself (${describe(exit)}): ${next}`);
    const desired = verdict.kind === 'restart' ? undefined : 'offline';
    await servers.power.markEnded(serverId, generation, verdict.state, desired);
  }

  /** A game that ends before its start let go of the lock was not heard of by `handle`: look once. */
  async checkAfterStart(serverId: string, runtime: Runtime): Promise<void> {
    const instance = await runtime.inspect(serverId);
    if (instance?.state !== 'running') await this.handle(serverId, exitOf(instance));
  }
}

export function exitOf(instance: Instance | null): GameExit {
  if (instance?.state !== 'exited') return { exitCode: null, outOfMemory: false };
  return { exitCode: instance.exitCode, outOfMemory: instance.outOfMemory };
}

function isLocked({ power }: GameServer): boolean {
  return power.lock !== null && power.lock.expiresAt.getTime() > Date.now();
}

function describe({ exitCode, outOfMemory }: GameExit): string {
  if (outOfMemory) return 'out of memory';
  return exitCode === null ? 'nobody saw how' : `exit code ${exitCode}`;
}
