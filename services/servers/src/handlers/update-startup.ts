import { type FieldMessages, type Handler, invalidFields } from '@panel/kit';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../context.js';
import { requireAccess } from '../domain/access.js';
import { checkEnvironment } from '../domain/environment.js';
import { checkUnlocked } from '../domain/power-table.js';
import type { GameServer } from '../domain/server.js';
import { onlyNamed } from '../provision/update-server.js';
import { fail } from '../reasons.js';
import { loadServer } from './load-server.js';
import { showServer } from './shown-servers.js';

/** Variables that users may see and edit, and the image and the startup command among those the egg offers. */
export function updateStartup(context: ServersContext): Handler<ServerServiceService['updateStartup']> {
  return async ({ serverId, environment, dockerImage, startupCommand }, { actor }) => {
    const { server } = await loadServer(context, serverId, actor, 'startup.update');
    if (dockerImage !== undefined) requireAccess(server, actor, 'startup.docker-image');
    const fields = check(server, environment, dockerImage);
    const chosen = server.egg.startupCommands?.find(({ label }) => label === startupCommand);
    if (startupCommand !== undefined && !chosen) fields.startup_command = ['must be the label of one the egg offers'];
    if (Object.keys(fields).length > 0) throw invalidFields(fields);
    checkUnlocked(server);
    const updated = await context.stores.servers.changes.update(serverId, {
      environment,
      dockerImage,
      startup: chosen?.command,
    });
    if (!updated) throw fail('SERVER_LOCKED', 'something else was begun with this server');
    return { server: await showServer(context, updated, actor, false) };
  };
}

function check(server: GameServer, environment: Readonly<Record<string, string>>, dockerImage?: string): FieldMessages {
  const { variables, dockerImages } = server.egg;
  // What a user may not edit does not exist for them; what they may not see neither.
  const editable = variables.filter(({ userViewable, userEditable }) => userViewable && userEditable);
  const fields: FieldMessages = onlyNamed(checkEnvironment(editable, environment), environment);
  const isOffered = dockerImages.some(({ image }) => image === dockerImage) || dockerImage === server.dockerImage;
  if (dockerImage !== undefined && !isOffered) fields.docker_image = ['must be one of the images the egg offers'];
  return fields;
}
