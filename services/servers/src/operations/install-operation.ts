import type { GameServer, InstallState } from '../domain/servers/server.js';
import { installServer } from './install.js';
import {
  enterStep,
  requireCurrent,
  type OperationDefinition,
  type OperationDeps,
  type OperationRun,
} from './operation.js';

const waitMs = 5_000;
const steps = { waiting: 0, stop: 1, create_volume: 5, pull_image: 20, create_container: 40, run_script: 40 } as const;

export const installOperation: OperationDefinition = {
  kind: 'installing',
  steps,
  startedBy: ['ServerService.CreateServer'],
  lane: 'short',
  maxClaims: 8,
  waitMs,
  run: install,
  giveUp,
};

export const reinstallOperation: OperationDefinition = {
  kind: 'reinstalling',
  steps,
  startedBy: ['ServerService.ReinstallServer', 'ServerService.UpdateServer'],
  lane: 'short',
  maxClaims: 8,
  waitMs,
  run: async (deps, run) => {
    await enterStep(deps, reinstallOperation, run.lease, 'stop');
    requireCurrent(deps, run.server.nodeId);
    await deps.power.forceStop(run.server, deps.power.graceMsOf(run.server), { kind: 'operation', lease: run.lease });
    deps.failpoint('reinstall.stopped');
    await install(deps, run);
  },
  giveUp,
};

async function install(deps: OperationDeps, { server, lease, signal }: OperationRun): Promise<void> {
  const result = await installServer(deps, server, lease, signal);
  if (result.state === 'failed') await removeFirstFiles(deps, server);
  const startsAfterwards = result.state === 'installed' && server.operation?.options.startOnCompletion === true;
  await deps.servers.operations.finishInstall(lease, result, startsAfterwards);
}

/** A server without an installation has no user files; remains of a failed script waste disk. */
async function removeFirstFiles(deps: OperationDeps, server: GameServer): Promise<void> {
  if (server.operation?.kind !== 'installing') return;
  try {
    const node = await deps.nodes.get(server.nodeId);
    if (node) await deps.files.deleteVolume(node, server.id);
  } catch (error) {
    deps.log.warn({ err: error, serverId: server.id }, 'the files of a failed installation were not removed');
  }
}

async function giveUp(deps: OperationDeps, { server, lease }: OperationRun): Promise<void> {
  await removeFirstFiles(deps, server);
  const error = 'the installation was interrupted too often';
  const result: InstallState = { state: 'failed', error, exitCode: null, at: deps.clock() };
  await deps.servers.operations.finishInstall(lease, result, false);
}
