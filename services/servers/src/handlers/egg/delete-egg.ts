import { type Handler } from '@panel/rpc';
import type { EggServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { deleteEgg as remove } from '../../usecases/eggs/delete-egg.js';

export function deleteEgg(context: ServersContext): Handler<EggServiceService['deleteEgg']> {
  return async ({ eggId }) => {
    await remove(context, eggId);
    return {};
  };
}
