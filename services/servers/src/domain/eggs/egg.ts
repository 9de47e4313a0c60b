import {
  date,
  flag,
  id,
  listOf,
  number,
  optional,
  orNull,
  part,
  type RecordOf,
  text,
  withDefault,
} from '@panel/kit/records';

export const dockerImageFields = {
  label: id,
  image: id,
};
export type DockerImage = RecordOf<typeof dockerImageFields>;

export const startupCommandFields = {
  label: id,
  command: id,
};
export type StartupCommand = RecordOf<typeof startupCommandFields>;

export const eggConfigFields = {
  /** Path to {parser, find, create_file?}; text keeps the order of keys. */
  filesJson: text,
  /** Parts of ready lines, or "regex:…". */
  startupDone: listOf(text),
  startupStripAnsi: withDefault(flag, false),
  logsJson: text,
  /** Console command, ^C, or ^SIGNAL. */
  stop: text,
  /** Null or absent: the panel's. */
  stopGraceSeconds: optional(orNull(number)),
};
export type EggConfig = RecordOf<typeof eggConfigFields>;

export const installScriptFields = {
  install: text,
  container: text,
  entrypoint: text,
};
export type InstallScript = RecordOf<typeof installScriptFields>;

export const eggVariableFields = {
  name: text,
  description: text,
  envVariable: id,
  /** Of the egg's file, where it has small letters: scripts and games get both. */
  givenName: optional(text),
  defaultValue: text,
  userViewable: flag,
  userEditable: flag,
  rules: listOf(text),
};
export type EggVariable = RecordOf<typeof eggVariableFields>;

/** In the environment. */
export function namesOfVariable({ envVariable, givenName }: Pick<EggVariable, 'envVariable' | 'givenName'>): string[] {
  return givenName === undefined ? [envVariable] : [envVariable, givenName];
}

const eggSpecFields = {
  name: id,
  description: text,
  author: text,
  features: listOf(text),
  /** The first is the default. */
  dockerImages: listOf(part(dockerImageFields)),
  /** With `{{VAR}}` placeholders. */
  startup: id,
  /** `startup` is the default. Empty: no choice. */
  startupCommands: listOf(part(startupCommandFields)),
  config: part(eggConfigFields),
  script: part(installScriptFields),
  /** gitignore patterns, closed to customers. */
  fileDenylist: listOf(text),
  /** From the primary allocation's address, for some master servers. */
  forceOutgoingIp: withDefault(flag, false),
  variables: listOf(part(eggVariableFields)),
  /** Unused parts of the egg's file (`extras.ts`); empty: none. */
  extrasJson: text,
};
export type EggSpec = RecordOf<typeof eggSpecFields>;

export const eggFields = {
  id,
  nestId: id,
  /** Equal across panels. */
  uuid: id,
  spec: part(eggSpecFields),
  createdAt: date,
  updatedAt: date,
};
export type Egg = RecordOf<typeof eggFields>;

export const nestFields = {
  id,
  name: id,
  description: text,
  author: text,
  createdAt: date,
  updatedAt: date,
};
export type Nest = RecordOf<typeof nestFields>;

/** Set by the panel; closed to eggs. */
export const reservedVariables: ReadonlySet<string> = new Set([
  'SERVER_MEMORY',
  'SERVER_IP',
  'SERVER_PORT',
  'ENV',
  'HOME',
  'USER',
  'STARTUP',
  'SERVER_UUID',
  'UUID',
  'P_SERVER_UUID',
  'P_SERVER_ALLOCATION_LIMIT',
]);
