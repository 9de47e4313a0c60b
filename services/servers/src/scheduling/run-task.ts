import { raceAbort } from '@panel/kit/async';
import { assertNever, isAppError } from '@panel/kit/errors';
import { ignoredFilesOf, isPowerAction, type ScheduleTask } from '../domain/schedules/schedule.js';
import { taskTimeoutMs } from '../domain/schedules/run.js';
import { isExceeded } from '../domain/servers/command-quota.js';
import { describeFailure } from '../domain/servers/describe-failure.js';
import type { GameServer, PowerAction } from '../domain/servers/server.js';
import { fail } from '../reasons.js';
import type { CommandLimiter } from '../console/command-limiter.js';
import type { StartBackup } from './dependencies.js';

export interface TaskDeps {
  readonly commandLimiter: Pick<CommandLimiter, 'countCommand'>;
  readonly startBackup: StartBackup;
  readonly requestPower: (server: GameServer, action: PowerAction) => Promise<unknown>;
  readonly sendCommand: (server: GameServer, command: string) => Promise<void>;
}

const maxErrorLength = 300;

/** Resolves at acceptance. Throws the errors of the API request, TASK_TIMEOUT. */
export async function runTask(
  deps: TaskDeps,
  server: GameServer,
  task: ScheduleTask,
  about: { readonly scheduleName: string; readonly authorId: string },
): Promise<void> {
  const timeout = AbortSignal.timeout(taskTimeoutMs);
  try {
    await raceAbort(executeTask(deps, server, task, about), timeout);
  } catch (error) {
    if (!timeout.aborted || isAppError(error)) throw error;
    throw fail('TASK_TIMEOUT', `the task took longer than ${taskTimeoutMs / 1000} seconds`, {}, { cause: error });
  }
}

async function executeTask(
  deps: TaskDeps,
  server: GameServer,
  { action, payload }: ScheduleTask,
  { scheduleName, authorId }: { readonly scheduleName: string; readonly authorId: string },
): Promise<void> {
  switch (action) {
    case 'command':
      await countCommand(deps, server.id);
      return deps.sendCommand(server, payload);
    case 'power':
      return power(deps, server, payload);
    case 'backup':
      return deps.startBackup({
        server,
        name: scheduleName,
        ignoredFiles: ignoredFilesOf(payload),
        requestedBy: authorId,
      });
    default:
      return assertNever(action);
  }
}

async function countCommand({ commandLimiter }: TaskDeps, serverId: string): Promise<void> {
  if (!isExceeded(await commandLimiter.countCommand(serverId))) return;
  throw fail('SERVER_RATE_LIMITED', 'the server has used up its console commands of this minute');
}

/** A server already in the state is no failure: no user waits. */
async function power(deps: TaskDeps, server: GameServer, action: string): Promise<void> {
  if (!isPowerAction(action)) throw new TypeError(`${action} is no power action`);
  try {
    await deps.requestPower(server, action);
  } catch (error) {
    if (!isAppError(error, 'ALREADY_RUNNING', 'ALREADY_OFFLINE')) throw error;
  }
}

/** For the run history. */
export function errorText(error: unknown): string {
  return describeFailure(error).slice(0, maxErrorLength);
}
