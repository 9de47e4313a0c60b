import { assertNever } from '@panel/kit/errors';
import { type CrashDecision, evaluateExit } from '../domain/power/crash-policy.js';
import { runSettingsOf } from '../domain/servers/run-settings.js';
import { isPowerLeased } from '../domain/power/power-transitions.js';
import type { Instance, Runtime } from '@panel/runtime';
import type { GameDeps } from './dependencies.js';

export interface GameExit {
  readonly generation: number;
  /** Null: instance removed, or machine restarted. */
  readonly exitCode: number | null;
  readonly outOfMemory: boolean;
  /** By the engine or its operator. */
  readonly isEndedFromOutside: boolean;
}

/** Decides after an exit: nothing, a restart, or offline. */
export class ExitHandler {
  constructor(private readonly deps: GameDeps) {}

  /** Ignores earlier runs, and requested stops, which finish themselves. */
  async handle(serverId: string, exit: GameExit): Promise<void> {
    const { servers, hub, settings, exits } = this.deps;
    exits.emit(serverId);
    const server = await servers.get(serverId);
    const { generation } = exit;
    if (
      server?.power.generation !== generation ||
      server.power.state === 'offline' ||
      isPowerLeased(server.power, this.deps.clock())
    )
      return;
    const console = hub.find(serverId);
    await console?.readToEnd(2_000);
    if (server.power.state === 'stopping' || server.suspended || server.operation) {
      await servers.power.markEnded(serverId, generation, null);
      return;
    }
    const isNeverStarted = runSettingsOf(server).autoStart === 'never';
    const facts = { ...exit, exitCode: exit.exitCode ?? -1, isNeverStarted };
    const decision = evaluateExit(server.crash, facts, settings.crash, this.deps.clock());
    if (decision.kind === 'ended') {
      const ended = await servers.power.markEnded(serverId, generation, null, 'offline');
      if (ended) console?.notice('the server has ended');
      return;
    }
    // Engine event, reconciliation and start check may race: the writer reports.
    const desired = decision.kind === 'restart' ? undefined : 'offline';
    if (!(await servers.power.markEnded(serverId, generation, decision.state, desired))) return;
    this.deps.log.info({ serverId, ...exit, decision: decision.kind }, 'a game ended that nobody stopped');
    await this.deps.activity.record({ event: 'server:crashed', serverId, properties: { how: describe(exit) } }, null);
    this.deps.triggers.fire(serverId, 'server_crashed');
    const next = describeDecision(decision);
    const how = exit.isEndedFromOutside ? 'was ended from outside of the panel' : 'ended by itself';
    console?.notice(`the server ${how} (${describe(exit)}): ${next}`);
  }

  /** `handle` ignores games that end before their start releases the lease. */
  async checkAfterStart(serverId: string, generation: number, runtime: Runtime): Promise<void> {
    const instance = await runtime.inspect(serverId);
    if (instance?.state !== 'running') await this.handle(serverId, exitOf(instance, generation));
  }
}

/** `wasUnreachable`: it ended unobserved, the cause is unknown. */
export function exitOf(instance: Instance | null, generation: number, wasUnreachable = false): GameExit {
  if (instance?.state !== 'exited') return { generation, exitCode: null, outOfMemory: false, isEndedFromOutside: true };
  const { exitCode, outOfMemory } = instance;
  return { generation, exitCode, outOfMemory, isEndedFromOutside: wasUnreachable && !outOfMemory };
}

function describeDecision(decision: Exclude<CrashDecision, { kind: 'ended' }>): string {
  switch (decision.kind) {
    case 'restart':
      return `restarting in ${decision.delayMs / 1000} s`;
    case 'give_up':
      return 'too many crashes, it stays offline';
    case 'left_offline':
      return 'it stays offline (auto-start: never)';
    default:
      return assertNever(decision);
  }
}

function describe({ exitCode, outOfMemory }: GameExit): string {
  if (outOfMemory) return 'out of memory';
  return exitCode === null ? 'nobody saw how' : `exit code ${exitCode}`;
}
