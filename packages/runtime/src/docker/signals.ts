import type { ContainerInspectInfo } from 'dockerode';
import type { GameSignal } from '../runtime.js';
import { pause } from '@panel/kit/async';
import { engineMessage, statusOf, unexpectedError, type Engine } from './engine.js';

const execMs = 5000;

/**
 * Signals every process of a running game. The engine's kill reaches only the first one, a shell or an init, which has
 * no handler or passes nothing on. So a shell inside signals the others as the game's user. Without a shell, or with an
 * init that passes signals on, the engine's kill is used.
 */
export async function signalContainer(engine: Engine, info: ContainerInspectInfo, signal: GameSignal): Promise<void> {
  const passesOn = info.HostConfig.Init !== true;
  const delivered = !passesOn && (await signalFromInside(engine, info.Id, signal));
  if (delivered) return;
  try {
    await engine.call(async (docker, abortSignal) => docker.getContainer(info.Id).kill({ signal, abortSignal }));
  } catch (error) {
    if ([404, 409].includes(statusOf(error) ?? 0) || /is not running/i.test(engineMessage(error))) return;
    throw unexpectedError(error);
  }
}

async function signalFromInside(engine: Engine, id: string, signal: GameSignal): Promise<boolean> {
  try {
    const exec = await engine.call(async (docker, abortSignal) =>
      docker.getContainer(id).exec({
        Cmd: ['/bin/sh', '-c', 'kill -s "$0" -1', signal.replace(/^SIG/, '')],
        AttachStdout: false,
        AttachStderr: false,
        abortSignal,
      }),
    );
    await engine.call(async (_docker, abortSignal) => exec.start({ Detach: true, abortSignal }));
    const deadline = Date.now() + execMs;
    while (Date.now() < deadline) {
      const state = await engine.call(async (_docker, abortSignal) => exec.inspect({ abortSignal }));
      if (!state.Running) return state.ExitCode === 0;
      await pause(50);
    }
    return false;
  } catch (error) {
    if (statusOf(error) !== null) return false;
    throw error;
  }
}
