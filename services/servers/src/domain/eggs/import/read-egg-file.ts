import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { DockerImage, EggConfig, EggSpec, InstallScript, StartupCommand } from '../egg.js';
import { checkEgg, expressionsOf } from '../check-egg.js';
import { withCleanTexts } from '../clean-texts.js';
import { validateDonePattern } from '../done.js';
import { fail } from '../../../reasons.js';
import { isStopGrace } from '../../servers/run-settings.js';
import { isList, isMap, itemsOf, parseJsonTree, stringifyTree, type Tree, TreeError } from '../json-tree.js';
import { parseYamlTree } from '../yaml-tree.js';
import { encodeExtras, maxExtrasLength } from '../extras.js';
import { isBareSignal, isUnknownSignal } from '../stop.js';
import { EggReader } from './reader.js';
import { readVariables, variableSections } from './variables.js';

const maxEggFileBytes = 1024 * 1024;

/** They differ in images and startup: `readImages`, `readStartup`. */
const versions = ['PTDL_v1', 'PTDL_v2', 'PLCN_v1', 'PLCN_v2', 'PLCN_v3'];
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface ImportedEgg {
  readonly spec: EggSpec;
  readonly nestId: string | null;
  /** Null: none or malformed. */
  readonly uuid: string | null;
  /** Omissions and repairs, for the operator. */
  readonly warnings: readonly string[];
}

/**
 * Untrusted: size, depth, keys, images, paths and expressions are checked as for eggs made here. Throws INVALID_FIELDS
 * naming the field, BAD_REQUEST for an unreadable file.
 */
export function readEggFile(content: Uint8Array, format: 'json' | 'yaml'): ImportedEgg {
  const root = parseFile(content, format);
  const reader = new EggReader();
  const version = reader.text('meta.version', reader.map('meta', root.get('meta')).get('version'));
  if (!versions.includes(version)) {
    throw invalidFields(
      { 'meta.version': [fieldProblem('not_allowed', `must be one of ${versions.join(', ')}`)] },
      'not an egg file',
    );
  }
  const { variables, renamed } = readVariables(root.get('variables'), reader);
  const { startup, commands } = readStartup(root, reader);
  const spec: EggSpec = withCleanTexts({
    name: reader.text('name', root.get('name')).trim(),
    description: reader.text('description', root.get('description')),
    author: reader.text('author', root.get('author')),
    features: reader.texts('features', root.get('features')),
    dockerImages: readImages(root, reader),
    startup: rename(startup, renamed),
    startupCommands: commands.map(({ label, command }) => ({ label, command: rename(command, renamed) })),
    config: readConfig(reader.map('config', root.get('config')), renamed, reader),
    script: readScript(reader.map('scripts', root.get('scripts')), reader),
    fileDenylist: reader.texts('file_denylist', root.get('file_denylist')).filter((pattern) => pattern.trim() !== ''),
    forceOutgoingIp: reader.flag(root.get('force_outgoing_ip')),
    variables,
    extrasJson: readExtras(root, renamed, reader),
  });
  warnOfRunning(spec.config, reader);
  const nestId = readNestId(root.get('nest_id'), reader);
  reader.throwProblems();
  checkEgg(spec, expressionsOf(spec));
  const uuid = reader.text('uuid', root.get('uuid')).toLowerCase();
  return { spec, nestId, uuid: uuidPattern.test(uuid) ? uuid : null, warnings: reader.warnings };
}

function readExtras(root: ReadonlyMap<string, Tree>, renamed: ReadonlyMap<string, string>, reader: EggReader): string {
  const config = reader.map('config', root.get('config'));
  const scripts = reader.map('scripts', root.get('scripts'));
  const text = encodeExtras({
    root,
    meta: reader.map('meta', root.get('meta')),
    config,
    startup: reader.map('config.startup', reader.embedded('config.startup', config.get('startup'))),
    script: reader.map('scripts.installation', scripts.get('installation')),
    variables: variableSections(root.get('variables'), renamed),
  });
  if (text.length <= maxExtrasLength) return text;
  reader.warn('icon, tags and other keys that the panel does not use are larger than 256 KiB and were left out');
  return '';
}

function parseFile(content: Uint8Array, format: 'json' | 'yaml'): ReadonlyMap<string, Tree> {
  if (content.byteLength > maxEggFileBytes) throw unreadable('must be at most 1 MiB');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    const tree = format === 'yaml' ? parseYamlTree(text) : parseJsonTree(text);
    if (isMap(tree)) return tree;
    throw new TreeError('must be an object');
  } catch (error) {
    if (error instanceof TreeError) throw unreadable(error.message);
    if (error instanceof TypeError) throw unreadable('must be UTF-8 text');
    throw error;
  }
}

/** Nothing of it was read: there are no fields to name. */
function unreadable(problem: string) {
  return fail('BAD_REQUEST', `the egg file cannot be read: ${problem}`);
}

/** Not of the formats: where this panel is to keep it. Null: not said. */
function readNestId(value: Tree | undefined, reader: EggReader): string | null {
  return reader.text('nest_id', value).trim() || null;
}

