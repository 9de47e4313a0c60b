import type { Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { ServerFields } from '../../domain/servers/check-server.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { fail } from '../../reasons.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { showServer } from '../../usecases/servers/server-view.js';

export function renameServer(context: ServersContext): Handler<ServerServiceService['renameServer']> {
  return async ({ serverId, name, description }, { actor }) => {
    const { server } = await loadServer(context, serverId, actor, 'settings.rename');
    const checked = new ServerFields();
    if (name !== undefined) checked.name(name);
    if (description !== undefined) checked.description(description);
    if (!checked.isEmpty) throw invalidFields(checked.fields);
    checkUnlocked(server);
    const renamed = await context.stores.servers.updates.update(serverId, { name: name?.trim(), description });
    if (!renamed) throw fail('SERVER_LOCKED', 'something else was begun with this server');
    return { server: await showServer(context, renamed, actor, false) };
  };
}
