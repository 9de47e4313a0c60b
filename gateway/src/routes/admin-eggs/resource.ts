import {
  ApplyEggResponse,
  Egg,
  EggApplication,
  EggApplication_Outcome,
  EggConfig,
  EggDifference,
  EggSpec,
  EggVariable,
  InstallScript,
  Nest,
  UpdateEggRequest,
} from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { resource } from '../../declaration/resource.js';

const text = (max: number) => z.string().max(max);
const words = (max: number) => z.array(text(1024)).max(max);
// Limits of an imported egg: reads can be written back.
const longText = text(64 * 1024);
const command = text(32 * 1024).min(1);
const rule = text(8192);

export const nest = resource(Nest, 'Nest', {
  id: is.uuid('id'),
  name: is.text('name').settable(z.string().trim().min(1).max(191)),
  description: is.text('description').settable(text(2000), ''),
  author: is.text('author').settableAs(text(191), text(320).default('')),
  eggs_count: is.int('eggsCount'),
  created_at: is.time('createTime'),
  updated_at: is.time('updateTime'),
});

const variable = resource(EggVariable, '', {
  name: is.text('name').settable(text(191).min(1)),
  description: is.text('description').settable(longText, ''),
  env_variable: is
    .text('envVariable')
    .settable(text(191).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a name of an environment variable')),
  default_value: is.text('defaultValue').settable(longText, ''),
  user_viewable: is.flag('userViewable').settable(z.boolean(), false),
  user_editable: is.flag('userEditable').settable(z.boolean(), false),
  rules: is.texts('rules').settable(z.union([rule.transform((rules) => [rules]), z.array(rule).max(50)]), []),
});

/** JSON text in the message. */
function freeForm<K extends string>(key: K, about?: string) {
  const schema = z.record(z.string(), z.unknown());
  return new is.KeyField(key, about === undefined ? schema : schema.describe(about), objectOf, JSON.stringify);
}

function objectOf(json: string): Record<string, unknown> {
  const value: unknown = json === '' ? null : JSON.parse(json);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

const done = z.union([text(1024).transform((line) => [line]), words(50)]);

const startup = resource(EggConfig, '', {
  done: is.texts('startupDone').settable(done, []),
  strip_ansi: is.flag('startupStripAnsi').settable(z.boolean(), false),
});

const config = resource(EggConfig, '', {
  files: freeForm('filesJson').settable(z.record(z.string(), z.unknown()), {}),
  startup: is.group(startup),
  logs: freeForm('logsJson').settable(z.record(z.string(), z.unknown()), {}),
  stop: is.text('stop', 'console command, or ^C, or ^SIGNAL').settable(text(1024), '^C'),
  stop_grace: is
    .positiveOrNull('stopGraceSeconds', 'seconds between the stop and the kill; null: as the panel is configured')
    .settable(z.int().min(1).max(86_400).nullable(), null),
});

const { files, ...otherConfig } = config.createBody.shape;
const configBody = z.strictObject({ files, startup: startup.createBody.prefault({}), ...otherConfig });

function readConfig(body: z.output<typeof configBody>): EggConfig {
  const { done: startupDone, strip_ansi: startupStripAnsi } = body.startup;
  return config.read(EggConfig, body, { startupDone, startupStripAnsi });
}

const script = resource(InstallScript, '', {
  install: is.text('install').settable(text(512 * 1024), ''),
  container: is.text('container').settable(text(255), ''),
  entrypoint: is.text('entrypoint').settable(text(255), 'bash'),
});

const imagesBody = z
  .record(z.string().min(1).max(255), z.string().min(1).max(255))
  .refine((images) => Object.keys(images).length > 0, 'must name at least one image');

const spec = resource(EggSpec, '', {
  name: is.text('name').settable(text(191).trim().min(1)),
  description: is.text('description').settable(longText, ''),
  author: is.text('author').settable(text(191), ''),
  features: is.texts('features').settable(words(50), []),
  docker_image: is.computed(
    z.string().describe('the default of docker_images, whose order JSON does not keep for all labels'),
    ({ dockerImages }: EggSpec) => dockerImages[0]?.image ?? '',
  ),
  docker_images: is.labelled('dockerImages', 'image', 'label to image').settable(imagesBody),
  startup: is.text('startup').settable(command),
  startup_commands: is
    .labelled(
      'startupCommands',
      'command',
      'label to command: what servers can choose among; empty when there is no choice',
    )
    .settable(z.record(z.string().min(1).max(191), command), {}),
  config: is.part('config', { ...config, readNew: readConfig }).settableAs(configBody, configBody.prefault({})),
  script: is.part('script', script).settableAs(script.createBody, script.createBody.prefault({})),
  file_denylist: is.texts('fileDenylist').settable(words(200), []),
  force_outgoing_ip: is.flag('forceOutgoingIp').settable(z.boolean(), false),
  variables: is.parts('variables', variable).settable(z.array(variable.createBody).max(100), []),
  extras: freeForm(
    'extrasJson',
    'what its file says and the panel does not use, by part of the file; an export writes it back',
  ),
});

export const egg = resource(Egg, 'Egg', {
  id: is.uuid('id'),
  nest_id: is.uuid('nestId'),
  uuid: is.text('uuid', "the egg's own, as in its file"),
  ...is.within('spec', spec),
  created_at: is.time('createTime'),
  updated_at: is.time('updateTime'),
});

export const importedEgg = egg.schema
  .extend({
    warnings: z.array(z.string()).describe('what the import left out or mended'),
  })
  .meta({ id: 'ImportedEgg' });

const defaultImage = text(255).min(1).describe('which of docker_images is the default; the first unless given');

/** Must be one of the given images. */
function checkDefaultImage({ value, issues }: z.core.ParsePayload<ImageChoice>): void {
  const { docker_image: image, docker_images: given = {} } = value;
  if (image === undefined || Object.values(given).includes(image)) return;
  issues.push({ code: 'custom', input: image, path: ['docker_image'], message: 'must be one of docker_images' });
}

interface ImageChoice {
  readonly docker_image?: string | undefined;
  readonly docker_images?: Readonly<Record<string, string>> | undefined;
}

export const createEggBody = spec.createBody.extend({ docker_image: defaultImage.optional() }).check(checkDefaultImage);

export const updateEggBody = spec.updateBody
  .extend({ docker_image: defaultImage.optional(), nest_id: z.uuid('must be a UUID').optional() })
  .check(checkDefaultImage);

/** Absent fields have no meaning. The default image comes first. */
export function eggSpec(body: Omit<z.output<typeof updateEggBody>, 'nest_id'>): EggSpec {
  const message = spec.read(EggSpec, body);
  const isDefault = ({ image }: { readonly image: string }) => image === body.docker_image;
  const at = message.dockerImages.findIndex(isDefault);
  if (at > 0) message.dockerImages.unshift(...message.dockerImages.splice(at, 1));
  return message;
}

export function updateEggRequest(eggId: string, body: z.output<typeof updateEggBody>): UpdateEggRequest {
  const { nest_id: nestId, ...fields } = body;
  // The order of images gives the default.
  const updateFields = Object.keys(fields).filter((name) => name !== 'docker_image');
  return UpdateEggRequest.create({ eggId, nestId, spec: eggSpec(fields), updateFields });
}

export const importEggQuery = z.object({
  nest_id: z.uuid('must be a UUID').optional().describe('nest to import into; without it the nest "Imported"'),
});

const jsonTypes = ['application/json'];
const yamlTypes = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];

/** Untrusted; parsed by the servers service. */
export const eggFile = { kind: 'bytes' as const, types: [...jsonTypes, ...yamlTypes], maxBytes: 1024 * 1024 };

export function isYaml(type: string): boolean {
  return yamlTypes.includes(type);
}

export const applyEggBody = z.strictObject({
  dry_run: z.boolean().default(false).describe('tell what would change, and change nothing'),
  server_ids: z.array(z.uuid('must be a UUID')).max(100).default([]).describe('empty: all servers of the egg'),
  after: z.uuid('must be a UUID').optional().describe('the next_server_id of the answer before'),
});

const application = resource(EggApplication, '', {
  id: is.uuid('serverId'),
  name: is.text('name'),
  outcome: is.word('outcome', EggApplication_Outcome, {
    about: 'busy: something else is in progress with the server, try again',
  }),
  differences: is.parts(
    'differences',
    resource(EggDifference, '', { field: is.text('field'), before: is.text('before'), after: is.text('after') }),
  ),
});

export const appliedEgg = resource(ApplyEggResponse, 'AppliedEgg', {
  servers: is.parts('servers', application),
  next_server_id: is.uuidOrNull('nextServerId', 'there are more servers: send it as `after`'),
});
