import { z } from 'zod';
import { time } from '../../declaration/present.js';

export const nest = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    description: z.string(),
    author: z.string(),
    eggs_count: z.int(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Nest' });

export const createNestBody = z.strictObject({
  name: z.string().trim().min(1).max(191),
  description: z.string().max(2000).default(''),
  author: z.string().max(320).default(''),
});

export const updateNestBody = z
  .strictObject({
    name: z.string().trim().min(1).max(191),
    description: z.string().max(2000),
    author: z.string().max(191),
  })
  .partial();

const variable = z.strictObject({
  name: z.string(),
  description: z.string(),
  env_variable: z.string(),
  default_value: z.string(),
  user_viewable: z.boolean(),
  user_editable: z.boolean(),
  rules: z.array(z.string()),
});

export const egg = z
  .strictObject({
    id: z.uuid(),
    nest_id: z.uuid(),
    uuid: z.string().describe("the egg's own, as in its file"),
    name: z.string(),
    description: z.string(),
    author: z.string(),
    features: z.array(z.string()),
    docker_image: z.string().describe('the default of docker_images, whose order JSON does not keep for all labels'),
    docker_images: z.record(z.string(), z.string()).describe('label to image'),
    startup: z.string(),
    startup_commands: z
      .record(z.string(), z.string())
      .describe('label to command: what servers can choose among; empty when there is no choice'),
    config: z.strictObject({
      files: z.record(z.string(), z.unknown()),
      startup: z.strictObject({ done: z.array(z.string()), strip_ansi: z.boolean() }),
      logs: z.record(z.string(), z.unknown()),
      stop: z.string().describe('console command, or ^C, or ^SIGNAL'),
      stop_grace: z
        .int()
        .nullable()
        .describe('seconds between the stop and the kill; null: as the panel is configured'),
    }),
    script: z.strictObject({ install: z.string(), container: z.string(), entrypoint: z.string() }),
    file_denylist: z.array(z.string()),
    force_outgoing_ip: z.boolean(),
    variables: z.array(variable),
    extras: z
      .record(z.string(), z.unknown())
      .describe('what its file says and the panel does not use, by part of the file; an export writes it back'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Egg' });

export const importedEgg = egg
  .extend({
    warnings: z.array(z.string()).describe('what the import left out or mended'),
  })
  .meta({ id: 'ImportedEgg' });

const text = (max: number) => z.string().max(max);
const words = (max: number) => z.array(text(1024)).max(max);
// As much as an imported egg may have: what was read can be sent back.
const longText = text(64 * 1024);
const command = text(32 * 1024).min(1);
const rule = text(8192);
const freeForm = z.record(z.string(), z.unknown());

const defaultImage = text(255).min(1).describe('which of docker_images is the default; the first unless given');

/** The default is one of the images that come with it. */
function checkDefaultImage({ value, issues }: z.core.ParsePayload<ImageChoice>): void {
  const { docker_image: image, docker_images: images = {} } = value;
  if (image === undefined || Object.values(images).includes(image)) return;
  issues.push({ code: 'custom', input: image, path: ['docker_image'], message: 'must be one of docker_images' });
}

interface ImageChoice {
  readonly docker_image?: string | undefined;
  readonly docker_images?: Readonly<Record<string, string>> | undefined;
}

const fields = {
  name: text(191).trim().min(1),
  description: longText,
  author: text(191),
  features: words(50),
  docker_images: z
    .record(z.string().min(1).max(255), z.string().min(1).max(255))
    .refine((images) => Object.keys(images).length > 0, 'must name at least one image'),
  startup: command,
  startup_commands: z.record(z.string().min(1).max(191), command),
  config: z.strictObject({
    files: freeForm.default({}),
    startup: z
      .strictObject({
        done: z.union([text(1024).transform((line) => [line]), words(50)]).default([]),
        strip_ansi: z.boolean().default(false),
      })
      .prefault({}),
    logs: freeForm.default({}),
    stop: text(1024).default('^C'),
    stop_grace: z.int().min(1).max(86_400).nullable().default(null),
  }),
  script: z.strictObject({
    install: text(512 * 1024).default(''),
    container: text(255).default(''),
    entrypoint: text(255).default('bash'),
  }),
  file_denylist: words(200),
  force_outgoing_ip: z.boolean(),
  variables: z
    .array(
      z.strictObject({
        name: text(191).min(1),
        description: longText.default(''),
        env_variable: text(191).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a name of an environment variable'),
        default_value: longText.default(''),
        user_viewable: z.boolean().default(false),
        user_editable: z.boolean().default(false),
        rules: z.union([rule.transform((rules) => [rules]), z.array(rule).max(50)]).default([]),
      }),
    )
    .max(100),
};

export const createEggBody = z
  .strictObject({
    ...fields,
    docker_image: defaultImage.optional(),
    description: fields.description.default(''),
    author: fields.author.default(''),
    features: fields.features.default([]),
    startup_commands: fields.startup_commands.default({}),
    config: fields.config.prefault({}),
    script: fields.script.prefault({}),
    file_denylist: fields.file_denylist.default([]),
    force_outgoing_ip: fields.force_outgoing_ip.default(false),
    variables: fields.variables.default([]),
  })
  .check(checkDefaultImage);

export const updateEggBody = z
  .strictObject({ ...fields, docker_image: defaultImage, nest_id: z.uuid('must be a UUID') })
  .partial()
  .check(checkDefaultImage);

export const importEggQuery = z.object({
  nest_id: z.uuid('must be a UUID').optional().describe('nest to import into; without it the nest "Imported"'),
});

const jsonTypes = ['application/json'];
const yamlTypes = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];

/** An egg file travels as it is: the servers service reads it, as untrusted input. */
export const eggFile = { kind: 'bytes' as const, types: [...jsonTypes, ...yamlTypes], maxBytes: 1024 * 1024 };

export function isYaml(type: string): boolean {
  return yamlTypes.includes(type);
}

export const applyEggBody = z.strictObject({
  dry_run: z.boolean().default(false).describe('tell what would change, and change nothing'),
  server_ids: z.array(z.uuid('must be a UUID')).max(100).default([]).describe('empty: all servers of the egg'),
  after: z.uuid('must be a UUID').optional().describe('the next_server_id of the answer before'),
});

export const appliedEgg = z
  .strictObject({
    servers: z.array(
      z.strictObject({
        id: z.uuid(),
        name: z.string(),
        outcome: z
          .enum(['unchanged', 'changed', 'busy'])
          .describe('busy: something else is in progress with the server, try again'),
        differences: z.array(z.strictObject({ field: z.string(), before: z.string(), after: z.string() })),
      }),
    ),
    next_server_id: z.uuid().nullable().describe('there are more servers: send it as `after`'),
  })
  .meta({ id: 'AppliedEgg' });
