import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, rmSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { openConsolePipe, outputEnded } from './console-pipe.js';
import { GameFiles, type ProcessIdentity, type StoredGame } from './game-files.js';
import { LineBuffer, OutputLog } from './output-log.js';
import {
  bootId,
  hasCode,
  killMembers,
  membersOf,
  readProcess,
  readProcesses,
  readProcFile,
  sendSignal,
} from './processes.js';
import { ReadPace } from './read-pace.js';
import { serveShim, type ShimActions } from './shim-server.js';

/**
 * The supervisor of one game: `node shim.js <run directory> <server id>`, in its own session to outlive the starter.
 * Holds the standard input, keeps a bounded console log, answers on a socket and records the exit code. File descriptor
 * 3 reports the outcome to the starter.
 */
const readyDescriptor = 3;
/** O_CLOEXEC on Linux, missing in Node's constants. */
const closeOnExec = 0o2000000;
const drainMs = 2000;
const graceMs = 10_000;

function reportToStarter(message: { started: true } | { error: string }): void {
  try {
    writeSync(readyDescriptor, `${JSON.stringify(message)}\n`);
    closeSync(readyDescriptor);
  } catch (error) {
    if (!hasCode(error, 'EPIPE', 'EBADF')) throw error; // the starter has died: the game continues without it
  }
}

function whoAmI(): ProcessIdentity {
  return { pid: process.pid, startTicks: readProcess(process.pid)?.startTicks ?? 0, bootId: bootId() };
}

function run(files: GameFiles, game: StoredGame): void {
  const log = new OutputLog(files.runDirectory(game.run));
  const lines = new LineBuffer((data) => log.append(data, Date.now()));
  const pipe = openConsolePipe(files.runDirectory(game.run), game.user);
  const [program = '/bin/sh', ...args] = game.program;
  const child = spawn(program, args, {
    cwd: game.directory,
    env: game.environment,
    stdio: ['pipe', pipe.childEnd, pipe.childEnd],
    ...game.user,
  });
  pipe.closeChildEnd();
  const pace = new ReadPace(pipe.output);
  pipe.output.on('data', (data: Buffer) => {
    lines.push(data);
    pace.read(data.length);
  });
  pipe.output.on('error', () => lines.flush());
  child.stdin?.on('error', () => undefined); // the game has closed its input; writes report it

  const server = createServer((socket) => serveShim(socket, actionsOn(child)));
  server.on('error', () => undefined); // without its socket the game is still visible and killable by its pid
  const startedAt = Date.now();
  const end = async (exitCode: number) => {
    try {
      killMembers(process.pid); // as in a container: when the first process ends, all do
      await outputEnded(pipe.output, drainMs);
      lines.flush();
      log.close();
      rmSync(files.pidFile, { force: true });
      rmSync(files.socketName, { force: true });
      // Last, because a new run with files of the same names may follow.
      files.writeState(game.run, { state: 'exited', exitCode, startedAt, finishedAt: Date.now() });
      utimesSync('.', new Date(), new Date()); // wakes watchers of the directory of games
    } catch (error) {
      writeSync(2, `${String(error)}\n`); // a full disk: without a state the driver counts the game as killed
    }
    process.exit(0);
  };
  child.once('error', (error) => giveUp(files, game.run, error.message));
  child.once('spawn', () => {
    try {
      files.writeState(game.run, { state: 'running', shim: whoAmI(), startedAt });
      rmSync(files.socketName, { force: true });
      server.listen(files.socketName, () => reportToStarter({ started: true }));
    } catch (error) {
      reportToStarter({ error: String(error) });
      child.kill('SIGKILL');
    }
  });
  // A game that ends at once still reports its start first.
  child.once('exit', (code, signal) => {
    const exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
    if (server.listening) void end(exitCode);
    else setTimeout(() => void end(exitCode), 100);
  });
}

function actionsOn(child: ChildProcess): ShimActions {
  return {
    input: (data, done) => {
      const stdin = child.stdin;
      if (!stdin || stdin.destroyed) return done('closed');
      if (stdin.writableLength > 256 * 1024) return done('blocked');
      stdin.write(data, (error) => done(error ? 'closed' : null));
    },
    signal: (signal) => {
      for (const { pid } of membersOf(process.pid, readProcesses())) sendSignal(pid, signal);
    },
    kill: () => killMembers(process.pid),
  };
}

/** For a shutdown or an operator's signal: the game can save. */
function endOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGPIPE'] as const)
    process.on(signal, () => undefined);
  process.once('SIGTERM', () => {
    for (const { pid } of membersOf(process.pid, readProcesses())) sendSignal(pid, 'SIGTERM');
    setTimeout(() => killMembers(process.pid), graceMs);
  });
  process.on('uncaughtException', (error) => writeSync(2, `${error.stack ?? error.message}\n`));
}

/** Node hides its own files from children, but only the first sixteen inherited ones (uv_disable_stdio_inheritance). */
function closeInherited(): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const descriptor = Number(name);
    if (descriptor <= readyDescriptor) continue;
    const flags = /^flags:\s+([0-7]+)$/m.exec(readProcFile(`/proc/self/fdinfo/${descriptor}`) ?? '')?.[1];
    const closesItself = flags === undefined || (Number.parseInt(flags, 8) & closeOnExec) !== 0;
    if (!closesItself) closeSync(descriptor);
  }
}

function claim(files: GameFiles, run: string): boolean {
  try {
    closeSync(openSync(files.claimFile(run), 'wx', 0o600));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function waitForOther(files: GameFiles, run: string, triesLeft = 200): void {
  if (files.readState(run)) reportToStarter({ started: true });
  else if (triesLeft === 0) reportToStarter({ error: 'another start of it did not get to its end' });
  else setTimeout(() => waitForOther(files, run, triesLeft - 1), 25);
}

/** Leaves the instance as created, for another try. */
function giveUp(files: GameFiles, run: string, error: string): void {
  rmSync(files.pidFile, { force: true });
  rmSync(files.claimFile(run), { force: true });
  reportToStarter({ error });
  process.exit(1);
}

function main([runDirectory, serverId]: string[]): void {
  if (!runDirectory || !serverId) throw new TypeError('usage: shim <run directory> <server id>');
  const files = new GameFiles(runDirectory, serverId);
  process.chdir(dirname(files.directory));
  const game = files.readGame();
  if (!game) return reportToStarter({ error: 'there is no such game' });
  if (!claim(files, game.run)) return waitForOther(files, game.run);
  closeInherited();
  endOnSignal();
  try {
    writeFileSync(files.pidFile, String(process.pid), { mode: 0o644 });
    run(files, game);
  } catch (error) {
    giveUp(files, game.run, String(error));
  }
}

main(process.argv.slice(2));
