import type { ProgressListener } from '@panel/runtime';
import type { GameServer } from '../domain/servers/server.js';
import type { GameDeps } from './dependencies.js';

/** The cause of a failed pull is only for operators. */
export function imageNotices(
  { hub, log }: Pick<GameDeps, 'hub' | 'log'>,
  server: Pick<GameServer, 'id'>,
): ProgressListener {
  let isPulling = false;
  return (step, image, reason) => {
    if (step === 'pull_image' && !isPulling) hub.find(server.id)?.notice(`pulling the image ${image}`);
    isPulling ||= step === 'pull_image';
    if (step !== 'use_local_image') return;
    log.info({ serverId: server.id, image, reason }, 'an image could not be pulled; the one of the node is used');
    hub.find(server.id)?.notice(`using the image of this node: ${image}`);
  };
}
