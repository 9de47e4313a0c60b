import { isAppError } from '@panel/kit/errors';
import { ConfigError } from '@panel/kit/process';
import { OperatorError } from '@panel/programs';
import { describeReady } from './ready-message.js';
import { startStack, type Stack, type StackOptions } from './stack.js';

/** Runs `npm start` after the build: start, report, wait for a signal, stop. */
export async function runLauncher(options: Pick<StackOptions, 'programOf'> = {}): Promise<void> {
  const startedAt = performance.now();
  const giveUp = new AbortController();
  // Permanent: npm forwards a Ctrl-C received already.
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
  });
  void signalled.then(() => giveUp.abort());
  let stack: Stack;
  try {
    stack = await startStack({ ...options, log: progress, signal: giveUp.signal });
  } catch (error) {
    process.stderr.write(`${giveUp.signal.aborted ? 'stopped' : describeFailure(error)}\n`);
    process.exit(giveUp.signal.aborted ? 0 : 1);
  }
  process.stdout.write(describeReady(stack, (performance.now() - startedAt) / 1000));
  await signalled;
  progress('stopping');
  await stack.stop();
  progress('stopped');
  process.exit(0);
}

function progress(line: string): void {
  process.stdout.write(`  ${line}\n`);
}

function describeFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.join('\n');
  if (error instanceof OperatorError) return error.message;
  if (isAppError(error) && error.kind !== 'internal') return `the first start could not be finished: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
