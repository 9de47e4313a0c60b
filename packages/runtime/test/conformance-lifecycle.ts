import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { InstanceSpec } from '../src/runtime.js';
import { expectNoBeat } from './beats.js';
import { Fixture, type Subject } from './fixture.js';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { read, readUntil } from '../src/testing/reading.js';

const forever = 'echo ready; while :; do sleep 0.1; done';

export function lifecycleConformance(subject: Subject): void {
  describe('create and start', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    it('answers a ping', async () => {
      await fixture.runtime.ping();
    });

    it('creates an instance that does not run', async () => {
      const spec = fixture.spec(forever, { generation: 7 });
      const steps: string[] = [];
      await fixture.runtime.create(spec, (step) => steps.push(step));
      const made = { serverId: spec.serverId, generation: 7, state: 'created' };
      expect(await fixture.runtime.inspect(spec.serverId)).to.deep.equal(made);
      expect(steps).to.include('create_container');
    });

    it('replaces a stopped instance of the same server', async () => {
      const spec = await fixture.run('echo one');
      await read(fixture.runtime, spec.serverId);
      await fixture.runtime.create({ ...spec, generation: 2, startup: 'echo two' });
      await fixture.runtime.start(spec.serverId);
      const { text } = await read(fixture.runtime, spec.serverId);
      expect(text).to.equal('two\n');
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ generation: 2, state: 'exited' });
    });

    it('refuses to replace a running one', async () => {
      const spec = await fixture.run(forever);
      expect(await reasonOf(fixture.runtime.create(spec))).to.equal('INSTANCE_RUNNING');
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ state: 'running' });
    });

    it('starts once under concurrent requests', async () => {
      const spec = fixture.spec('echo started >> starts; echo ready; while :; do sleep 0.1; done');
      await fixture.runtime.create(spec);
      const others = Array.from({ length: 20 }, () => fixture.open().start(spec.serverId));
      await Promise.all(others);
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ state: 'running' });
      await fixture.runtime.start(spec.serverId);
      await readUntil(fixture.runtime, spec.serverId, 'ready');
      expect(readFileSync(join(spec.volume.path, 'starts'), 'utf8')).to.equal('started\n');
    });

    it('refuses to start an unknown instance', async () => {
      const spec = fixture.spec(forever);
      expect(await reasonOf(fixture.runtime.start(spec.serverId))).to.equal('INSTANCE_NOT_FOUND');
    });

    it('refuses to start an ended instance: one instance is one run', async () => {
      const spec = await fixture.run('true');
      await read(fixture.runtime, spec.serverId);
      expect(await reasonOf(fixture.runtime.start(spec.serverId))).to.equal('START_FAILED');
    });

    it('fails to start without its volume', async () => {
      const volume = { ...fixture.volume(), path: '/nowhere/at/all' };
      const spec = fixture.spec(forever, { volume });
      const reason = await reasonOf(
        fixture.runtime.create(spec).then(async () => fixture.runtime.start(spec.serverId)),
      );
      expect(reason).to.equal('START_FAILED');
      expect(existsSync('/nowhere')).to.equal(false);
    });

    it('runs in the volume, which is the home directory', async () => {
      const spec = await fixture.run('pwd > where; echo "$HOME" >> where; ls /home/container/where');
      const { text } = await read(fixture.runtime, spec.serverId);
      expect(text).to.match(/^\/.*where\n$/);
      const [directory, home] = readFileSync(join(spec.volume.path, 'where'), 'utf8').trim().split('\n');
      expect(directory).to.equal(home);
    });

    const badSpecs: [string, Partial<InstanceSpec>][] = [
      ['an environment name with a dash', { environment: { 'A-B': '1' } }],
      ['an environment name that begins with a digit', { environment: { '1A': '1' } }],
      ['an environment name with an equals sign', { environment: { 'A=B': '1' } }],
      ['a NUL in a value', { environment: { A: 'x\0y' } }],
      ['a NUL in the startup', { startup: 'echo \0' }],
      ['a server id with a slash', { serverId: '../../etc' }],
      ['an empty server id', { serverId: '' }],
      ['a relative volume', { volume: { path: 'data', uid: 1000, gid: 1000 } }],
      ['a volume with dots', { volume: { path: '/var/lib/../../etc', uid: 1000, gid: 1000 } }],
      ['the root as volume', { volume: { path: '/', uid: 1000, gid: 1000 } }],
      ['a port out of range', { ports: [{ ip: '127.0.0.1', port: 70_000 }] }],
      ['a name instead of an address', { ports: [{ ip: 'localhost', port: 7000 }] }],
      ['a negative memory', { limits: { memoryMb: -1, swapMb: 0, cpuPercent: 0, ioWeight: 500 } }],
      ['an io weight out of range', { limits: { memoryMb: 64, swapMb: 0, cpuPercent: 0, ioWeight: 5 } }],
    ];
    for (const [what, changes] of badSpecs) {
      it(`refuses ${what}`, async () => {
        const spec = { ...fixture.spec(forever), ...changes };
        expect(await reasonOf(fixture.runtime.create(spec))).to.equal('INVALID_SPEC');
      });
    }
  });

  describe('startup command', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    it('reads values from the environment and never executes them', async () => {
      const values = {
        SINGLE: `it's`,
        DOUBLE: '"quoted"',
        COMMAND: '$(touch executed)',
        BACKTICK: '`touch executed`',
        CHAIN: '; touch executed; #',
        SPACES: 'a  b',
        BRACES: '{{SINGLE}}',
        DOLLAR: '$HOME',
        NEWLINE: 'x\ntouch executed',
      };
      const startup = Object.keys(values)
        .map((name) => `printf '<%s>' "{{${name}}}" {{${name}}}; echo`)
        .join('; ');
      const spec = await fixture.run(startup, { environment: values });
      const { text } = await read(fixture.runtime, spec.serverId);
      for (const value of Object.values(values)) expect(text).to.include(`<${value}>`);
      expect(existsSync(join(spec.volume.path, 'executed'))).to.equal(false);
    });

    it('receives no other variables', async () => {
      const environment = { SERVER_PORT: '25565', MOTD: 'hello world', world_name: 'lower case' };
      const spec = await fixture.run('env', { environment });
      const { text } = await read(fixture.runtime, spec.serverId);
      const given = new Map(
        text
          .trim()
          .split('\n')
          .map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
      );
      for (const [name, value] of Object.entries(environment)) expect(given.get(name)).to.equal(value);
      const expected = ['SERVER_PORT', 'MOTD', 'world_name', 'PATH', 'HOME', 'STARTUP', 'PWD', 'SHLVL', '_', 'OLDPWD'];
      if (fixture.runtime.kind === 'docker') expected.push('HOSTNAME', 'TERM', 'TINI_KILL_PROCESS_GROUP');
      expect(expected).to.include.members([...given.keys()]);
    });

    it('supports shell constructs and [[ ]] placeholders', async () => {
      const startup =
        'A=$( [ "{{MODE}}" = on ] && echo yes || echo no ); echo "mode $A"; ' +
        'if [[ -d .git ]] || [[ {{SWITCH}} == "1" ]]; then echo switched; fi; echo run $( [[ {{SWITCH}} -eq 1 ]] && echo " -crossplay ")';
      const spec = await fixture.run(startup, { environment: { MODE: 'on', SWITCH: '1' } });
      const { text } = await read(fixture.runtime, spec.serverId);
      expect(text).to.equal('mode yes\nswitched\nrun -crossplay\n');
    });
  });

  describe('end of a run', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    it('keeps the exit code', async () => {
      const before = Date.now() - 2000;
      const spec = await fixture.run('exit 7');
      await read(fixture.runtime, spec.serverId);
      const instance = await fixture.runtime.inspect(spec.serverId);
      expect(instance).to.include({ state: 'exited', exitCode: 7, outOfMemory: false });
      expect(instance?.state === 'exited' && instance.finishedAt.getTime()).to.be.within(before, Date.now() + 2000);
    });

    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1'] as const) {
      it(`delivers ${signal} to the game through its shell, which waits for it`, async () => {
        const game = `trap "echo saved; exit 3" ${signal.slice(3)}; echo ready; while :; do sleep 0.1; done`;
        const spec = await fixture.run(`sh -c '${game}'; code=$?; echo "code $code"; exit $code`);
        await readUntil(fixture.runtime, spec.serverId, 'ready');
        await fixture.runtime.signal(spec.serverId, signal);
        const { text, ended } = await read(fixture.runtime, spec.serverId);
        expect(ended).to.equal(true);
        expect(text).to.include('saved').and.include('code 3');
        expect(await fixture.runtime.inspect(spec.serverId)).to.include({ state: 'exited', exitCode: 3 });
      });
    }

    it('kills all processes of the instance before it resolves', async () => {
      const beat = 'while :; do echo x >> beat; sleep 0.05; done';
      const spec = await fixture.run(`trap "" TERM INT; (${beat}) & echo ready; while :; do sleep 0.1; done`);
      await readUntil(fixture.runtime, spec.serverId, 'ready');
      const beatFile = join(spec.volume.path, 'beat');
      await waitUntil('the background process', () => existsSync(beatFile));
      await fixture.runtime.kill(spec.serverId);
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ state: 'exited', exitCode: 137 });
      await expectNoBeat(beatFile);
    });

    it('kills background processes with the first process', async () => {
      const spec = await fixture.run('(while :; do echo x >> beat; sleep 0.05; done) & sleep 0.3; echo bye');
      const { text } = await read(fixture.runtime, spec.serverId);
      expect(text).to.equal('bye\n');
      await expectNoBeat(join(spec.volume.path, 'beat'));
    });

    it('succeeds for signals and kills of stopped instances', async () => {
      const spec = fixture.spec('true');
      await fixture.runtime.signal(spec.serverId, 'SIGTERM');
      await fixture.runtime.kill(spec.serverId);
      await fixture.runtime.create(spec);
      await fixture.runtime.signal(spec.serverId, 'SIGINT');
      await fixture.runtime.kill(spec.serverId);
      await fixture.runtime.start(spec.serverId);
      await read(fixture.runtime, spec.serverId);
      await fixture.runtime.signal(spec.serverId, 'SIGKILL');
      await fixture.runtime.kill(spec.serverId);
    });

    it('removes a running instance and keeps its volume', async () => {
      const spec = await fixture.run(forever);
      writeFileSync(join(spec.volume.path, 'world'), 'precious');
      await readUntil(fixture.runtime, spec.serverId, 'ready');
      await fixture.runtime.remove(spec.serverId);
      expect(await fixture.runtime.inspect(spec.serverId)).to.equal(null);
      expect(readFileSync(join(spec.volume.path, 'world'), 'utf8')).to.equal('precious');
      await fixture.runtime.remove(spec.serverId);
    });

    it('succeeds for ten concurrent removals', async () => {
      const spec = await fixture.run(forever);
      await Promise.all(Array.from({ length: 10 }, () => fixture.runtime.remove(spec.serverId)));
      expect(await fixture.runtime.inspect(spec.serverId)).to.equal(null);
    });
  });
}
