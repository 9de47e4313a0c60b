import { type Handler } from '@panel/rpc';
import type { EggServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { exportEgg as writeEggFile } from '../../domain/eggs/export-egg.js';
import { loadEgg } from '../../usecases/eggs/load-egg.js';

export function exportEgg({ stores, clock }: ServersContext): Handler<EggServiceService['exportEgg']> {
  return async ({ eggId }) => {
    const { spec } = await loadEgg(stores, eggId);
    return { content: writeEggFile(spec, clock()) };
  };
}
