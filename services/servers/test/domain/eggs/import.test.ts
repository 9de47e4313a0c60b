import { AppError } from '@panel/kit/errors';
import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { parseConfigFiles } from '../../../src/domain/eggs/config-files.js';
import { writeEggFile } from '../../../src/domain/eggs/write-egg-file.js';
import { readEggFile } from '../../../src/domain/eggs/import/read-egg-file.js';
import { eggBytes, eggFile } from './egg-file.js';
import { randomSpec } from './random-spec.js';

function brokenField(content: Buffer, format: 'json' | 'yaml' = 'json'): string {
  try {
    readEggFile(content, format);
  } catch (error) {
    if (error instanceof AppError && error.reason === 'INVALID_FIELDS')
      return Object.keys(error.metadata.fields ?? {}).join();
    if (error instanceof AppError && error.reason === 'BAD_REQUEST') return error.reason;
    throw error;
  }
  return 'none';
}

const variable = (changes: object) => [{ ...(eggFile().variables as object[])[0], ...changes }];
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const filesOf = (count: number, changes: number) => {
  const find = Object.fromEntries(many(changes, (at) => [`k${at}`, 'v']));
  return Object.fromEntries(many(count, (at) => [`f${at}.txt`, { parser: 'file', find }]));
};
const config = (changes: object) => ({ ...(eggFile().config as object), ...changes });
const files = (path: string) => config({ files: JSON.stringify({ [path]: { parser: 'file', find: {} } }) });

interface Exported extends Record<string, unknown> {
  readonly config: Readonly<Record<string, string | number>>;
  readonly variables: readonly Readonly<Record<string, unknown>>[];
}

