import type { EggServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentEggApplication } from '../../present/egg.js';
import { applyEgg } from '../../usecases/eggs/apply-egg.js';

export function handleApplyEgg(context: ServersContext): Handler<EggServiceService['applyEgg']> {
  return async ({ eggId, serverIds, isPreview, afterServerId }) => {
    const choice = { serverIds, isPreview, afterId: afterServerId };
    const { servers, nextServerId } = await applyEgg(context, eggId, choice);
    return { servers: servers.map(presentEggApplication), nextServerId: nextServerId ?? '' };
  };
}
