import {
  type ConfigChange,
  configPath,
  type ConfigFile,
  type ConfigValue,
  parseConfigFiles,
  type Parser,
} from './config-files.js';
import { TreeError } from './json-tree.js';

/** What placeholders of configuration files can stand for: flat, and without anything secret. */
export interface ConfigFacts {
  /** Everything the game's environment holds. */
  readonly environment: Readonly<Record<string, string>>;
  readonly ip: string;
  readonly port: number;
  readonly memoryMb: number;
  readonly swapMb: number;
  readonly diskMb: number;
  readonly ioWeight: number;
  readonly cpuPercent: number;
  readonly image: string;
  readonly serverId: string;
  readonly serverName: string;
  /** Address under which a game reaches its machine. */
  readonly hostIp: string;
}

/** A value to write; numbers are safe integers, everything else is text. */
export type RenderedValue = boolean | number | string;

interface RenderedReplacement {
  readonly key: string;
  readonly value: RenderedValue;
  /** Replace only where the old value matches. */
  readonly condition: { readonly match: string; readonly isRegex: boolean } | undefined;
}

export interface RenderedFile {
  readonly path: string;
  readonly parser: Parser;
  readonly isCreated: boolean;
  readonly replacements: readonly RenderedReplacement[];
}

interface RenderedConfig {
  readonly files: RenderedFile[];
  /** Files that cannot be written, for the console. */
  readonly problems: string[];
}

const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g;
const pathPlaceholder = /\{\{\s*(\w+)\s*\}\}|\$\{(\w+)\}/g;
const expressionPrefix = 'regex:';

/**
 * An egg's configuration files with their placeholders filled in, once: what a value says is not looked at again. Unknown
 * names of a server or its environment are nothing; other braces are left as they are.
 */
export function renderConfig(filesJson: string, facts: ConfigFacts): RenderedConfig {
  const lookup = namesOf(facts);
  const files: RenderedFile[] = [];
  const problems: string[] = [];
  for (const file of parseConfigFiles(filesJson)) {
    const path = pathOf(file.path, facts.environment);
    if (path === null) problems.push(`${file.path} leads out of the server and was left alone`);
    else files.push(renderFile(file, path, lookup));
  }
  return { files, problems };
}

function pathOf(path: string, environment: Readonly<Record<string, string>>): string | null {
  const filled = path.replace(pathPlaceholder, (_whole, braced?: string, dollar?: string) =>
    valueIn(environment, braced ?? dollar ?? ''),
  );
  try {
    // An empty name in front leaves a slash; whatever it says, "/" is the server's root.
    return `/${configPath(filled.replace(/^\/+/, ''))}`;
  } catch (error) {
    if (error instanceof TreeError) return null;
    throw error;
  }
}

/** Variables have names in capitals, whatever an egg's author wrote. */
function valueIn(environment: Readonly<Record<string, string>>, name: string): string {
  const key = name.toUpperCase();
  return Object.hasOwn(environment, key) ? (environment[key] ?? '') : '';
}

/** What a name stands for; null for what is no name of a server, its environment or its machine. */
type Lookup = (name: string) => string | null;

const environmentName = /^(?:env|server\.build\.env|server\.build\.environment|server\.environment)\.(\w+)$/;

/** All families of names: of older panels (server.build.…) and of newer ones. */
function namesOf(facts: ConfigFacts): Lookup {
  const { environment, ip, port, memoryMb, swapMb, diskMb, ioWeight, cpuPercent, image, serverId, hostIp } = facts;
  const names = new Map<string, string | number>([
    ['server.uuid', serverId],
    ['server.id', serverId],
    ['server.name', facts.serverName],
    ['server.meta.name', facts.serverName],
    ['server.build.default.ip', ip],
    ['server.build.default.port', port],
    ['server.allocations.default.ip', ip],
    ['server.allocations.default.port', port],
    ['server.build.memory', memoryMb],
    ['server.build.memory_limit', memoryMb],
    ['server.build.swap', swapMb],
    ['server.build.disk', diskMb],
    ['server.build.disk_space', diskMb],
    ['server.build.io', ioWeight],
    ['server.build.io_weight', ioWeight],
    ['server.build.cpu', cpuPercent],
    ['server.build.cpu_limit', cpuPercent],
    ['server.build.image', image],
    ['server.container.image', image],
    ['config.docker.interface', hostIp],
    ['config.docker.network.interface', hostIp],
  ]);
  return (name) => {
    const known = names.get(name);
    if (known !== undefined) return String(known);
    const variable = environmentName.exec(name)?.[1];
    if (variable !== undefined) return valueIn(environment, variable);
    return name.startsWith('server.') || name.startsWith('env.') ? '' : null;
  };
}

function fill(value: string, lookup: Lookup): string {
  return value.replace(placeholder, (whole, name: string) => lookup(name) ?? whole);
}

/** In what replaces an expression "$1" is a group of it when the egg says so, and "$$" a dollar. */
function withoutGroups(lookup: Lookup): Lookup {
  return (name) => lookup(name)?.replaceAll('$', '$$$$') ?? null;
}

function renderFile(file: ConfigFile, path: string, lookup: Lookup): RenderedFile {
  const replacements = file.changes.flatMap((change) => replacementsOf(change, lookup));
  return { path, parser: file.parser, isCreated: file.isCreated, replacements };
}

function replacementsOf({ key, value }: ConfigChange, lookup: Lookup): RenderedReplacement[] {
  const filledKey = fill(key, lookup);
  if (typeof value !== 'object') return [{ key: filledKey, value: valueOf(value, lookup), condition: undefined }];
  return value.map(({ match, value: to }) => {
    const isRegex = match.startsWith(expressionPrefix);
    const condition = { match: isRegex ? match.slice(expressionPrefix.length) : fill(match, lookup), isRegex };
    return { key: filledKey, value: valueOf(to, isRegex ? withoutGroups(lookup) : lookup), condition };
  });
}

function valueOf(value: ConfigValue, lookup: Lookup): RenderedValue {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  return fill(String(value), lookup);
}
