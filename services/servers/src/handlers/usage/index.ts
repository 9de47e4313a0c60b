import { UsageServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { handleListHourlyUsage } from './list-hourly-usage.js';

export function serveUsage(context: ServersContext): ServedService {
  return serve(UsageServiceService, {
    listHourlyUsage: handleListHourlyUsage(context),
  });
}
