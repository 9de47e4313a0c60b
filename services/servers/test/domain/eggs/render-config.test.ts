import { expect } from 'chai';
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
});
