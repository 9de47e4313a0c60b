import { expect } from 'chai';
import fc from 'fast-check';
import { type ConfigFacts, renderConfig } from '../../../src/domain/eggs/render-config.js';

const facts: ConfigFacts = {
  environment: {
    SERVER_PORT: '25565',
    SERVER_MEMORY: '1024',
    SERVER_IP: '10.0.0.1',
    MOTD: 'hello {{env.SECRET}} {{config.token}}',
    SECRET: 'told to nobody',
    WORLD: 'my world',
    UP: '../../etc/cron.d',
    ROOT: '/etc',
    EMPTY: '',
  },
  ip: '10.0.0.1',
  port: 25565,
  memoryMb: 1024,
  swapMb: -1,
  diskMb: 4096,
  ioWeight: 500,
  cpuPercent: 150,
  image: 'debian:12',
  serverId: '8a7e2b8e-0000-4000-8000-000000000000',
  serverName: 'Mine',
  hostIp: '172.30.0.1',
};

function valueOf(value: unknown): unknown {
  const json = JSON.stringify({ 'a.txt': { parser: 'file', find: { key: value } } });
  return renderConfig(json, facts).files[0]?.replacements[0]?.value;
}

const texts: readonly (readonly [string, string])[] = [
  ['{{server.build.default.port}}', '25565'],
  ['{{server.build.default.ip}}', '10.0.0.1'],
  ['{{server.allocations.default.ip}}:{{server.allocations.default.port}}', '10.0.0.1:25565'],
  ['{{server.build.env.SERVER_PORT}} {{env.SERVER_IP}} {{env.SERVER_MEMORY}}', '25565 10.0.0.1 1024'],
  ['{{server.build.memory}} {{server.build.memory_limit}}', '1024 1024'],
  ['{{server.build.swap}} {{server.build.disk}} {{server.build.disk_space}}', '-1 4096 4096'],
  ['{{server.build.io}} {{server.build.io_weight}}', '500 500'],
  ['{{server.build.cpu}} {{server.build.cpu_limit}}', '150 150'],
  ['{{server.build.image}} {{server.container.image}}', 'debian:12 debian:12'],
  ['{{server.uuid}} {{server.id}}', `${facts.serverId} ${facts.serverId}`],
  ['{{server.name}} {{server.meta.name}}', 'Mine Mine'],
  ['{{config.docker.interface}} {{config.docker.network.interface}}', '172.30.0.1 172.30.0.1'],
  ['{{env.WORLD}}', 'my world'],
  ['{{server.build.env.WORLD}}', 'my world'],
  ['{{server.build.environment.WORLD}}', 'my world'],
  ['{{server.environment.WORLD}}', 'my world'],
  ['{{ env.world }}', 'my world'],
  ['{{env.WORLD}}{{env.WORLD}}', 'my worldmy world'],
  // values are not expanded again
  ['{{env.MOTD}}', 'hello {{env.SECRET}} {{config.token}}'],
  // unknown names are empty; other text stays
  ['[{{env.NOT_THERE}}{{server.build.ports.10.0.0.1}}{{env.EMPTY}}{{server.__proto__}}]', '[]'],
  [
    '{{config.token}} {{WORLD}} {{constructor}} {{}} {{ }} {env.WORLD} ${WORLD}',
    '{{config.token}} {{WORLD}} {{constructor}} {{}} {{ }} {env.WORLD} ${WORLD}',
  ],
];

