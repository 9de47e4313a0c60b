import type { EggServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkVariables } from '../../usecases/eggs/check-variables.js';

export function handleCheckVariables(context: ServersContext): Handler<EggServiceService['checkVariables']> {
  return async ({ eggId, environment }) => {
    await checkVariables(context, eggId, environment);
    return {};
  };
}
