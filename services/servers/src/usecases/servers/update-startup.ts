import { type FieldMessages, invalidFields } from '@panel/kit/errors';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { EggVariable } from '../../domain/eggs/egg.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { requireAccess } from '../../domain/servers/access.js';
import { changedValues, checkEnvironment, pickFields } from '../../domain/servers/environment.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';
import { loadServer } from './load-server.js';
import { viewServer, type VisibleServer } from './view-server.js';

export interface StartupUpdate {
  readonly environment: Readonly<Record<string, string>>;
  readonly dockerImage: string | undefined;
  /** The label of a command that the egg offers. */
  readonly startupCommand: string | undefined;
}

/** As `setStartup`, for a caller. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, and as `setStartup`. */
export async function updateStartup(
  context: Pick<ServersContext, 'stores' | 'clock' | 'timezone'>,
  serverId: string,
  update: StartupUpdate,
  caller: Caller,
): Promise<VisibleServer> {
  const { server } = await loadServer(context, serverId, caller);
  const { environment, dockerImage, startupCommand } = update;
  const isImageOnly =
    dockerImage !== undefined && startupCommand === undefined && Object.keys(environment).length === 0;
  if (!isImageOnly) requireAccess(server, caller, 'startup.update');
  if (dockerImage !== undefined) requireAccess(server, caller, 'startup.docker-image');
  const updated = await setStartup(context.stores, server, update);
  return viewServer(context, updated, caller.actor, false);
}

/**
 * Set variables that users may see and edit, and choose the image and the startup command among those the egg offers.
 * Throws INVALID_FIELDS, SERVER_LOCKED, SERVER_SUSPENDED.
 */
export async function setStartup(
  { servers }: Pick<Stores, 'servers'>,
  server: GameServer,
  { environment, dockerImage, startupCommand }: StartupUpdate,
): Promise<GameServer> {
  const editable = server.egg.variables.filter(({ userViewable, userEditable }) => userViewable && userEditable);
  const fields = checkUpdate(server, editable, environment, dockerImage);
  const chosen = server.egg.startupCommands?.find(({ label }) => label === startupCommand);
  if (startupCommand !== undefined && !chosen) fields.startup_command = ['must be the label of one the egg offers'];
  if (Object.keys(fields).length > 0) throw invalidFields(fields);
  checkUnlocked(server);
  const updated = await servers.updates.update(server.id, {
    environment: valuesOf(editable, environment),
    dockerImage,
    startup: chosen?.command,
  });
  if (!updated) throw fail('SERVER_LOCKED', 'another operation of this server has started');
  return updated;
}

function checkUpdate(
  { egg, dockerImage: current, environment: before }: GameServer,
  editable: readonly EggVariable[],
  environment: Readonly<Record<string, string>>,
  dockerImage?: string,
): FieldMessages {
  // A variable that a user may not see does not exist for them.
  const visible = egg.variables.filter(({ userViewable }) => userViewable);
  const changed = changedValues(visible, before, environment);
  const fields: FieldMessages = pickFields(checkEnvironment(editable, changed), changed);
  for (const name of Object.keys(valuesOf(visible, changed))) {
    if (!editable.some(({ envVariable }) => envVariable === name)) fields[`environment.${name}`] = ['is read-only'];
  }
  const isOffered = egg.dockerImages.some(({ image }) => image === dockerImage) || dockerImage === current;
  if (dockerImage !== undefined && !isOffered) fields.docker_image = ['must be one of the images the egg offers'];
  return fields;
}

function valuesOf(variables: readonly EggVariable[], values: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(variables.map(({ envVariable }) => envVariable));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}
