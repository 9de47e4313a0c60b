import { type Handler } from '@panel/rpc';
import { type EggServiceService, EggApplication_Outcome } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { applyEgg as apply, type EggApplication } from '../../usecases/eggs/apply-egg.js';

const outcomes: Readonly<Record<EggApplication['outcome'], EggApplication_Outcome>> = {
  unchanged: EggApplication_Outcome.UNCHANGED,
  changed: EggApplication_Outcome.CHANGED,
  busy: EggApplication_Outcome.BUSY,
};

export function applyEgg(context: ServersContext): Handler<EggServiceService['applyEgg']> {
  return async ({ eggId, serverIds, isPreview, afterServerId }) => {
    const { servers, nextServerId } = await apply(context, eggId, { serverIds, isPreview, afterId: afterServerId });
    return {
      servers: servers.map(({ serverId, name, outcome, differences }) => ({
        serverId,
        name,
        outcome: outcomes[outcome],
        differences: differences.map(({ field, before, after }) => ({ field, before, after })),
      })),
      nextServerId: nextServerId ?? '',
    };
  };
}
