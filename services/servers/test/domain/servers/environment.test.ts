import { fieldProblem } from '@panel/kit/errors';
import { expect } from 'chai';
import type { EggVariable } from '../../../src/domain/eggs/egg.js';
import { checkEnvironment, gameEnvironment, renderStartup } from '../../../src/domain/servers/environment.js';

const variable = (envVariable: string, rules: string[], defaultValue = ''): EggVariable => ({
  name: envVariable,
  description: '',
  envVariable,
  defaultValue,
  userViewable: true,
  userEditable: true,
  rules,
});
const variables = [
  variable('JAR', ['required', 'string', 'regex:/^[\\w.-]+\\.jar$/'], 'server.jar'),
  variable('TOKEN', ['required', 'string', 'max:10']),
  variable('ANY', []),
  variable('SLOTS', ['nullable', 'integer', 'between:1,64'], '999'),
];

describe('environment of a server', () => {
  it('requires variables that are required and have no default', () => {
    expect(checkEnvironment(variables, {})).to.deep.equal({
      'environment.TOKEN': [fieldProblem('required', 'is required')],
    });
    expect(checkEnvironment(variables, { TOKEN: 'x' })).to.deep.equal({});
  });

  it('does not validate the default value of the egg', () => {
    expect(checkEnvironment(variables, { TOKEN: 'x', SLOTS: '999' })).to.have.property('environment.SLOTS');
  });

  it('accepts an empty value where the default is empty or the rules allow it', () => {
    const empty = [variable('OFF', ['boolean']), variable('ON', ['boolean'], '1'), variable('ANY', ['string'], 'x')];
    expect(Object.keys(checkEnvironment(empty, { OFF: '', ON: '', ANY: '' }))).to.deep.equal(['environment.ON']);
  });

  const refused: readonly (readonly [string, Record<string, string>, string])[] = [
    ['a value against its rules', { JAR: 'evil.exe' }, 'environment.JAR'],
    ['a path', { JAR: '../server.jar' }, 'environment.JAR'],
    ['a line break', { TOKEN: 'a\nb' }, 'environment.TOKEN'],
    ['a NUL', { TOKEN: 'a\0' }, 'environment.TOKEN'],
    ['an empty required value', { JAR: ' ' }, 'environment.JAR'],
    ['an unknown variable', { LD_PRELOAD: 'x' }, 'environment.LD_PRELOAD'],
    ['a name of the prototype', { constructor: 'x' }, 'environment.constructor'],
    ['a value without end', { ANY: 'x'.repeat(8_193) }, 'environment.ANY'],
  ];
  for (const [name, values, field] of refused) {
    it(`refuses ${name}`, () => {
      expect(Object.keys(checkEnvironment(variables, { TOKEN: 'x', ...values }))).to.deep.equal([field]);
    });
  }

  const panel = {
    serverId: 'id',
    memoryMb: 512,
    ip: '10.0.0.1',
    port: 25565,
    startup: 'run',
    allocationLimit: 1,
    timezone: 'UTC',
  };

  it('gives a variable with a lower-case name under both names, and the panel its own', () => {
    const named = { ...variable('MAP_NAME', [], 'de_dust'), givenName: 'map_name' };
    expect(gameEnvironment([named], {}, panel)).to.include({ MAP_NAME: 'de_dust', map_name: 'de_dust' });
    expect(gameEnvironment([named], { MAP_NAME: 'aztec' }, panel)).to.include({ MAP_NAME: 'aztec', map_name: 'aztec' });
  });

  it('overrides reserved variables with values of the panel', () => {
    const environment = gameEnvironment([variable('SERVER_PORT', [], '1')], {}, panel);
    expect(environment).to.include({ SERVER_PORT: '25565', SERVER_IP: '10.0.0.1', SERVER_MEMORY: '512', TZ: 'UTC' });
  });

  it('uses the time zone of the node unless the egg sets one', () => {
    const zone = (value: string) =>
      gameEnvironment([variable('SERVER_TIMEZONE', [], value)], {}, { ...panel, timezone: 'Europe/Paris' })['TZ'];
    expect(['Asia/Tokyo', '', 'Mars/Base', '../etc/passwd'].map(zone)).to.deep.equal([
      'Asia/Tokyo',
      'Europe/Paris',
      'Europe/Paris',
      'Europe/Paris',
    ]);
    expect(gameEnvironment([variable('TZ', [], 'UTC')], {}, panel)['TZ']).to.equal('UTC');
  });

  it('expands placeholders once and never inside inserted values', () => {
    const environment = { A: '{{B}} ${B} $(id)', B: 'secret' };
    expect(renderStartup('run {{A}} ${B} {{C}} [[ -f {{B}} ]]', environment, new Set())).to.equal(
      'run {{B}} ${B} $(id) secret {{C}} [[ -f secret ]]',
    );
    expect(renderStartup('run {{B}} {{__proto__}} ${constructor}', environment, new Set(['B']))).to.equal(
      'run [hidden] {{__proto__}} ${constructor}',
    );
  });
});
