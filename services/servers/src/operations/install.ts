import { isAppError } from '@panel/kit/errors';
import { LineSplitter } from '../console/line-splitter.js';
import { takenDefaults } from '../domain/eggs/takeover-variables.js';
import type { GameServer, InstallState } from '../domain/servers/server.js';
import type { InstallLogLine } from '../models/console/console.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import type { OperationDeps } from './operation.js';
import { describeFailure } from '../domain/servers/describe-failure.js';
import { isDependencyUnavailable, nameOfUnavailable } from '../games/dependency-unavailable.js';
import { installSpec } from '../games/instance-spec.js';
import { pullCredentials } from '../games/pull-credentials.js';
import { fail } from '../reasons.js';
import { DiskWatch, requireFreeSpace } from '../nodes/disk-watch.js';

const flushMs = 500;
/** Limit of log lines between writes. */
const maxUnsaved = 1000;

/**
 * Creates the directory and runs the egg's script. A failed script is a result, not an error. Throws LEASE_LOST, and
 * until INSTALL_TIMEOUT has passed what `isDependencyUnavailable` names: the next worker begins again.
 */
export async function installServer(
  deps: OperationDeps,
  server: GameServer,
  lease: OperationLease,
  signal: AbortSignal,
): Promise<InstallState> {
  const output = new InstallOutput(deps, server.id, lease.operationId);
  await deps.consoles.beginLog(server.id, lease.operationId);
  try {
    const exitCode = await runInstall(deps, server, lease, output, signal);
    await deps.activity.record({ event: 'server:install.completed', serverId: server.id }, null);
    return { ...installed, exitCode, at: deps.clock() };
  } catch (error) {
    if (signal.aborted || isAppError(error, 'LEASE_LOST')) throw error;
    // The script may still run or be lost: the next worker ends it.
    if (isDependencyUnavailable(error) && hasTime(deps, server)) {
      output.line(`${nameOfUnavailable(error)} does not answer: the installation begins anew when it does`, 'waiting');
      throw error;
    }
    deps.log.warn({ err: error, ...lease }, 'an installation has failed');
    const failure = describeFailure(error);
    output.line(`Installation failed: ${failure}`, 'failed');
    const properties = { error: failure };
    await deps.activity.record({ event: 'server:install.failed', serverId: server.id, properties }, null);
    const isRepeatable = isDependencyUnavailable(error) && isNeverInstalled(server);
    return { state: 'failed', error: failure, exitCode: exitCodeOf(error), at: deps.clock(), isRepeatable };
  } finally {
    await output.close();
  }
}

function hasTime({ clock, settings }: OperationDeps, { operation }: GameServer): boolean {
  return operation !== null && clock().getTime() - operation.startedAt.getTime() < settings.installTimeoutMs;
}

function isNeverInstalled({ operation, install }: GameServer): boolean {
  return operation?.kind === 'installing' || install.isRepeatable === true;
}

const installed = { state: 'installed', error: null } as const;

async function runInstall(
  deps: OperationDeps,
  server: GameServer,
  lease: OperationLease,
  output: InstallOutput,
  signal: AbortSignal,
): Promise<number | null> {
  const progress = async (step: string, percent: number) => {
    output.step = step;
    if (!(await deps.servers.operations.progress(lease, step, percent)))
      throw fail('LEASE_LOST', 'another worker has taken over');
  };
  await progress('create_volume', 5);
  const node = await deps.nodes.get(server.nodeId);
  if (!node) throw fail('NODE_NOT_FOUND', 'the node of this server no longer exists');
  await requireFreeSpace(deps, node);
  const volume = await deps.files.ensureVolume(node, server);
  deps.failpoint('install.volume');
  const { script } = server.egg;
  if (server.operation?.options.skipScripts || script.install.trim() === '') return null;
  await progress('run_script', 20);
  const around = { volume, allocations: server.allocations, timezone: deps.settings.timezone };
  const runtime = deps.runtimes.of(node);
  const spec = {
    ...installSpec(server, around, deps.settings.installTimeoutMs),
    ...(await pullCredentials(deps, runtime, server, script.container)),
    onProgress: (step: string, detail: string) => {
      if (step === 'use_local_image') {
        output.line(`using the image of this node: ${detail}`, 'pull_image');
        return;
      }
      output.line(detail === '' ? step : `${step}: ${detail}`, step);
      if (step === 'create_container') output.hasStarted = true;
      void progress(step, step === 'pull_image' ? 20 : 40).catch((error: unknown) =>
        deps.log.debug({ err: error }, 'progress'),
      );
    },
  };
  const defaults = takenDefaults(server);
  if (defaults.length > 0)
    output.line(`with the egg's default during the installation: ${defaults.join(', ')}`, output.step);
  const disk = new DiskWatch(deps, node, server);
  const signals = AbortSignal.any([signal, disk.signal]);
  const { exitCode, outOfMemory } = await runtime
    .install(spec, (chunk) => output.chunk(chunk), signals)
    .catch((error: unknown) => {
      throw disk.signal.aborted && !signal.aborted ? disk.signal.reason : error;
    })
    .finally(() => disk.stop());
  deps.failpoint('install.ran');
  if (exitCode === 0 && !outOfMemory) return exitCode;
  throw fail(
    'INSTALL_SCRIPT_FAILED',
    outOfMemory ? 'the install script ran out of memory' : `the install script ended with exit code ${exitCode}`,
    { exit_code: exitCode },
  );
}

function exitCodeOf(error: unknown): number | null {
  const exitCode = isAppError(error) ? error.metadata['exit_code'] : null;
  return typeof exitCode === 'number' ? exitCode : null;
}

/** Live for watchers, and stored. */
class InstallOutput {
  step = 'create_volume';
  /** From here the engine may run the script, even without an answer. */
  hasStarted = false;
  readonly #splitter = new LineSplitter();
  readonly #timer: NodeJS.Timeout;
  #unsaved: InstallLogLine[] = [];
  #saving: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: OperationDeps,
    private readonly serverId: string,
    private readonly operationId: string,
  ) {
    deps.hub.console(serverId).clearInstall();
    this.#timer = setInterval(() => this.#save(), flushMs).unref();
  }

  chunk(data: Buffer): void {
    for (const { text, isShown } of this.#splitter.push(data)) if (isShown) this.line(text, this.step);
  }

  line(text: string, step: string): void {
    const line: InstallLogLine = { text, step, at: this.deps.clock() };
    this.deps.hub.console(this.serverId).installLine(line);
    this.#unsaved.push(line);
    if (this.#unsaved.length > maxUnsaved * 2) this.#unsaved = this.#unsaved.slice(-maxUnsaved);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const rest = this.#splitter.end();
    if (rest !== null) this.line(rest.text, this.step);
    this.deps.hub.console(this.serverId).showInstallEnd();
    this.#save();
    await this.#saving;
  }

  #save(): void {
    if (this.#unsaved.length === 0) return;
    const lines = this.#unsaved.slice(-maxUnsaved);
    this.#unsaved = [];
    this.#saving = this.#saving
      .then(() => this.deps.consoles.appendLog(this.serverId, this.operationId, lines))
      .catch((error: unknown) => this.deps.log.warn({ err: error, serverId: this.serverId }, 'install log not kept'));
  }
}
