import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { isAppError } from '@panel/kit/errors';
import { boundOutput } from '../bounded-output.js';
import { checkInstallSpec } from '../check-spec.js';
import { runtimeError } from '../reasons.js';
import type { InstallResult, InstallSpec } from '../runtime.js';
import { scriptText } from '../startup.js';
import { installerContainer, installScriptPath, ownerContainer, type SettingsContext } from './container-settings.js';
import { describe, describeOwn, endedOutOfMemory, removeContainer, startContainer } from './containers.js';
import { engineMessage, statusOf, type Engine } from './engine.js';
import type { EngineFeatures } from './features.js';
import type { Images } from './images.js';
import { createContainer } from './instances.js';
import { installerName, ownerName } from './labels.js';
import { blockLinkLocal, ensureNetworks, type NetworkSettings } from './network.js';
import { readContainerOutput } from './output.js';

const startMs = 60_000;
const ownerMs = 10 * 60_000;
const gapNotice = Buffer.from('\n[output was lost here: the script wrote more than the engine keeps]\n');

interface InstallerContext {
  readonly engine: Engine;
  readonly images: Images;
  readonly features: EngineFeatures;
  readonly panelId: string;
  readonly network: NetworkSettings;
}

/**
 * Runs an installation, then gives the volume to its user, in two containers that are always removed. `timeoutMs`
 * bounds the script only, not the image pull.
 */
export async function installInContainer(
  context: InstallerContext,
  spec: InstallSpec,
  onOutput: (chunk: Buffer) => void,
  signal: AbortSignal,
): Promise<InstallResult> {
  checkInstallSpec(spec, { allowRoot: false });
  try {
    signal.throwIfAborted();
    await removeStaleInstaller(context, spec.serverId);
    const { reference } = await context.images.provide(spec, spec.onProgress, signal);
    await ensureNetworks(context.engine, context.network);
    return await installWith(context, spec, reference, boundOutput(onOutput), signal);
  } catch (error) {
    if (!signal.aborted || isAppError(error, 'INSTALL_TIMEOUT')) throw error;
    throw runtimeError(
      'INSTALL_ABORTED',
      'the installation was aborted',
      { serverId: spec.serverId },
      { cause: error },
    );
  }
}

async function installWith(
  context: InstallerContext,
  spec: InstallSpec,
  reference: string,
  onOutput: (chunk: Buffer) => void,
  signal: AbortSignal,
): Promise<InstallResult> {
  const { panelId, network } = context;
  const settings = { panelId, network, ioWeightWorks: await context.features.ioWeightWorks() };
  let installer: string | null = null;
  try {
    spec.onProgress?.('create_container', installerName(spec.serverId));
    installer = await createContainer(context.engine, installerContainer(spec, reference, settings));
    if (!network.reachesLinkLocal) await blockLinkLocal(context.engine, installer);
    await putScript(context.engine, installer, spec.script);
    const result = await runToCompletion(context, installer, spec, onOutput, signal);
    await giveToOwner(context, spec, reference, settings);
    return result;
  } catch (error) {
    // An interrupted script's files also belong to the owner.
    if (installer && (signal.aborted || isAppError(error, 'INSTALL_TIMEOUT'))) {
      await removeContainer(context.engine, installer);
      await giveToOwner(context, spec, reference, settings).catch(() => undefined);
    }
    throw error;
  } finally {
    // By id, because a later installation may have the name. The next one removes remains.
    if (installer) await removeContainer(context.engine, installer).catch(() => undefined);
  }
}

async function runToCompletion(
  { engine, features }: InstallerContext,
  id: string,
  spec: InstallSpec,
  onOutput: (chunk: Buffer) => void,
  signal: AbortSignal,
): Promise<InstallResult> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), spec.timeoutMs);
  const ended = AbortSignal.any([signal, timeout.signal]);
  try {
    await startContainer(engine, id, startMs).catch((error: unknown) => {
      features.learnFrom(error);
      throw error;
    });
    for await (const chunk of readContainerOutput(engine, id, { signal: ended })) {
      if (chunk.isAfterGap) onOutput(gapNotice);
      onOutput(chunk.data);
    }
    if (timeout.signal.aborted) {
      throw runtimeError('INSTALL_TIMEOUT', 'the installation took too long', { timeoutMs: spec.timeoutMs });
    }
    signal.throwIfAborted();
    const info = await describe(engine, id);
    if (!info)
      throw runtimeError('INSTALL_FAILED', 'the installer was removed while it ran', { serverId: spec.serverId });
    return { exitCode: info.State.ExitCode, outOfMemory: endedOutOfMemory(info) };
  } finally {
    clearTimeout(timer);
  }
}

/** Through the API, because a remote engine cannot mount local files. */
async function putScript(engine: Engine, id: string, script: string): Promise<void> {
  const archive = pack();
  archive.entry({ name: installScriptPath.slice(1), mode: 0o755 }, scriptText(script));
  archive.finalize();
  const bytes = await buffer(archive);
  try {
    await engine.call(async (docker, abortSignal) =>
      docker.getContainer(id).putArchive(bytes, { path: '/', abortSignal }),
    );
  } catch (error) {
    if (statusOf(error) === null) throw error;
    throw runtimeError('INSTALL_FAILED', 'the script could not be put into the installer', {
      reason: engineMessage(error),
    });
  }
}

async function giveToOwner(
  { engine }: InstallerContext,
  spec: InstallSpec,
  reference: string,
  settings: SettingsContext,
): Promise<void> {
  const id = await createContainer(engine, ownerContainer(spec, reference, settings));
  try {
    await startContainer(engine, id, startMs);
    const said: Buffer[] = [];
    const timeout = AbortSignal.timeout(ownerMs);
    for await (const chunk of readContainerOutput(engine, id, { signal: timeout })) {
      if (said.length < 20) said.push(chunk.data);
    }
    const info = await describe(engine, id);
    if (timeout.aborted || info?.State.ExitCode !== 0) {
      const reason = Buffer.concat(said).toString('utf8').slice(0, 500);
      throw runtimeError('INSTALL_FAILED', 'the files could not be given to the server', { reason });
    }
  } finally {
    await removeContainer(engine, id).catch(() => undefined);
  }
}

/** Of this server, left by this or a dead process. */
async function removeStaleInstaller({ engine }: InstallerContext, serverId: string): Promise<void> {
  for (const name of [installerName(serverId), ownerName(serverId)]) {
    const info = await describeOwn(engine, name);
    if (info) await removeContainer(engine, info.Id);
  }
}