/** PTDL_v1: `image`, or a list `images`; others: an object of label and image, some one image as text. */
function readImages(root: ReadonlyMap<string, Tree>, reader: EggReader): DockerImage[] {
  const images = root.get('docker_images');
  if (isMap(images) && images.size > 0) {
    return [...images].map(([label, image]) => ({ label, image: reader.text('docker_images', image).trim() }));
  }
  const one = typeof images === 'string' ? images.split('\n') : [];
  const lists = [images, one, root.get('images'), [root.get('image') ?? null]].filter(isList);
  const list = lists.find(({ length }) => length > 0) ?? [];
  return list
    .map((image) => reader.text('docker_images', image).trim())
    .filter((image) => image !== '' && !image.startsWith('data:'))
    .map((image) => ({ label: image, image }));
}

/** PLCN_v3: labelled commands; the first is the default. */
function readStartup(
  root: ReadonlyMap<string, Tree>,
  reader: EggReader,
): { startup: string; commands: StartupCommand[] } {
  const startup = root.get('startup');
  const alone = itemsOf(startup) ? '' : reader.text('startup', startup);
  const [own, ofStartup] = [root.get('startup_commands'), startup].map((given) => readCommands(given, reader));
  const commands = own?.length ? own : (ofStartup ?? []);
  return { startup: alone || (commands[0]?.command ?? ''), commands: commands.length > 1 ? commands : [] };
}

function readCommands(given: Tree | undefined, reader: EggReader): StartupCommand[] {
  const labelled = isMap(given)
    ? [...given]
    : (itemsOf(given) ?? []).map((command, at) => [`Command ${at + 1}`, command] as const);
  return labelled.map(([label, command]) => ({ label, command: reader.text('startup_commands', command) }));
}

/** Config file paths also use `${VAR}`. */
function rename(text: string, renamed: ReadonlyMap<string, string>): string {
  if (renamed.size === 0) return text;
  const filled = text.replace(
    /\{\{\s*((?:server\.build\.env|server\.build\.environment|server\.environment|env)\.)?(\w+)\s*\}\}/g,
    (whole, prefix: string | undefined, name: string) => {
      const to = renamed.get(name.toUpperCase());
      return to === undefined ? whole : `{{${prefix ?? ''}${to}}}`;
    },
  );
  return filled.replace(/\$\{(\w+)\}/g, (whole, name: string) =>
    renamed.has(name) ? `\${${renamed.get(name)}}` : whole,
  );
}

function readConfig(
  config: ReadonlyMap<string, Tree>,
  renamed: ReadonlyMap<string, string>,
  reader: EggReader,
): EggConfig {
  const startup = reader.map('config.startup', reader.embedded('config.startup', config.get('startup')));
  const done = startup.get('done');
  const stop = reader.text('config.stop', config.get('stop')).trim();
  return {
    filesJson: rename(embeddedJson('config.files', config.get('files'), reader), renamed),
    startupDone: (itemsOf(done) ? reader.texts('config.startup', done) : [reader.text('config.startup', done)]).filter(
      (part) => part !== '',
    ),
    startupStripAnsi: reader.flag(startup.get('strip_ansi')),
    logsJson: embeddedJson('config.logs', config.get('logs'), reader),
    stop,
    ...readGrace(config.get('stop_grace'), reader),
  };
}

function warnOfRunning({ stop, startupDone }: EggConfig, reader: EggReader): void {
  const quoted = JSON.stringify(stop.slice(0, 50));
  if (isUnknownSignal(stop)) reader.warn(`the stop ${quoted} names no signal: SIGTERM is sent`);
  if (isBareSignal(stop)) reader.warn(`the stop ${quoted} is sent as a command: ^${stop} is the signal`);
  for (const part of startupDone) {
    const why = validateDonePattern(part);
    if (why !== null) reader.warn(`the ready text ${JSON.stringify(part.slice(0, 100))} has no effect: ${why}`);
  }
  if (startupDone.every((part) => validateDonePattern(part) !== null))
    reader.warn('there is no text that says when the game is ready ("done"): it counts as running once it is started');
}

function readGrace(value: Tree | undefined, reader: EggReader): Pick<EggConfig, 'stopGraceSeconds'> {
  const text = reader.text('config.stop_grace', value).trim();
  if (text === '') return {};
  if (/^\d{1,9}$/.test(text) && isStopGrace(Number(text))) return { stopGraceSeconds: Number(text) };
  reader.warn(`the stop_grace ${JSON.stringify(text.slice(0, 50))} is no number of seconds and was left out`);
  return {};
}

function embeddedJson(field: string, value: Tree | undefined, reader: EggReader): string {
  const tree = reader.embedded(field, value);
  return stringifyTree(reader.map(field, tree));
}

function readScript(scripts: ReadonlyMap<string, Tree>, reader: EggReader): InstallScript {
  const script = reader.map('scripts.installation', scripts.get('installation'));
  return {
    install: reader.text('script.install', script.get('script')),
    container: reader.text('script.container', script.get('container')).trim(),
    entrypoint: reader.text('script.entrypoint', script.get('entrypoint'), 'bash').trim(),
  };
}
