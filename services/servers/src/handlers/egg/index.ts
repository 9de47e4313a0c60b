import { withActivity } from '@panel/activity';
import { EggServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { eggAppliedEvent, eggDeletedEvent, eggEvent } from '../../present/activity-events.js';
import { handleApplyEgg } from './apply-egg.js';
import { handleCheckVariables } from './check-variables.js';
import { handleCreateEgg } from './create-egg.js';
import { handleDeleteEgg } from './delete-egg.js';
import { handleExportEgg } from './export-egg.js';
import { handleGetEgg } from './get-egg.js';
import { handleImportEgg } from './import-egg.js';
import { handleListEggs } from './list-eggs.js';
import { handleUpdateEgg } from './update-egg.js';

export function serveEggs(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(EggServiceService, {
    applyEgg: withActivity(activity, handleApplyEgg(context), eggAppliedEvent),
    checkVariables: handleCheckVariables(context),
    createEgg: withActivity(activity, handleCreateEgg(context), eggEvent('egg:create')),
    deleteEgg: withActivity(activity, handleDeleteEgg(context), eggDeletedEvent),
    exportEgg: handleExportEgg(context),
    getEgg: handleGetEgg(context),
    importEgg: withActivity(activity, handleImportEgg(context), eggEvent('egg:import')),
    listEggs: handleListEggs(context),
    updateEgg: withActivity(activity, handleUpdateEgg(context), eggEvent('egg:update')),
  });
}
