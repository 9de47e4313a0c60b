import type { EggServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { exportEgg } from '../../usecases/eggs/get-egg.js';

export function handleExportEgg(context: ServersContext): Handler<EggServiceService['exportEgg']> {
  return async ({ eggId }) => ({ content: await exportEgg(context, eggId) });
}
