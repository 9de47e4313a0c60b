import { ConfigFile as ConfigFileMessage, ConfigFile_Parser, type ConfigFile_Replacement } from '@panel/protos/files';
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
  /** Address under which a game reaches its machine. */
  readonly hostIp: string;
}

export interface RenderedConfig {
  readonly files: ConfigFileMessage[];
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
  const names = namesOf(facts);
  const files: ConfigFileMessage[] = [];
  const problems: string[] = [];
  for (const file of parseConfigFiles(filesJson)) {
    const path = pathOf(file.path, facts.environment);
    if (path === null) problems.push(`${file.path} leads out of the server and was left alone`);
    else files.push(messageOf(file, path, names));
  }
  return { files, problems };
}

function pathOf(path: string, environment: Readonly<Record<string, string>>): string | null {
  const filled = path.replace(pathPlaceholder, (_whole, braced?: string, dollar?: string) =>
    lookUp(environment, braced ?? dollar ?? ''),
  );
  try {
    return `/${configPath(filled)}`;
  } catch (error) {
    if (error instanceof TreeError) return null;
    throw error;
  }
}

function lookUp(names: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(names, name) ? (names[name] ?? '') : '';
}

/** Both families of names: of older panels (server.build.…) and of newer ones. */
function namesOf(facts: ConfigFacts): Readonly<Record<string, string>> {
  const { environment, ip, port, memoryMb, swapMb, diskMb, ioWeight, cpuPercent, image, serverId, hostIp } = facts;
  const names: Record<string, string> = {
    'server.uuid': serverId,
    'server.id': serverId,
    'server.build.default.ip': ip,
    'server.build.default.port': String(port),
    'server.allocations.default.ip': ip,
    'server.allocations.default.port': String(port),
    'server.build.memory': String(memoryMb),
    'server.build.memory_limit': String(memoryMb),
    'server.build.swap': String(swapMb),
    'server.build.disk': String(diskMb),
    'server.build.io': String(ioWeight),
    'server.build.cpu': String(cpuPercent),
    'server.build.image': image,
    'config.docker.interface': hostIp,
    'config.docker.network.interface': hostIp,
  };
  for (const [name, value] of Object.entries(environment)) {
    for (const prefix of ['env.', 'server.build.env.', 'server.build.environment.', 'server.environment.']) {
      names[prefix + name] = value;
    }
  }
  return names;
}

function fill(value: string, names: Readonly<Record<string, string>>): string {
  return value.replace(placeholder, (whole, name: string) => {
    if (Object.hasOwn(names, name)) return names[name] ?? '';
    return name.startsWith('server.') || name.startsWith('env.') ? '' : whole;
  });
}

function messageOf(file: ConfigFile, path: string, names: Readonly<Record<string, string>>): ConfigFileMessage {
  return ConfigFileMessage.create({
    path,
    parser: parserMessages[file.parser],
    createFile: file.isCreated,
    replacements: file.changes.flatMap((change) => replacementsOf(change, names)),
  });
}

const parserMessages: Readonly<Record<Parser, ConfigFile_Parser>> = {
  file: ConfigFile_Parser.FILE,
  properties: ConfigFile_Parser.PROPERTIES,
  ini: ConfigFile_Parser.INI,
  yaml: ConfigFile_Parser.YAML,
  yml: ConfigFile_Parser.YAML,
  json: ConfigFile_Parser.JSON,
  toml: ConfigFile_Parser.TOML,
  xml: ConfigFile_Parser.XML,
};

function replacementsOf(
  { key, value }: ConfigChange,
  names: Readonly<Record<string, string>>,
): ConfigFile_Replacement[] {
  const filledKey = fill(key, names);
  if (typeof value !== 'object') return [{ key: filledKey, value: valueOf(value, names), condition: undefined }];
  return value.map(({ match, value: to }) => {
    const isRegex = match.startsWith(expressionPrefix);
    const condition = { match: isRegex ? match.slice(expressionPrefix.length) : fill(match, names), isRegex };
    return { key: filledKey, value: valueOf(to, names), condition };
  });
}

function valueOf(value: ConfigValue, names: Readonly<Record<string, string>>): ConfigFile_Replacement['value'] {
  if (typeof value === 'boolean') return { $case: 'flag', value };
  if (typeof value === 'number' && Number.isSafeInteger(value)) return { $case: 'number', value };
  return { $case: 'text', value: fill(String(value), names) };
}
