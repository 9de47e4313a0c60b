import { expect } from 'chai';
import { checkEgg } from '../../../src/domain/eggs/check-egg.js';
import { importEgg } from '../../../src/domain/eggs/import/import-egg.js';
import { gameEnvironment } from '../../../src/domain/servers/environment.js';
import { installSpec, instanceSpec } from '../../../src/usecases/power/instance-spec.js';
import { aServer } from '../../support/server-fixture.js';
import { eggBytes } from './egg-file.js';

const malicious = [
  'LD_PRELOAD',
  'LD_AUDIT',
  'GLIBC_TUNABLES',
  'PATH',
  'BASH_ENV',
  'PROMPT_COMMAND',
  'IFS',
  'NODE_OPTIONS',
  'NPM_CONFIG_SCRIPT_SHELL',
  'PYTHONPATH',
  'PYTHONSTARTUP',
  'PERL5OPT',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  'DOCKER_HOST',
  'GIT_SSH_COMMAND',
  'TAR_OPTIONS',
  'MAKEFLAGS',
  'LESSOPEN',
];

function variable(envVariable: string, defaultValue = 'x') {
  const flags = { userViewable: true, userEditable: true, rules: ['string'] };
  return { name: envVariable, description: '', envVariable, defaultValue, ...flags };
}

function serverWith(names: readonly string[]) {
  const server = aServer();
  return { ...server, egg: { ...server.egg, variables: names.map((name) => variable(name)) } };
}

function fieldsOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    return Object.keys((error as { metadata?: { fields?: object } }).metadata?.fields ?? {});
  }
  return [];
}

const context = { volume: { path: '/data', uid: 1000, gid: 1000 }, allocations: [], timezone: 'UTC' };

describe('egg variables that take over programs', () => {
  for (const name of malicious) {
    it(`refuses an egg file with the variable ${name}`, () => {
      const entry = { name, description: '', env_variable: name, default_value: 'x', rules: 'string' };
      expect(fieldsOf(() => importEgg(eggBytes({ variables: [entry] }), 'json'))).to.deep.equal([
        'variables.0.env_variable',
      ]);
    });
  }

  it('refuses such variables when an egg is created or updated', () => {
    const { spec } = importEgg(eggBytes(), 'json');
    expect(() => checkEgg({ ...spec, variables: [variable('LD_PRELOAD')] })).to.throw('not valid');
  });

  it('accepts LD_LIBRARY_PATH, which public eggs need for their games', () => {
    const { spec } = importEgg(eggBytes(), 'json');
    expect(() => checkEgg({ ...spec, variables: [variable('LD_LIBRARY_PATH')] })).not.to.throw();
    const { environment } = instanceSpec(serverWith(['LD_LIBRARY_PATH']), context, 1_000);
    expect(environment).to.have.property('LD_LIBRARY_PATH', 'x');
  });

  it('never passes such a variable to an installer, even from an egg stored earlier', () => {
    const { environment } = installSpec(serverWith([...malicious, 'LD_LIBRARY_PATH', 'GREETING']), context, 1_000);
    for (const name of [...malicious, 'LD_LIBRARY_PATH']) expect(environment).not.to.have.property(name);
    expect(environment).to.have.property('GREETING', 'x');
  });

  it('never passes such a variable to a game', () => {
    const panel = { serverId: 'a', memoryMb: 1, ip: '', port: 1, startup: '', allocationLimit: 0, timezone: 'UTC' };
    const environment = gameEnvironment(
      malicious.map((name) => variable(name)),
      {},
      panel,
    );
    for (const name of malicious) expect(environment).not.to.have.property(name);
  });
});
