import { withActivity } from '@panel/activity';
import { ConsoleServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { commandEvent, powerActionEvent } from '../../present/activity-events.js';
import { handleBatchGetResources } from './batch-get-resources.js';
import { handleGetMetrics } from './get-metrics.js';
import { handleGetPowerOperation } from './get-power-operation.js';
import { handleGetResources } from './get-resources.js';
import { handleListConsoleLines } from './list-console-lines.js';
import { handleSendCommand } from './send-command.js';
import { handleSendPowerAction } from './send-power-action.js';
import { handleWatchServer } from './watch-server.js';

export function serveConsoles(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(ConsoleServiceService, {
    batchGetResources: handleBatchGetResources(context),
    getMetrics: handleGetMetrics(context),
    getPowerOperation: handleGetPowerOperation(context),
    getResources: handleGetResources(context),
    listConsoleLines: handleListConsoleLines(context),
    sendCommand: withActivity(activity, handleSendCommand(context), commandEvent),
    sendPowerAction: withActivity(activity, handleSendPowerAction(context), powerActionEvent),
    watchServer: handleWatchServer(context),
  });
}