describe('egg import', () => {
  it('reads a PTDL_v2 file', () => {
    const { spec, warnings } = readEggFile(eggBytes(), 'json');
    expect(spec.dockerImages.map(({ label }) => label)).to.deep.equal(['Shell', 'Other']);
    expect(spec.config.startupDone).to.deep.equal(['ready to play']);
    expect(spec.variables[0]?.rules).to.deep.equal(['required', 'string', 'max:20']);
    expect(spec.fileDenylist).to.deep.equal([]);
    expect(warnings).to.deep.equal([]);
  });

  it('keeps the order of images with numeric labels', () => {
    const text = JSON.stringify(eggFile()).replace(
      /"docker_images":\{[^}]*\}/,
      '"docker_images":{"21":"a:21","8":"a:8"}',
    );
    const { spec } = readEggFile(Buffer.from(text), 'json');
    expect(spec.dockerImages.map(({ label }) => label)).to.deep.equal(['21', '8']);
    expect(writeEggFile(spec, new Date())).to.match(/"21": "a:21",\s+"8": "a:8"/);
  });

  it('imports an egg in YAML', () => {
    expect(readEggFile(Buffer.from(stringify(eggFile())), 'yaml').spec).to.deep.equal(
      readEggFile(eggBytes(), 'json').spec,
    );
  });

  it('reads PTDL_v1 with its one image', () => {
    const { docker_images: _, ...older } = eggFile({
      meta: { version: 'PTDL_v1' },
      image: 'debian:11',
      file_denylist: '',
    });
    expect(readEggFile(Buffer.from(JSON.stringify(older)), 'json').spec.dockerImages).to.deep.equal([
      { label: 'debian:11', image: 'debian:11' },
    ]);
  });

  it('reads all startup commands of PLCN_v3, uses the first as the default and ignores an icon in the image field', () => {
    const file = eggFile({ meta: { version: 'PLCN_v3' }, startup: undefined, image: 'data:image/png;base64,AAAA' });
    const { spec, warnings } = readEggFile(
      Buffer.from(JSON.stringify({ ...file, startup_commands: { Default: 'run {{GREETING}}', Debug: 'run -v' } })),
      'json',
    );
    expect(spec.startup).to.equal('run {{GREETING}}');
    expect(spec.startupCommands).to.deep.equal([
      { label: 'Default', command: 'run {{GREETING}}' },
      { label: 'Debug', command: 'run -v' },
    ]);
    expect(warnings).to.deep.equal([]);
    const again = readEggFile(Buffer.from(writeEggFile(spec, new Date())), 'json').spec;
    expect(again).to.deep.equal(spec);
    const exported = JSON.parse(writeEggFile(spec, new Date())) as Record<string, unknown>;
    expect(exported['startup'], 'for panels that know one command only').to.equal('run {{GREETING}}');
  });

  it('renames reserved variables in every startup command', () => {
    const variable = { name: 'x', env_variable: 'HOME', default_value: '1', rules: 'string' };
    const file = eggFile({ meta: { version: 'PLCN_v3' }, startup: undefined, variables: [variable] });
    const read = (startup_commands: object) =>
      readEggFile(Buffer.from(JSON.stringify({ ...file, startup_commands })), 'json').spec;
    expect(read({ a: 'run {{HOME}}', b: 'go ${HOME}' }).startupCommands.map(({ command }) => command)).to.deep.equal([
      'run {{SERVER_HOME}}',
      'go ${SERVER_HOME}',
    ]);
    expect(read({ only: 'run' })).to.deep.include({ startup: 'run', startupCommands: [] });
  });

  it('refuses empty and too many startup commands', () => {
    const file = eggFile({ meta: { version: 'PLCN_v3' }, startup: undefined });
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`c${at}`, 'run']));
    for (const startup_commands of [{ a: 'run', b: ' ' }, many, { a: 'run', 'b\u0007': 'run' }, { a: 'run', b: {} }]) {
      const read = () => readEggFile(Buffer.from(JSON.stringify({ ...file, startup_commands })), 'json');
      expect(read, JSON.stringify(startup_commands).slice(0, 50)).to.throw().with.property('reason', 'INVALID_FIELDS');
    }
  });

  it('converts numeric and boolean default values to text and upper-cases variable names', () => {
    const { spec } = readEggFile(
      eggBytes({ variables: variable({ default_value: true, env_variable: 'greeting' }) }),
      'json',
    );
    expect(spec.variables[0]).to.include({ defaultValue: 'true', envVariable: 'GREETING' });
  });

  it('keeps every digit of a number in a text field', () => {
    const numbers = ['76561198012345678', '9007199254740991', '1.20', '-0.5', '1e3', '12345678901234567890123'];
    for (const number of numbers) {
      const file = JSON.stringify(eggFile({ variables: variable({ default_value: 0 }) }));
      const json = file.replace('"default_value":0', `"default_value":${number}`);
      expect(readEggFile(Buffer.from(json), 'json').spec.variables[0]?.defaultValue, number).to.equal(number);
      const yaml = stringify(eggFile({ variables: variable({ default_value: 0 }) }));
      const text = yaml.replace('default_value: 0', `default_value: ${number}`);
      expect(readEggFile(Buffer.from(text), 'yaml').spec.variables[0]?.defaultValue, number).to.equal(number);
    }
  });

  it('reads images from whichever field is not empty', () => {
    const places = [{ images: [], image: 'a:1' }, { images: null, image: 'a:1' }, { images: ['a:1', 'a:2'] }];
    for (const place of [...places, { docker_images: {}, image: 'a:1' }, { docker_images: [], images: ['a:1'] }]) {
      const { docker_images: _, ...older } = eggFile({ meta: { version: 'PTDL_v1' } });
      const { spec } = readEggFile(Buffer.from(JSON.stringify({ ...older, ...place })), 'json');
      expect(spec.dockerImages[0], JSON.stringify(place)).to.deep.equal({ label: 'a:1', image: 'a:1' });
    }
  });

  it('keeps every digit of numbers in configuration files', () => {
    const find = '{"a.json":{"parser":"json","find":{"seed":1234567890123456789,"port":25565,"on":true,"x":1.5}}}';
    const { spec } = readEggFile(eggBytes({ config: config({ files: find }) }), 'json');
    expect(spec.config.filesJson).to.equal(find.replace('1234567890123456789', '"1234567890123456789"'));
  });

  it('renames reserved variables in config rules', () => {
    const find = { a: '{{ server.build.env.USER }} {{env.USER}} {{server.environment.USER}} {{env.USERS}} {{USER}}' };
    const changes = {
      variables: variable({ env_variable: 'USER' }),
      config: config({ files: JSON.stringify({ '{{USER}}/a.txt': { parser: 'file', find } }) }),
      startup: 'run {{ USER }}',
    };
    const { spec } = readEggFile(eggBytes(changes), 'json');
    expect(spec.startup).to.equal('run {{SERVER_USER}}');
    expect(JSON.parse(spec.config.filesJson)).to.deep.equal({
      '{{SERVER_USER}}/a.txt': {
        parser: 'file',
        find: {
          a: '{{server.build.env.SERVER_USER}} {{env.SERVER_USER}} {{server.environment.SERVER_USER}} {{env.USERS}} {{SERVER_USER}}',
        },
      },
    });
  });

  it('renames reserved variables in the startup command', () => {
    const changes = { variables: variable({ env_variable: 'USER' }), startup: 'run {{USER}} ${USER}' };
    const { spec, warnings } = readEggFile(eggBytes(changes), 'json');
    expect(spec.variables[0]?.envVariable).to.equal('SERVER_USER');
    expect(spec.startup).to.equal('run {{SERVER_USER}} ${SERVER_USER}');
    expect(warnings).to.have.length(1);
  });

  it('reads a leading slash in a config path as the root of the server', () => {
    const { spec } = readEggFile(eggBytes({ config: files('/config/server.cfg') }), 'json');
    expect(parseConfigFiles(spec.config.filesJson).map(({ path }) => path)).to.deep.equal(['config/server.cfg']);
  });

  it('refuses configuration files whose paths no file of a server may have', () => {
    for (const odd of ['../x', 'a\\b', 'a\u009bb', 'gpj\u202eexe', 'x'.repeat(256), `${'d/'.repeat(65)}f`, '/']) {
      const files = JSON.stringify({ [odd]: { parser: 'file', find: { a: 'b' } } });
      expect(() => parseConfigFiles(files), odd).to.throw(/is not a path inside the server/);
    }
  });

  it('keeps the last of several variables with one name and warns about it', () => {
    const variable = (name: string, value: string) => ({ name, env_variable: name, default_value: value, rules: '' });
    const variables = [variable('MAP', 'first'), variable('SEED', '1'), variable('map', 'last')];
    const { spec, warnings } = readEggFile(eggBytes({ variables, startup: 'run' }), 'json');
    expect(spec.variables.map(({ envVariable, defaultValue }) => [envVariable, defaultValue])).to.deep.equal([
      ['SEED', '1'],
      ['MAP', 'last'],
    ]);
    expect(warnings).to.deep.equal(['the variable MAP is there more than once: the last one counts']);
  });

  it('warns about a stop that names no signal', () => {
    const { warnings } = readEggFile(eggBytes({ config: config({ stop: '^X' }) }), 'json');
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('"^X"');
  });

  it('exports tags, icon, update_url, userInteraction and unknown keys as they were imported', () => {
    const [greeting = {}] = eggFile()['variables'] as object[];
    const file = eggFile({
      meta: { version: 'PTDL_v2', update_url: 'https://example.com/egg.json' },
      tags: ['voxel', 'survival'],
      icon: 'data:image/png;base64,AAAA',
      image: 'data:image/png;base64,BBBB',
      sponsors: { gold: [1, 2.5, null] },
      config: config({ startup: '{"done":"ready","userInteraction":["Go to"]}', parserVersion: 2 }),
      variables: [{ ...greeting, field_type: 'select', help: { de: 'Gruß' } }],
    });
    const { spec, warnings } = readEggFile(Buffer.from(JSON.stringify(file)), 'json');
    expect(warnings).to.deep.equal([]);
    const exported = JSON.parse(writeEggFile(spec, new Date())) as Exported;
    for (const key of ['tags', 'icon', 'image', 'sponsors', 'meta'])
      expect(exported[key], key).to.deep.equal(file[key]);
    expect(JSON.parse(String(exported.config['startup']))).to.deep.equal({ done: 'ready', userInteraction: ['Go to'] });
    expect(exported.config['parserVersion']).to.equal(2);
    expect(exported.variables[0]).to.deep.include({ field_type: 'select', help: { de: 'Gruß' } });
    expect(readEggFile(Buffer.from(JSON.stringify(exported)), 'json').spec).to.deep.equal(spec);
  });

  it('leaves out extras above 256 KiB and warns about them', () => {
    const { spec, warnings } = readEggFile(eggBytes({ icon: `data:${'A'.repeat(300 * 1024)}` }), 'json');
    expect(spec.extrasJson).to.equal('');
    expect(warnings).to.have.length(1);
  });

  it('warns about unknown rules', () => {
    const { warnings } = readEggFile(eggBytes({ variables: variable({ rules: 'string|exists:users' }) }), 'json');
    expect(warnings.join()).to.include('exists');
  });

  it('keeps the meaning of any egg over export and import', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const spec = randomSpec(seed);
      const { spec: again } = readEggFile(Buffer.from(writeEggFile(spec, new Date())), 'json');
      expect(again, `seed ${seed}`).to.deep.equal(spec);
    }
  });

  it('exports an author address and a stop method for panels that require them', () => {
    const { spec } = readEggFile(eggBytes({ author: 'Jane', config: config({ stop: '' }) }), 'json');
    const file = JSON.parse(writeEggFile(spec, new Date())) as { author: string; config: { stop: string } };
    expect(file).to.include({ author: 'unknown@example.com' });
    expect(file.config.stop).to.equal('^SIGTERM');
  });

  it('exports the fields that PTDL_v2 panels read', () => {
    const { spec } = readEggFile(eggBytes(), 'json');
    const text = writeEggFile(spec, new Date('2026-01-01T00:00:00.123Z'));
    const { _comment, config: made, ...rest } = JSON.parse(text) as Record<string, unknown>;
    const { config: given, ...original } = eggFile({ file_denylist: [], features: [] });
    expect(rest).to.deep.equal(original);
    expect(_comment).to.be.a('string');
    const parsed = ({ files, startup, logs, stop }: Record<string, string>) => [
      ...[files, startup, logs].map((json) => JSON.parse(json ?? '') as unknown),
      stop,
    ];
    expect(parsed(made as Record<string, string>)).to.deep.equal(parsed(given as Record<string, string>));
  });

  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const attacks: readonly (readonly [string, Buffer, string])[] = [
    ['not JSON', Buffer.from('<egg/>'), 'BAD_REQUEST'],
    ['an empty file', Buffer.alloc(0), 'BAD_REQUEST'],
    ['a list', Buffer.from('[]'), 'BAD_REQUEST'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'BAD_REQUEST'],
    ['more than 1 MiB', Buffer.from(JSON.stringify(eggFile({ description: 'x'.repeat(1024 * 1024) }))), 'BAD_REQUEST'],
    ['nesting 100,000 deep', Buffer.from(`{"a":${deep}}`), 'BAD_REQUEST'],
    ['nesting without an end', Buffer.from('{"a":'.repeat(100_000)), 'BAD_REQUEST'],
    ['a prototype key', Buffer.from('{"__proto__":{"polluted":true}}'), 'BAD_REQUEST'],
    ['a constructor key', Buffer.from('{"constructor":{"prototype":{}}}'), 'BAD_REQUEST'],
    ['an unknown version', eggBytes({ meta: { version: 'PTDL_v9' } }), 'meta.version'],
    ['no version', eggBytes({ meta: [] }), 'meta.version'],
    ['no name', eggBytes({ name: ' ' }), 'name'],
    ['a name that reads backwards', eggBytes({ name: 'safe\u202egpj.exe' }), 'name'],
    ['an object as a name', eggBytes({ name: { $ne: 1 } }), 'name'],
    ['no images', eggBytes({ docker_images: {} }), 'docker_images'],
    ['an option as an image', eggBytes({ docker_images: { a: '--privileged' } }), 'docker_images.a'],
    ['a command as an image', eggBytes({ docker_images: { a: 'img;rm -rf /' } }), 'docker_images.a'],
    ['a path as an image', eggBytes({ docker_images: { a: '../../x' } }), 'docker_images.a'],
    ['a path out of the root', eggBytes({ config: files('../../etc/cron.d/x') }), 'config.files'],
    ['a path out of the root inside', eggBytes({ config: files('a/../../x') }), 'config.files'],
    ['a path with NUL', eggBytes({ config: files('a\0b') }), 'config.files'],
    ['a path with backslashes', eggBytes({ config: files('..\\x') }), 'config.files'],
    ['an unknown parser', eggBytes({ config: config({ files: '{"a":{"parser":"exec","find":{}}}' }) }), 'config.files'],
    ['a prototype key in embedded JSON', eggBytes({ config: config({ files: '{"__proto__":{}}' }) }), 'config.files'],
    ['broken embedded JSON', eggBytes({ config: config({ startup: '{"done":' }) }), 'config.startup'],
    ['a stop command of two lines', eggBytes({ config: config({ stop: 'stop\nop me' }) }), 'config.stop'],
    ['a script with NUL', eggBytes({ scripts: { installation: { script: 'a\0', container: 'a' } } }), 'script.install'],
    [
      'options as an interpreter',
      eggBytes({ scripts: { installation: { script: 'a', container: 'a', entrypoint: '-c evil' } } }),
      'script.entrypoint',
    ],
    [
      'a variable with a bad name',
      eggBytes({ variables: variable({ env_variable: 'A B' }) }),
      'variables.0.env_variable',
    ],
    [
      'a variable called __proto__',
      eggBytes({ variables: variable({ env_variable: '1A' }) }),
      'variables.0.env_variable',
    ],
    ['variables that are text', eggBytes({ variables: 'all of them' }), 'variables'],
    ['100,001 values', Buffer.from(`{"a":[${'1,'.repeat(100_000)}1]}`), 'BAD_REQUEST'],
    ['text behind the end', Buffer.concat([eggBytes(), Buffer.from(' {}')]), 'BAD_REQUEST'],
    ['51 configuration files', eggBytes({ config: config({ files: filesOf(51, 1) }) }), 'config.files'],
    ['501 changes to a file', eggBytes({ config: config({ files: filesOf(1, 501) }) }), 'config.files'],
    ['a list as a configuration file', eggBytes({ config: config({ files: '{"a":[1]}' }) }), 'config.files'],
    [
      'a list as a value',
      eggBytes({ config: config({ files: '{"a":{"parser":"file","find":{"b":["c"]}}}' }) }),
      'config.files',
    ],
    [
      'a label twice',
      Buffer.from(JSON.stringify(eggFile()).replace('"docker_images":{', '"docker_images":["a:1","a:1"],"x":{')),
      'docker_images',
    ],
    ['101 variables', eggBytes({ variables: many(101, (at) => variable({ env_variable: `V${at}` })[0]) }), 'variables'],
    ['21 lines to wait for', eggBytes({ config: config({ startup: { done: many(21, String) } }) }), 'config.startup'],
    ['a denied file of two lines', eggBytes({ file_denylist: ['a\nb'] }), 'file_denylist.0'],
    [
      'an option as an installer',
      eggBytes({ scripts: { installation: { script: 'a', container: '--privileged', entrypoint: 'bash' } } }),
      'script.container',
    ],
    [
      'a rule as long as a book',
      eggBytes({ variables: variable({ rules: `in:${'a'.repeat(8_192)}` }) }),
      'variables.0.rules',
    ],
  ];
  for (const [name, content, field] of attacks) {
    it(`refuses ${name} and names ${field}`, () => {
      expect(brokenField(content)).to.equal(field);
    });
  }

  const yamlAttacks: readonly (readonly [string, string, string?])[] = [
    [
      'aliases that multiply',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'.replace(/./g, (c, at: number) => `${c}: &${c} [${`*${'abcdefgh'[at]},`.repeat(9)}]\n`)}`,
    ],
    ['nesting without an end', '['.repeat(200_000)],
    ['lists in lists in lists', `${'- '.repeat(100_000)}a`],
    ['a prototype key', `${stringify(eggFile())}\n__proto__: {a: 1}`],
    ['a constructor key', `${stringify(eggFile())}\nx: {constructor: 1}`],
    ['brackets up to the end of the stack', '['.repeat(2_000)],
    ['brackets that quotes seem to close', '[ "]", '.repeat(1_000)],
    ['100,000 keys', Array.from({ length: 100_000 }, (_, at) => `k${at}: 1`).join('\n')],
    ['tags', '!a '.repeat(100_000)],
    ['tabs and garbage', 'a:\n\t- b\n c: ]['],
    ['no egg before another document', 'a: 1\n---\nb: 2', 'meta.version'],
  ];
  for (const [name, text, field = 'BAD_REQUEST'] of yamlAttacks) {
    it(`refuses YAML with ${name} within a second`, () => {
      const started = processorMs();
      expect(brokenField(Buffer.from(text), 'yaml')).to.equal(field);
      expect(processorMs() - started).to.be.below(1_500);
    });
  }

  it('keeps placeholders for secrets unchanged', () => {
    const json = '{"a.txt":{"parser":"file","find":{"x":"{{config.token}} {{env.JWT_SECRET}} {{server.__proto__}}"}}}';
    expect(readEggFile(eggBytes({ config: config({ files: json }) }), 'json').spec.config.filesJson).to.equal(json);
  });
});
