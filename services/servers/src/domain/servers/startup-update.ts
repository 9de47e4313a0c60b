import { type FieldMessages, fieldProblem, requireValid } from '@panel/kit/errors';
import type { EggVariable } from '../eggs/egg.js';
import { changedValues, checkEnvironment, pickFields } from './environment.js';
import type { GameServer } from './server.js';

export interface StartupUpdate {
  readonly environment: Readonly<Record<string, string>>;
  readonly dockerImage: string | undefined;
  readonly startupCommand: string | undefined;
}

/** Throws INVALID_FIELDS. */
export function startupChanges(server: GameServer, { environment, dockerImage, startupCommand }: StartupUpdate) {
  const editable = server.egg.variables.filter(({ userViewable, userEditable }) => userViewable && userEditable);
  const fields = checkUpdate(server, editable, environment, dockerImage);
  const chosen = server.egg.startupCommands.find(({ label }) => label === startupCommand);
  if (startupCommand !== undefined && !chosen)
    fields.startup_command = [fieldProblem('not_allowed', 'must be the label of one the egg offers')];
  requireValid(fields);
  return { environment: valuesOf(editable, environment), dockerImage, startup: chosen?.command };
}

function checkUpdate(
  { egg, dockerImage: current, environment: before }: GameServer,
  editable: readonly EggVariable[],
  environment: Readonly<Record<string, string>>,
  dockerImage?: string,
): FieldMessages {
  // Hidden variables do not exist for users.
  const visible = egg.variables.filter(({ userViewable }) => userViewable);
  const changed = changedValues(visible, before, environment);
  const fields: FieldMessages = pickFields(checkEnvironment(editable, changed), changed);
  for (const name of Object.keys(valuesOf(visible, changed))) {
    if (!editable.some(({ envVariable }) => envVariable === name))
      fields[`environment.${name}`] = [fieldProblem('read_only', 'is read-only')];
  }
  const isOffered = egg.dockerImages.some(({ image }) => image === dockerImage) || dockerImage === current;
  if (dockerImage !== undefined && !isOffered)
    fields.docker_image = [fieldProblem('not_allowed', 'must be one of the images the egg offers')];
  return fields;
}

function valuesOf(variables: readonly EggVariable[], values: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(variables.map(({ envVariable }) => envVariable));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}
