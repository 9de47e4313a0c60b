import type { EggSpec, EggVariable } from './egg.js';
import { decodeExtras, type EggFileSections } from './extras.js';
import { parseJsonTree, stringifyTree, type Tree } from './json-tree.js';
import { splitRules } from './rules.js';

const indent = 4;
/** Other panels require an author's e-mail address and a stop. */
const unknownAuthor = 'unknown@example.com';
const defaultStop = '^SIGTERM';
const isAddress = (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

/** PTDL_v2, which every panel imports: `config` parts are JSON strings, rules one string. */
export function writeEggFile(egg: EggSpec, exportedAt: Date): string {
  const extras = decodeExtras(egg.extrasJson);
  const document = new Map<string, Tree>([
    ['_comment', 'Egg file, PTDL_v2'],
    ['meta', withExtras({ version: 'PTDL_v2', update_url: null }, extras.meta)],
    ['exported_at', exportedAt.toISOString().replace(/\.\d{3}Z$/, '+00:00')],
    ['name', egg.name],
    ['author', isAddress(egg.author) ? egg.author : unknownAuthor],
    ['description', egg.description],
    ['features', [...egg.features]],
    ['docker_images', new Map(egg.dockerImages.map(({ label, image }) => [label, image]))],
    ['file_denylist', [...egg.fileDenylist]],
    ['startup', egg.startup],
    // An extension that other panels ignore.
    ...commandsOf(egg),
    ...(egg.forceOutgoingIp ? [['force_outgoing_ip', true] as const] : []),
    ['config', configOf(egg, extras)],
    ['scripts', treeOf({ installation: withExtras(installationOf(egg), extras.script) })],
    ['variables', egg.variables.map((variable) => variableOf(variable, extras))],
    ...extras.root,
  ]);
  return `${stringifyTree(document, indent)}\n`;
}

function commandsOf({ startupCommands }: EggSpec): [string, Tree][] {
  if (startupCommands.length === 0) return [];
  return [['startup_commands', new Map(startupCommands.map(({ label, command }) => [label, command]))]];
}

function withExtras(entries: Record<string, Tree>, extras: ReadonlyMap<string, Tree>): Tree {
  return new Map([...Object.entries(entries), ...extras]);
}

function treeOf(entries: Record<string, Tree>): Tree {
  return new Map(Object.entries(entries));
}

function configOf({ config }: EggSpec, extras: EggFileSections): Tree {
  const done: Tree = config.startupDone.length === 1 ? (config.startupDone[0] ?? '') : [...config.startupDone];
  const startup = new Map<string, Tree>();
  if (config.startupDone.length > 0) startup.set('done', done);
  if (config.startupStripAnsi) startup.set('strip_ansi', true);
  for (const [key, value] of extras.startup) startup.set(key, value);
  const own = {
    files: pretty(config.filesJson),
    startup: stringifyTree(startup, indent),
    logs: pretty(config.logsJson),
    stop: config.stop || defaultStop,
  };
  // An extension.
  const grace: Record<string, Tree> = config.stopGraceSeconds ? { stop_grace: config.stopGraceSeconds } : {};
  return withExtras({ ...own, ...grace }, extras.config);
}

function pretty(json: string): string {
  return stringifyTree(parseJsonTree(json === '' ? '{}' : json), indent);
}

function installationOf({ script }: EggSpec): Record<string, Tree> {
  return { script: script.install, container: script.container, entrypoint: script.entrypoint };
}

/** A list where text would split differently. */
function rulesOf({ rules }: EggVariable): Tree {
  const text = rules.join('|');
  const parts = splitRules(text);
  return parts.length === rules.length && parts.every((part, at) => part === rules[at]) ? text : [...rules];
}

function variableOf(variable: EggVariable, { variables }: EggFileSections): Tree {
  const own = {
    name: variable.name,
    description: variable.description,
    env_variable: variable.givenName ?? variable.envVariable,
    default_value: variable.defaultValue,
    user_viewable: variable.userViewable,
    user_editable: variable.userEditable,
    rules: rulesOf(variable),
    field_type: 'text',
  };
  return withExtras(own, variables.get(variable.envVariable) ?? new Map());
}
