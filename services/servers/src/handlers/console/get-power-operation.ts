import type { ConsoleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentPowerOperation } from '../../present/power-operation.js';
import { getPowerOperation } from '../../usecases/power/get-power-operation.js';

export function handleGetPowerOperation(context: ServersContext): Handler<ConsoleServiceService['getPowerOperation']> {
  return async (request, call) => ({
    operation: presentPowerOperation(await getPowerOperation(context, request, call)),
  });
}
