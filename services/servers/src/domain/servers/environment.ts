import { type FieldMessages, fieldProblem, type FieldProblem, requireValid } from '@panel/kit/errors';
import { isCommandLine, isTimezone } from '@panel/kit/text';
import { compileRules } from '../eggs/rules.js';
import { type EggVariable, namesOfVariable } from '../eggs/egg.js';
import { runSettingsOf } from './run-settings.js';
import type { GameServer } from './server.js';

const maxValueLength = 8192;

/**
 * Absent variables keep their trusted defaults; required ones without a default must be present. Messages by
 * `environment.<VAR>`.
 */
export function checkEnvironment(
  variables: readonly EggVariable[],
  values: Readonly<Record<string, string>>,
): FieldMessages {
  const fields: FieldMessages = {};
  const known = new Set(variables.map(({ envVariable }) => envVariable));
  for (const name of Object.keys(values)) {
    if (!known.has(name))
      fields[`environment.${name.slice(0, 100)}`] = [fieldProblem('not_found', 'is not a variable of this egg')];
  }
  for (const variable of variables) {
    const messages = checkVariable(
      variable,
      Object.hasOwn(values, variable.envVariable) ? values[variable.envVariable] : undefined,
    );
    if (messages.length > 0) fields[`environment.${variable.envVariable}`] = messages;
  }
  return fields;
}

function checkVariable(variable: EggVariable, value: string | undefined): FieldProblem[] {
  const rules = compileRules(variable.rules);
  if (value === undefined)
    return rules.isRequired && variable.defaultValue.trim() === '' ? [fieldProblem('required', 'is required')] : [];
  if (value.length > maxValueLength)
    return [fieldProblem('too_long', `must have at most ${maxValueLength} characters`)];
  // A line feed would add lines to files.
  if (!isCommandLine(value)) return ['must not hold control characters or line breaks'];
  // No change.
  if (value.trim() === '' && variable.defaultValue.trim() === '' && !rules.isRequired) return [];
  return rules.check(value);
}

export function effectiveValues(
  variables: readonly EggVariable[],
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    variables.map(({ envVariable, defaultValue }) => [
      envVariable,
      Object.hasOwn(values, envVariable) ? (values[envVariable] ?? defaultValue) : defaultValue,
    ]),
  );
}

/** Drops unchanged values. */
export function changedValues(
  variables: readonly EggVariable[],
  current: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const before = effectiveValues(variables, current);
  const isSame = (name: string, value: string) => value !== '' && Object.hasOwn(before, name) && before[name] === value;
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !isSame(name, value)));
}

interface PanelVariables {
  readonly serverId: string;
  readonly memoryMb: number;
  readonly ip: string;
  readonly port: number;
  readonly startup: string;
  readonly allocationLimit: number;
  /** Of the panel. */
  readonly timezone: string;
  /** Takes precedence; empty or absent: none. */
  readonly serverTimezone?: string;
}

type ServerFacts = Parameters<typeof runSettingsOf>[0] & {
  readonly id: string;
  readonly limits: { readonly memoryMb: number };
  readonly startup: string;
  readonly featureLimits: { readonly allocations: number };
  readonly egg: { readonly variables: readonly EggVariable[] };
  readonly environment: Readonly<Record<string, string>>;
};

/** `timezone`: the panel's. */
export function environmentOf(
  server: ServerFacts,
  address: { readonly ip: string; readonly port: number },
  timezone: string,
): Record<string, string> {
  return gameEnvironment(server.egg.variables, server.environment, {
    serverId: server.id,
    memoryMb: server.limits.memoryMb,
    ip: address.ip,
    port: address.port,
    startup: server.startup,
    allocationLimit: server.featureLimits.allocations,
    timezone,
    serverTimezone: runSettingsOf(server).timezone,
  });
}

/** No secrets. The panel's names win. */
export function gameEnvironment(
  variables: readonly EggVariable[],
  values: Readonly<Record<string, string>>,
  panel: PanelVariables,
): Record<string, string> {
  const effective = effectiveValues(variables, values);
  const own = Object.fromEntries(
    variables.flatMap((one) => namesOfVariable(one).map((name) => [name, effective[one.envVariable] ?? ''])),
  );
  const { SERVER_TIMEZONE: zone = '' } = own;
  return {
    TZ: isTimezone(zone) ? zone : panel.timezone,
    ...own,
    ...(panel.serverTimezone ? { TZ: panel.serverTimezone } : {}),
    STARTUP: panel.startup,
    SERVER_MEMORY: String(panel.memoryMb),
    SERVER_IP: panel.ip,
    SERVER_PORT: String(panel.port),
    P_SERVER_UUID: panel.serverId,
    P_SERVER_ALLOCATION_LIMIT: String(panel.allocationLimit),
  };
}

const placeholder = /\{\{\s*([A-Za-z_]\w*)\s*\}\}|\$\{([A-Za-z_]\w*)\}/g;

/**
 * For display: expands placeholders once, `hidden` ones to "[hidden]"; unknown ones stay. Games get values as
 * environment.
 */
export function renderStartup(
  startup: string,
  environment: Readonly<Record<string, string>>,
  hidden: ReadonlySet<string>,
): string {
  return startup.replace(placeholder, (whole: string, braced?: string, dollar?: string) => {
    const name = braced?.toUpperCase() ?? dollar ?? '';
    if (!Object.hasOwn(environment, name)) return whole;
    return hidden.has(name) ? '[hidden]' : (environment[name] ?? whole);
  });
}

/** Only for sent values: a stored one may violate a later rule. */
export function pickFields(fields: FieldMessages, values: Readonly<Record<string, string>>): FieldMessages {
  const named = new Set(Object.keys(values).map((name) => `environment.${name.slice(0, 100)}`));
  return Object.fromEntries(Object.entries(fields).filter(([field]) => named.has(field)));
}

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
