import type { EggServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteEgg } from '../../usecases/eggs/delete-egg.js';

export function handleDeleteEgg(context: ServersContext): Handler<EggServiceService['deleteEgg']> {
  return async ({ eggId }) => {
    await deleteEgg(context, eggId);
    return {};
  };
}
