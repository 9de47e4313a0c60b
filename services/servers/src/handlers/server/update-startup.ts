import { type FieldMessages, invalidFields } from '@panel/kit';
import type { Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { requireAccess } from '../../domain/servers/access.js';
import type { EggVariable } from '../../domain/eggs/egg.js';
import { changedValues, checkEnvironment } from '../../domain/servers/environment.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import type { GameServer } from '../../domain/servers/server.js';
import { pickFields } from '../../usecases/servers/update-server.js';
import { fail } from '../../reasons.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { showServer } from '../../usecases/servers/server-view.js';

/** Variables that users may see and edit, and the image and the startup command among those the egg offers. */
export function updateStartup(context: ServersContext): Handler<ServerServiceService['updateStartup']> {
  return async ({ serverId, environment, dockerImage, startupCommand }, { actor }) => {
    const { server } = await loadServer(context, serverId, actor);
    const isImageOnly = dockerImage !== undefined && startupCommand === undefined && Object.keys(environment).length === 0;
    if (!isImageOnly) requireAccess(server, actor, 'startup.update');
    if (dockerImage !== undefined) requireAccess(server, actor, 'startup.docker-image');
    const editable = server.egg.variables.filter(({ userViewable, userEditable }) => userViewable && userEditable);
    const fields = check(server, editable, environment, dockerImage);
    const chosen = server.egg.startupCommands?.find(({ label }) => label === startupCommand);
    if (startupCommand !== undefined && !chosen) fields.startup_command = ['must be the label of one the egg offers'];
    if (Object.keys(fields).length > 0) throw invalidFields(fields);
    checkUnlocked(server);
    const updated = await context.stores.servers.updates.update(serverId, {
      environment: only(editable, environment),
      dockerImage,
      startup: chosen?.command,
    });
    if (!updated) throw fail('SERVER_LOCKED', 'something else was begun with this server');
    return { server: await showServer(context, updated, actor, false) };
  };
}

function check(
  { egg, dockerImage: current, environment: before }: GameServer,
  editable: readonly EggVariable[],
  environment: Readonly<Record<string, string>>,
  dockerImage?: string,
): FieldMessages {
  // What a user may not see does not exist for them.
  const visible = egg.variables.filter(({ userViewable }) => userViewable);
  const changed = changedValues(visible, before, environment);
  const fields: FieldMessages = pickFields(checkEnvironment(editable, changed), changed);
  for (const name of Object.keys(only(visible, changed))) {
    if (!editable.some(({ envVariable }) => envVariable === name)) fields[`environment.${name}`] = ['is read-only'];
  }
  const isOffered = egg.dockerImages.some(({ image }) => image === dockerImage) || dockerImage === current;
  if (dockerImage !== undefined && !isOffered) fields.docker_image = ['must be one of the images the egg offers'];
  return fields;
}

function only(variables: readonly EggVariable[], values: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(variables.map(({ envVariable }) => envVariable));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}
