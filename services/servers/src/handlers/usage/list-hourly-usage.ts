import { invalidFields } from '@panel/kit/errors';
import type { Handler } from '@panel/rpc';
import type { UsageServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentServerUsage } from '../../present/usage.js';
import { readHourlyUsage } from '../../usecases/usage/read-hourly-usage.js';

const maxServers = 100;

export function listHourlyUsage(context: ServersContext): Handler<UsageServiceService['listHourlyUsage']> {
  return async ({ serverIds, fromTime, untilTime }) => {
    if (serverIds.length > maxServers) throw invalidFields({ server_ids: [`must be at most ${maxServers}`] });
    if (!fromTime || !untilTime) throw invalidFields({ from_time: ['is missing, or until_time'] });
    const usages = await readHourlyUsage(context, serverIds, fromTime, untilTime);
    return { servers: usages.map(presentServerUsage) };
  };
}
