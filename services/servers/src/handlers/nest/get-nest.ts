import type { NestServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentNest } from '../../present/egg.js';
import { getNest } from '../../usecases/nests/get-nest.js';

export function handleGetNest(context: ServersContext): Handler<NestServiceService['getNest']> {
  return async ({ nestId }) => ({ nest: presentNest(await getNest(context, nestId)) });
}
