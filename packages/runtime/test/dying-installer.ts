import { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createProcessRuntime } from '../src/process/process-runtime.js';
import type { InstallSpec } from '../src/runtime.js';

/**
 * A service that dies after the start of an installer: `node dying-installer.js <run directory> <spec as JSON> <file>`.
 * The script gets a second to create the file.
 */
const [runDir = '', json = '{}', file = ''] = process.argv.slice(2);
const waitMs = 1_000;

const prototype = ChildProcess.prototype as unknown as { spawn: (options: unknown) => unknown };
const spawnProcess = prototype.spawn;
prototype.spawn = function spawnAndDie(this: ChildProcess, options: unknown): unknown {
  spawnProcess.call(this, options);
  const until = performance.now() + waitMs;
  while (!existsSync(file) && performance.now() < until);
  return process.kill(process.pid, 'SIGKILL');
};
const spec = JSON.parse(json) as InstallSpec;
await createProcessRuntime({ runDir }).install(spec, () => undefined, new AbortController().signal);
