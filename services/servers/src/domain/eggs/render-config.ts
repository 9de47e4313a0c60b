import {
  type ConfigChange,
  configPath,
  type ConfigFile,
  type ConfigValue,
  parseConfigFiles,
  type Parser,
} from './config-files.js';
import { TreeError } from './json-tree.js';

/** Values of placeholders; no secrets. */
export interface ConfigFacts {
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
  /** From within a game. */
  readonly hostIp: string;
}

/** Numbers are safe integers; others are text. */
export type RenderedValue = boolean | number | string;

interface RenderedReplacement {
  readonly key: string;
  readonly value: RenderedValue;
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
  /** Unwritable files, for the console. */
  readonly problems: string[];
}

const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g;
const pathPlaceholder = /\{\{\s*(\w+)\s*\}\}|\$\{(\w+)\}/g;
const expressionPrefix = 'regex:';

/** One pass: values are not expanded again. Unknown names of server or environment become empty; other braces stay. */
export function renderConfig(filesJson: string, facts: ConfigFacts): RenderedConfig {
  const lookup = namesOf(facts);
  const files: RenderedFile[] = [];
  const problems: string[] = [];
  for (const file of parseConfigFiles(filesJson)) {
    const path = pathOf(file.path, facts.environment);
    if (path === null) problems.push(`${file.path} leads out of the server and was left alone`);
    else files.push(renderFile(file, path, lookup, problems));
  }
  return { files, problems };
}

function pathOf(path: string, environment: Readonly<Record<string, string>>): string | null {
  const filled = path.replace(pathPlaceholder, (_whole, braced?: string, dollar?: string) =>
    valueIn(environment, braced ?? dollar ?? ''),
  );
  try {
    // An empty leading name leaves a slash; "/" is the server's root.
    return `/${configPath(filled.replace(/^\/+/, ''))}`;
  } catch (error) {
    if (error instanceof TreeError) return null;
    throw error;
  }
}

/** Variable names are upper case; eggs may differ. */
function valueIn(environment: Readonly<Record<string, string>>, name: string): string {
  const key = name.toUpperCase();
  return Object.hasOwn(environment, key) ? (environment[key] ?? '') : '';
}

/** Null: other names. */
type Lookup = (name: string) => string | null;

const environmentName = /^(?:env|server\.build\.env|server\.build\.environment|server\.environment)\.(\w+)$/;

/** Of older (server.build.…) and newer panels. */
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

/** With groups, "$1" is a group and "$$" a dollar. */
function withoutGroups(lookup: Lookup): Lookup {
  return (name) => lookup(name)?.replaceAll('$', '$$$$') ?? null;
}

/** Their lines have no escapes of their own. */
const lineParsers: ReadonlySet<Parser> = new Set(['file', 'ini', 'properties']);
const quotedPart = /("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*')/;

/**
 * A value ends no quotes and adds no line. Inside the part of a line that a regular expression matches it is taken to be
 * in quotes: those may be around that part.
 */
function fillLine(template: string, parser: Parser, isRegex: boolean, lookup: Lookup): string {
  const plain: Lookup = parser === 'file' ? (name) => lookup(name)?.replace(/[\r\n]+/g, ' ') ?? null : lookup;
  return template
    .split(quotedPart)
    .map((part, at) => {
      const quote = at % 2 === 1 ? part.slice(0, 1) : isRegex ? '"' : '';
      return fill(part, quote === '' ? plain : (name) => insideQuotes(plain(name), quote));
    })
    .join('');
}

/**
 * For programs with escapes and those without (Source): the quote becomes another one, and a backslash before the end is
 * doubled. Other backslashes stay, for people write escapes of their game (`\n`).
 */
function insideQuotes(value: string | null, quote: string): string | null {
  const text = value?.replaceAll(quote, quote === '"' ? "'" : '`') ?? null;
  return text !== null && /(?<!\\)(?:\\\\)*\\$/.test(text) ? `${text}\\` : text;
}

/** Sets an attribute instead of a text. */
const xmlAttribute = /^\[[A-Za-z_][\w:.-]*='[\s\S]*'\]$/;

function renderFile(file: ConfigFile, path: string, lookup: Lookup, problems: string[]): RenderedFile {
  const { parser, isCreated } = file;
  const replacements = file.changes
    .flatMap((change) => replacementsOf(change, parser, lookup))
    .filter(({ template, key, value }) => {
      const isAttribute = (text: unknown) => parser === 'xml' && xmlAttribute.test(String(text));
      if (isAttribute(template) || !isAttribute(value)) return true;
      problems.push(`${path}: ${key}: this value would be an attribute and was left out`);
      return false;
    })
    .map(({ key, value, condition }) => ({ key, value, condition }));
  return { path, parser, isCreated, replacements };
}

interface FilledReplacement extends RenderedReplacement {
  readonly template: ConfigValue;
}

function replacementsOf({ key, value }: ConfigChange, parser: Parser, lookup: Lookup): FilledReplacement[] {
  const filled = (template: ConfigValue, condition: RenderedReplacement['condition']): FilledReplacement => {
    const isRegex = condition?.isRegex ?? false;
    const names = isRegex ? withoutGroups(lookup) : lookup;
    return { key: fill(key, lookup), value: valueOf(template, parser, isRegex, names), condition, template };
  };
  if (typeof value !== 'object') return [filled(value, undefined)];
  return value.map(({ match, value: to }) => {
    const isRegex = match.startsWith(expressionPrefix);
    return filled(to, { match: isRegex ? match.slice(expressionPrefix.length) : fill(match, lookup), isRegex });
  });
}

function valueOf(value: ConfigValue, parser: Parser, isRegex: boolean, lookup: Lookup): RenderedValue {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  const template = String(value);
  return lineParsers.has(parser) ? fillLine(template, parser, isRegex, lookup) : fill(template, lookup);
}
