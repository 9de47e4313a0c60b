import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { UsageServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServerUsage } from '../../present/usage.js';
import { listHourlyUsage } from '../../usecases/usage/list-hourly-usage.js';
import { readIds } from '../read-request.js';

export function handleListHourlyUsage(context: ServersContext): Handler<UsageServiceService['listHourlyUsage']> {
  return async ({ serverIds, fromTime, untilTime }) => {
    const ids = readIds('server_ids', serverIds);
    if (!fromTime || !untilTime)
      throw invalidFields({ from_time: [fieldProblem('required', 'is missing, or until_time')] });
    return { servers: (await listHourlyUsage(context, ids, fromTime, untilTime)).map(presentServerUsage) };
  };
}
