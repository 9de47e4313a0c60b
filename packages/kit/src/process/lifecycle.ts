import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from './config.js';
import { AppError, isAppError, messageOf } from '../errors/errors.js';
import type { Logger } from './logger.js';

export interface RunningProcess {
  /** Listen addresses, for the launcher. */
  readonly addresses: { readonly listen: string; readonly metrics: string; readonly [name: string]: string };
  readonly log: Logger;
  /** Stops in order; the process then exits. */
  stop(): Promise<void>;
}

/** To the hard exit. A container's grace period must be longer. */
const stopGraceMs = 9_000;

/**
 * Starts, notifies the parent (IPC), runs until SIGTERM, SIGINT or the parent's death, stops, exits. A start failure
 * that an operator can fix prints one line and exits 1; a defect prints its stack. An uncaught exception ends the
 * process, because its state is unreliable.
 */
export async function runProcess(name: string, start: () => Promise<RunningProcess>): Promise<void> {
  let running: RunningProcess;
  try {
    running = await start();
  } catch (error) {
    process.stderr.write(`${name}: ${startFailure(error)}\n`);
    process.exit(1);
  }
  const { log } = running;
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception, exiting');
    process.exit(70);
  });
  process.on('unhandledRejection', (reason) => {
    log.fatal({ err: reason }, 'unhandled rejection, exiting');
    process.exit(70);
  });
  log.info(running.addresses, `${name} is ready`);
  process.send?.({ type: 'ready', ...running.addresses });
  const cause = await stopRequest();
  log.info({ cause }, 'stopping');
  await stopWithin(running, log);
  process.exit(0);
}

function startFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (isAppError(error) && error.kind !== 'internal') return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve('SIGTERM'));
    process.once('SIGINT', () => resolve('SIGINT'));
    process.once('disconnect', () => resolve('the parent is gone'));
  });
}

async function stopWithin(running: RunningProcess, log: Logger): Promise<void> {
  const expired = new AppError('deadline_exceeded', 'STOP_TIMEOUT', `not stopped after ${stopGraceMs} ms`);
  try {
    await Promise.race([
      running.stop(),
      wait(stopGraceMs, undefined, { ref: false }).then(() => Promise.reject(expired)),
    ]);
  } catch (error) {
    log.error({ err: error }, `stop failed: ${messageOf(error)}`);
    process.exit(1);
  }
}