describe('configuration files of an egg', () => {
  for (const [template, filled] of texts) {
    it(`renders ${template} as ${JSON.stringify(filled)}`, () => {
      expect(valueOf(template)).to.deep.equal(filled);
    });
  }

  it('keeps numbers and booleans of the egg as such', () => {
    expect(valueOf(8080)).to.deep.equal(8080);
    expect(valueOf(false)).to.deep.equal(false);
    expect(valueOf(0.5)).to.deep.equal('0.5');
    expect(valueOf(null)).to.deep.equal('');
  });

  it('replaces placeholders in keys and conditions, but not in regular expressions', () => {
    const find = {
      '{{env.WORLD}}.ip': { '{{env.SERVER_IP}}': '{{config.docker.interface}}', 'regex:^{{env.WORLD}}$': 'x' },
    };
    const { files } = renderConfig(JSON.stringify({ 'a.yml': { parser: 'yml', find } }), facts);
    expect(files[0]?.replacements).to.deep.equal([
      {
        key: 'my world.ip',
        value: '172.30.0.1',
        condition: { match: '10.0.0.1', isRegex: false },
      },
      {
        key: 'my world.ip',
        value: 'x',
        condition: { match: '^{{env.WORLD}}$', isRegex: true },
      },
    ]);
  });

  it('inserts replacement values literally and expands the groups of the egg only', () => {
    const find = { address: { 'regex:^(x)(:\\d+)?$': '{{env.PRICE}}$2' }, plain: { x: '{{env.PRICE}}$2' } };
    const environment = { PRICE: 'costs $1, ${1}$$' };
    const { files } = renderConfig(JSON.stringify({ 'a.yml': { parser: 'yml', find } }), { ...facts, environment });
    expect(files[0]?.replacements.map(({ value }) => value)).to.deep.equal([
      'costs $$1, $${1}$$$$$2',
      'costs $1, ${1}$$$2',
    ]);
  });

  it('resolves variables in file names and keeps them inside the server', () => {
    const paths = [
      '{{WORLD}}/a.txt',
      '${world}/a.txt',
      '/home/container/{{NOT_THERE}}/a.txt',
      '{{UP}}/x',
      '{{ROOT}}/x',
      '${UP}',
    ];
    const files = Object.fromEntries(paths.map((path) => [path, { parser: 'file', find: {} }]));
    const rendered = renderConfig(JSON.stringify(files), facts);
    expect(rendered.files.map(({ path }) => path)).to.deep.equal([
      '/my world/a.txt',
      '/my world/a.txt',
      '/a.txt',
      '/etc/x',
    ]);
    expect(rendered.problems).to.have.length(2);
  });

  it('creates missing files unless the egg says otherwise', () => {
    const files = { 'a.txt': { parser: 'file' }, 'b.txt': { parser: 'ini', find: [], create_file: false } };
    const rendered = renderConfig(JSON.stringify(files), facts);
    expect(rendered.files.map(({ isCreated }) => isCreated)).to.deep.equal([true, false]);
    expect(renderConfig('', facts)).to.deep.equal({ files: [], problems: [] });
    expect(renderConfig('[]', facts)).to.deep.equal({ files: [], problems: [] });
  });

  const rendered = (parser: string, template: unknown, value: string) => {
    const json = JSON.stringify({ 'a.cfg': { parser, find: { key: template } } });
    const { files, problems } = renderConfig(json, { ...facts, environment: { NAME: value, OTHER: '" x' } });
    return problems[0] ?? files[0]?.replacements[0]?.value;
  };

  for (const parser of ['file', 'ini', 'properties']) {
    for (const [template, value, line] of [
      ['hostname "{{env.NAME}}"', 'a"; rcon_password "b', `hostname "a'; rcon_password 'b"`],
      ['"{{env.NAME}}" "{{env.OTHER}}"', 'a\\', `"a\\\\" "' x"`],
      ['"{{env.NAME}}" {{env.OTHER}}', 'a\\\\', `"a\\\\" " x`],
      ['name = "{{env.NAME}}', '"', `name = "'`],
      ["$name = '{{env.NAME}}';", `it's "x"`, '$name = \'it`s "x"\';'],
      [`name = "it's {{env.NAME}}"`, `"it's"`, `name = "it's 'it's'"`],
      [String.raw`name = "a \" {{env.NAME}}"`, '"', String.raw`name = "a \" '"`],
      ["it's {{env.NAME}}", `"it's"`, `it's "it's"`],
      ['name = {{env.NAME}}', `"it's" \\`, `name = "it's" \\`],
      ['name = "{{env.NAME}}"', '{{env.OTHER}}', 'name = "{{env.OTHER}}"'],
      [{ 'regex:old': '{{env.NAME}}' }, 'a" "b\\', `a' 'b\\\\`],
    ] as const) {
      it(`ends no quotes of a line with a value: parser ${parser}, ${JSON.stringify(template)}, ${value}`, () => {
        expect(rendered(parser, template, value)).to.equal(line);
      });
    }
  }

  it('keeps quotes of a value where the parser escapes them', () => {
    for (const parser of ['json', 'yaml', 'toml', 'xml'])
      expect(rendered(parser, 'x "{{env.NAME}}"', 'a"\\')).to.equal('x "a"\\"');
  });

  it('adds no line with a value, and ends no quotes, in programs with and without escapes', () => {
    const values = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom('"', "'", '\\', '\n', '\r', ';', 'x', '{{env.OTHER}}')).map((signs) => signs.join('')),
    );
    const property = fc.property(values, (value) => {
      const double = String(rendered('file', 'hostname "{{env.NAME}}" // x', value));
      expect(double)
        .to.match(/^hostname "[^"\r\n]*" \/\/ x$/)
        .and.match(/^hostname "(?:\\[^\r\n]|[^"\\\r\n])*" \/\/ x$/);
      const single = String(rendered('file', "hostname '{{env.NAME}}' // x", value));
      expect(single)
        .to.match(/^hostname '[^'\r\n]*' \/\/ x$/)
        .and.match(/^hostname '(?:\\[^\r\n]|[^'\\\r\n])*' \/\/ x$/);
      expect(rendered('file', 'hostname {{env.NAME}}', value)).not.to.match(/[\r\n]/);
    });
    fc.assert(property, { seed: 42, numRuns: 500 });
  });

  it('sets no attribute of XML with a value, only where the egg has the form for one', () => {
    const attack = "[admin='true']";
    expect(rendered('xml', '{{env.NAME}}', attack)).to.match(/a\.cfg.*attribute/);
    expect(rendered('xml', { old: '{{env.NAME}}' }, attack)).to.match(/a\.cfg.*attribute/);
    expect(rendered('xml', "[value='{{env.NAME}}']", "it's']")).to.equal("[value='it's']']");
    expect(rendered('xml', 'x {{env.NAME}}', attack)).to.equal(`x ${attack}`);
    expect(rendered('yaml', '{{env.NAME}}', attack)).to.equal(attack);
  });
});
