import { assertNever, isAppError } from '@panel/kit/errors';
import type { GameServer } from '../domain/servers/server.js';
import { parseStop } from '../domain/eggs/stop.js';
import type { Instance, Runtime } from '@panel/runtime';
import type { GameDeps } from './dependencies.js';
import { describeTime } from './describe-time.js';
import type { PowerLease } from './power-lease.js';

const noticeMs = 60_000;

/**
 * By its egg's stop, or a kill after the grace. Resolves when it does not run, or a later run has started. Throws
 * LEASE_LOST, NODE_UNREACHABLE.
 */
export async function stopGame(
  { exits, hub, log, failpoint }: Pick<GameDeps, 'exits' | 'hub' | 'log' | 'failpoint'>,
  lease: Pick<PowerLease, 'check'>,
  server: Pick<GameServer, 'id' | 'egg'>,
  runtime: Runtime,
  graceMs: number,
): Promise<void> {
  await lease.check();
  const instance = await runtime.inspect(server.id);
  if (instance?.state !== 'running') return;
  try {
    // A halted game gets the stop too late to save.
    if (instance.isPaused) await runtime.resume(server.id);
    await requestStop(server, runtime);
    failpoint('stop.asked');
    if (await waitForEnd({ exits, hub }, server, instance, runtime, graceMs)) return;
    hub.find(server.id)?.notice(`the server did not stop within ${describeTime(graceMs)} and is killed`);
  } catch (error) {
    if (isAppError(error, 'INSTANCE_NOT_FOUND')) return;
    if (isAppError(error, 'NODE_UNREACHABLE')) throw error;
    log.warn({ err: error, serverId: server.id }, 'a game cannot be asked to stop; it is killed');
  }
  // It may be another worker's run.
  await lease.check();
  await runtime.kill(server.id);
}

/** True if the game ended. Prints the wait, then each minute. */
async function waitForEnd(
  { exits, hub }: Pick<GameDeps, 'exits' | 'hub'>,
  server: Pick<GameServer, 'id' | 'egg'>,
  run: Instance,
  runtime: Runtime,
  graceMs: number,
): Promise<boolean> {
  const notice = (text: string) => hub.find(server.id)?.notice(text);
  const grace = describeTime(graceMs);
  notice(
    `${describeStop(server)} was sent: waiting up to ${grace} for the server to save and end; kill ends it at once`,
  );
  const until = performance.now() + graceMs;
  for (let waitedMs = 0; ; waitedMs += noticeMs) {
    if (waitedMs > 0) notice(`still waiting for the server to end: ${describeTime(waitedMs)} of ${grace}`);
    const leftMs = Math.max(0, until - performance.now());
    if (await exits.wait(run, runtime, Math.min(leftMs, noticeMs))) return true;
    if (performance.now() >= until) return false;
  }
}

function describeStop({ egg }: Pick<GameServer, 'egg'>): string {
  const method = parseStop(egg.config.stop);
  return method.kind === 'command' ? `the command "${method.command}"` : method.signal;
}

async function requestStop(server: Pick<GameServer, 'id' | 'egg'>, runtime: Runtime): Promise<void> {
  const method = parseStop(server.egg.config.stop);
  switch (method.kind) {
    case 'command':
      return runtime.writeInput(server.id, `${method.command}\n`);
    case 'signal':
      return runtime.signal(server.id, method.signal);
    default:
      return assertNever(method);
  }
}
