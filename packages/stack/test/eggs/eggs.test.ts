import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { demoEggs, readEgg } from '../../src/seed/demo.js';

const jsonText = z.string().transform((text): unknown => JSON.parse(text));
const configFiles = z.record(
  z.string(),
  z.strictObject({
    parser: z.enum(['file', 'properties', 'json', 'yaml', 'ini', 'xml']),
    find: z.record(z.string(), z.string()),
  }),
);
const done = z.strictObject({ done: z.union([z.string().min(1), z.array(z.string().min(1)).nonempty()]) });
const eggSchema = z.strictObject({
  _comment: z.string(),
  meta: z.strictObject({ version: z.literal('PTDL_v2'), update_url: z.null() }),
  exported_at: z.iso.datetime({ offset: true }),
  name: z.string().min(1).max(191),
  author: z.email(),
  description: z.string().min(1),
  features: z.array(z.string()).nullable(),
  docker_images: z.record(z.string().min(1), z.string().regex(/^[\w./-]+:[\w.-]+$/)),
  file_denylist: z.array(z.string()),
  startup: z.string().min(1),
  config: z.strictObject({
    files: jsonText.pipe(configFiles),
    startup: jsonText.pipe(done),
    logs: jsonText.pipe(z.object({})),
    stop: z.string().min(1),
  }),
  scripts: z.strictObject({
    installation: z.strictObject({
      script: z.string(),
      container: z.string().min(1),
      entrypoint: z.enum(['sh', 'bash']),
    }),
  }),
  variables: z.array(
    z.strictObject({
      name: z.string().min(1).max(191),
      description: z.string(),
      env_variable: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
      default_value: z.string(),
      user_viewable: z.boolean(),
      user_editable: z.boolean(),
      rules: z.string().min(1),
      field_type: z.literal('text'),
    }),
  ),
});
const serverValues = new Set(['SERVER_PORT', 'SERVER_IP', 'SERVER_MEMORY']);

describe('bundled eggs', () => {
  const names = demoEggs.flatMap(({ files }) => files);

  it('uses every bundled egg in the demo', () => {
    const directory = fileURLToPath(new URL('../../../eggs', import.meta.url));
    expect(readdirSync(directory).sort()).to.deep.equal(names.map((name) => `${name}.json`).sort());
  });

  for (const name of names) {
    describe(name, () => {
      const egg = eggSchema.parse(JSON.parse(readEgg(name)));
      const variables = new Set(egg.variables.map((variable) => variable.env_variable));

      it('names every variable of a bundled egg once, and none with a reserved name', () => {
        expect(variables.size).to.equal(egg.variables.length);
        for (const reserved of [...serverValues, 'HOME', 'USER', 'ENV', 'STARTUP', 'UUID']) {
          expect(variables.has(reserved), reserved).to.equal(false);
        }
      });

      it('uses only placeholders that have a value', () => {
        for (const [, used = ''] of egg.startup.matchAll(/\{\{(.*?)\}\}/g)) {
          expect(variables.has(used) || serverValues.has(used), used).to.equal(true);
        }
        const values = Object.values(egg.config.files).flatMap(({ find }) => Object.values(find));
        for (const [, used = ''] of values.join('\n').matchAll(/\{\{(.*?)\}\}/g)) {
          const [, variable] = /^server\.build\.env\.(\w+)$/.exec(used) ?? [];
          expect(used === 'server.build.default.port' || variables.has(variable ?? ''), used).to.equal(true);
        }
      });

      it('satisfies the rules of every variable with its default', () => {
        for (const variable of egg.variables) expect(brokenRule(variable), variable.env_variable).to.equal(undefined);
      });

      it('contains installation scripts that their shell can parse', () => {
        const { script, entrypoint } = egg.scripts.installation;
        expect(script)
          .to.match(/^#!\/bin\/(ba)?sh\n/)
          .and.not.include('\r');
        const checked = spawnSync(entrypoint, ['-n'], { input: script, encoding: 'utf8' });
        expect(checked.stderr).to.equal('');
        expect(checked.status).to.equal(0);
      });
    });
  }
});

/* The servers service validates all rules. */
function brokenRule({ rules, default_value: value }: { rules: string; default_value: string }): string | undefined {
  // A pattern may contain the separator.
  const pattern = /(?:^|\|)regex:\/(.*)\/(?:\||$)/.exec(rules);
  const list = rules
    .replace(pattern?.[0] ?? '', '')
    .split('|')
    .filter(Boolean);
  if (list.includes('nullable') && value === '') return undefined;
  if (pattern && !new RegExp(pattern[1] ?? '').test(value)) return 'regex';
  const size = list.includes('integer') ? Number(value) : value.length;
  return list.find((rule) => {
    const [name = '', argument = ''] = rule.split(':');
    const [low, high] = argument.split(',').map(Number);
    switch (name) {
      case 'required':
        return value === '';
      case 'nullable':
      case 'string':
        return false;
      case 'integer':
        return !/^-?\d+$/.test(value);
      case 'boolean':
        return !/^[01]$/.test(value);
      case 'alpha_dash':
        return !/^[\w-]*$/.test(value);
      case 'in':
        return !argument.split(',').includes(value);
      case 'max':
        return size > (low ?? 0);
      case 'between':
        return size < (low ?? 0) || size > (high ?? 0);
      default:
        return true;
    }
  });
}
