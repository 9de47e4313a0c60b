import { spawn, type ChildProcess } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants as os, tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import type { Writable } from 'node:stream';
import { pause } from '@panel/kit/async';
import { boundOutput } from '../bounded-output.js';
import { checkInstallSpec } from '../check-spec.js';
import { runtimeError } from '../reasons.js';
import type { InstallResult, InstallSpec } from '../runtime.js';
import { scriptText } from '../startup.js';
import { openConsolePipe, outputEnded } from './console-pipe.js';
import { readJson, writeJson, type ProcessIdentity } from './game-files.js';
import { isAlive } from './games.js';
import { bootId, killMembers, membersOf, readProcess, readProcesses, sendSignal } from './processes.js';
import { programPath, replaceMountPoints, processEnvironment, userOf } from './process-environment.js';

const drainMs = 2000;
const killEveryMs = 20;
/** Waits until its process is recorded. */
const gate = 'read -r word <&3 || exit 1; exec 3<&-; exec "$@"';
const shells = ['sh', 'bash', 'ash', 'dash', 'ksh', 'zsh'];

/** Runs the script as the volume's user in its own session. */
export async function installOnMachine(
  runDirectory: string,
  spec: InstallSpec,
  onOutput: (chunk: Buffer) => void,
  signal: AbortSignal,
): Promise<InstallResult> {
  checkInstallSpec(spec, { allowRoot: true });
  if (signal.aborted) throw aborted(spec.serverId);
  if (!existsSync(spec.volume.path))
    throw runtimeError('START_FAILED', 'the volume is not there', { serverId: spec.serverId });
  const record = recordFile(runDirectory, spec.serverId);
  await killInstaller(runDirectory, spec.serverId);
  if (signal.aborted) throw aborted(spec.serverId);
  const directory = mkdtempSync(join(tmpdir(), 'panel-install-'));
  try {
    return await runScript(spec, directory, record, boundOutput(onOutput), signal);
  } finally {
    rmSync(directory, { recursive: true, force: true });
    rmSync(record, { force: true });
  }
}

function aborted(serverId: string) {
  return runtimeError('INSTALL_ABORTED', 'the installation was aborted', { serverId });
}

/** Identifies the installer after a restart of this process. */
function recordFile(runDirectory: string, serverId: string): string {
  const directory = join(runDirectory, 'installs');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return join(directory, `${serverId}.json`);
}

/** Ends this server's installation by this or a dead process; resolves once it is gone. */
export async function killInstaller(runDirectory: string, serverId: string): Promise<void> {
  const record = recordFile(runDirectory, serverId);
  const left = readJson(record) as ProcessIdentity | null;
  if (left) await endSession(left);
  rmSync(record, { force: true });
}

async function endSession(leader: ProcessIdentity): Promise<void> {
  while (isLeft(leader)) {
    killSession(leader.pid);
    await pause(killEveryMs);
  }
}

/** Whether the leader's session has processes, which prevent pid reuse. */
function isLeft(leader: ProcessIdentity): boolean {
  if (leader.bootId !== bootId()) return false;
  const now = readProcess(leader.pid);
  if (now !== null && now.startTicks !== leader.startTicks) return false;
  return isAlive(leader) || membersOf(leader.pid, readProcesses()).length > 0;
}

function killSession(leader: number): void {
  killMembers(leader);
  sendSignal(leader, 'SIGKILL');
  killMembers(leader);
}

async function runScript(
  spec: InstallSpec,
  directory: string,
  record: string,
  onOutput: (chunk: Buffer) => void,
  signal: AbortSignal,
): Promise<InstallResult> {
  const script = writeScript(spec, directory);
  const user = userOf(spec.volume);
  const interpreter = findInterpreter(spec.entrypoint, onOutput);
  const pipe = openConsolePipe(directory, user);
  spec.onProgress?.('create_container', spec.serverId);
  const child = spawn('/bin/sh', ['-c', gate, 'sh', interpreter, script], {
    cwd: spec.volume.path,
    env: processEnvironment(spec.volume, spec.environment),
    stdio: ['ignore', pipe.childEnd, pipe.childEnd, 'pipe'],
    detached: true,
    ...user,
  });
  pipe.closeChildEnd();
  pipe.output.on('data', onOutput);
  pipe.output.on('error', () => undefined);
  const exitCode = await endOf(child, record, spec, signal);
  await outputEnded(pipe.output, drainMs);
  return { exitCode, outOfMemory: false };
}

/** After the record, because a crash in between would leave the process unrecorded. */
function letBegin(child: ChildProcess): void {
  const gateEnd = child.stdio[3] as Writable;
  gateEnd.on('error', () => undefined); // killed before it began
  gateEnd.end('go\n', () => gateEnd.destroy());
}

/** Kills the script and its descendants on time-out, abort and exit. */
async function endOf(child: ChildProcess, record: string, spec: InstallSpec, signal: AbortSignal): Promise<number> {
  let timedOut = false;
  const kill = () => {
    if (child.pid !== undefined) killSession(child.pid);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, spec.timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', (cause) => {
        reject(runtimeError('START_FAILED', 'the script could not be started', { reason: cause.message }, { cause }));
      });
      child.once('spawn', () => {
        const pid = child.pid ?? 0;
        writeJson(record, { pid, startTicks: readProcess(pid)?.startTicks ?? 0, bootId: bootId() });
        letBegin(child);
      });
      child.once('exit', (code, by) => resolve(code ?? 128 + (by ? os.signals[by] : 0)));
    });
    if (child.pid !== undefined) killMembers(child.pid);
    if (timedOut)
      throw runtimeError('INSTALL_TIMEOUT', 'the installation took too long', { timeoutMs: spec.timeoutMs });
    if (signal.aborted) throw aborted(spec.serverId);
    return exitCode;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
}

/** Readable to the volume's user; the run directory is private. */
function writeScript(spec: InstallSpec, directory: string): string {
  const script = join(directory, 'install.sh');
  const user = userOf(spec.volume);
  writeFileSync(script, replaceMountPoints(scriptText(spec.script), spec.volume), { mode: 0o700 });
  if (!user) return script;
  chownSync(script, user.uid, user.gid);
  chmodSync(directory, 0o711);
  return script;
}

/** sh replaces missing shells. Other interpreters must exist. */
function findInterpreter(entrypoint: string, onOutput: (chunk: Buffer) => void): string {
  const name = basename(entrypoint);
  const places = programPath.split(':').map((place) => join(place, name));
  const found = [...(isAbsolute(entrypoint) ? [entrypoint] : []), ...places].find(isProgram);
  if (found) return found;
  if (!shells.includes(name))
    throw runtimeError('START_FAILED', 'the script could not be started', { reason: `there is no ${entrypoint}` });
  onOutput(Buffer.from(`[there is no ${name} on this machine: the script is run by sh]\n`));
  return '/bin/sh';
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
