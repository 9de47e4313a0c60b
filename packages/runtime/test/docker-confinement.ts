import { createSocket } from 'node:dgram';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { ContainerInspectInfo } from 'dockerode';
import { Fixture, type Subject } from './fixture.js';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { EventLog, read, readUntil, within } from '../src/testing/reading.js';
import { testDocker } from '@panel/testing/engine';

const forever = 'echo ready; while :; do sleep 0.1; done';

export function dockerConfinement(subject: Subject): void {
  describe('confinement', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    const inspect = async (name: string): Promise<ContainerInspectInfo> => testDocker().getContainer(name).inspect();

    it('applies the documented settings', async () => {
      const spec = await fixture.run(forever, {
        limits: { memoryMb: 100, swapMb: 50, cpuPercent: 150, ioWeight: 500 },
      });
      const { HostConfig, Config, Name } = await inspect(spec.serverId);
      expect(Name).to.equal(`/${spec.serverId}`);
      expect(Config).to.deep.include({ Hostname: spec.serverId, Tty: true, OpenStdin: true, StdinOnce: false });
      expect(Config.User).to.equal(`${spec.volume.uid}:${spec.volume.gid}`);
      expect(Config.Labels).to.include({
        'panel.server': spec.serverId,
        'panel.generation': '1',
        'panel.kind': 'server',
      });
      expect(HostConfig).to.deep.include({
        Memory: 115 * 1024 * 1024,
        MemoryReservation: 100 * 1024 * 1024,
        MemorySwap: 165 * 1024 * 1024,
        CpuPeriod: 100_000,
        CpuQuota: 150_000,
        PidsLimit: 512,
        ReadonlyRootfs: true,
        Privileged: false,
        SecurityOpt: ['no-new-privileges'],
        CapDrop: ['ALL'],
        NetworkMode: 'panel_nw',
        Tmpfs: { '/tmp': 'rw,exec,nosuid,size=100m' },
      });
      expect(HostConfig.CapAdd ?? []).to.deep.equal([]);
      expect(HostConfig.Binds ?? []).to.deep.equal([]);
      expect(HostConfig.LogConfig).to.deep.equal({
        Type: 'local',
        Config: { 'max-size': '10m', 'max-file': '3', compress: 'false' },
      });
      expect(HostConfig.Ulimits).to.deep.include({ Name: 'core', Soft: 0, Hard: 0 });
      expect(HostConfig.Ulimits?.find(({ Name: name }) => name === 'nofile')?.Hard).to.equal(16_384);
      expect(HostConfig).to.deep.include({ IpcMode: 'private', RestartPolicy: { Name: 'no', MaximumRetryCount: 0 } });
      expect([HostConfig.PidMode, HostConfig.UTSMode, HostConfig.UsernsMode]).to.deep.equal(['', '', '']);
      expect(HostConfig.Devices ?? []).to.deep.equal([]);
      expect(Config).to.deep.include({ StopSignal: 'SIGTERM', StopTimeout: 30 });
      const network = await testDocker().getNetwork('panel_nw').inspect();
      expect(network.Options).to.include({ 'com.docker.network.bridge.enable_icc': 'false' });
    });

    it('sets no limit for 0 and unlimited swap for -1', async () => {
      const none = await fixture.run(forever, { limits: { memoryMb: 0, swapMb: 0, cpuPercent: 0, ioWeight: 500 } });
      expect((await inspect(none.serverId)).HostConfig).to.include({ Memory: 0, CpuQuota: 0 });
      const swap = await fixture.run(forever, { limits: { memoryMb: 64, swapMb: -1, cpuPercent: 0, ioWeight: 500 } });
      expect((await inspect(swap.serverId)).HostConfig.MemorySwap).to.equal(-1);
    });

    it('enforces the memory limit and reports the kill', async () => {
      const log = new EventLog(fixture.open());
      const limits = { memoryMb: 32, swapMb: 0, cpuPercent: 0, ioWeight: 500 };
      const spec = await fixture.run('exec tail /dev/zero', { limits });
      expect(await log.next('exited', spec.serverId)).to.include({ exitCode: 137, outOfMemory: true });
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ exitCode: 137, outOfMemory: true });
      await log.stop();
    });

    it('enforces the cpu limit', async () => {
      const limits = { memoryMb: 64, swapMb: 0, cpuPercent: 20, ioWeight: 500 };
      const spec = await fixture.run('while :; do :; done', { limits });
      const used: number[] = [];
      const abort = new AbortController();
      for await (const { cpuPercent } of fixture.runtime.readStats(spec.serverId, abort.signal)) {
        if (cpuPercent !== null) used.push(cpuPercent);
        if (used.length === 6) abort.abort();
      }
      const mean = used.slice(1).reduce((sum, one) => sum + one, 0) / (used.length - 1);
      expect(mean).to.be.within(1, 30);
    });

    it('bounds /tmp and hides the host', async () => {
      const tries = [
        'head -c 150000000 /dev/zero > /tmp/big 2>/dev/null && echo "filled the memory"',
        'test -e /var/run/docker.sock && echo "found the engine"',
        '[ -n "$(ls /mnt; ls /var)" ] && echo "found the machine\'s files"',
        'ls /dev/sda /dev/vda /dev/mem /dev/kmsg 2>/dev/null',
        '[ "$(ls -d /proc/[0-9]* | wc -l)" -gt 12 ] && echo "found the machine\'s processes"',
        'ulimit -n; ulimit -c; echo done',
      ];
      const limits = { memoryMb: 512, swapMb: 0, cpuPercent: 100, ioWeight: 500 };
      const spec = await fixture.run(tries.join('; '), { limits });
      expect((await read(fixture.runtime, spec.serverId)).text).to.equal('16384\n0\ndone\n');
    });

    it('stops a fork bomb', async () => {
      const bomb = 'i=0; while [ $i -lt 700 ]; do sleep 20 & i=$((i+1)); done; echo survived';
      const spec = await fixture.run(`sh -c '${bomb}'; echo over; sleep 60`);
      await readUntil(fixture.runtime, spec.serverId, 'over');
      const top = await testDocker().getContainer(spec.serverId).top();
      expect(top.Processes.length).to.be.within(100, 512);
    });

    it('makes everything but the volume and /tmp read-only', async () => {
      const places = ['/escaped', '/etc/passwd', '/bin/sh', '/home/escaped', '/proc/sys/kernel/core_pattern', '/sys/x'];
      const tries = places.map((place) => `( echo x >> ${place} ) 2>/dev/null && echo "wrote ${place}"`).join('; ');
      const spec = await fixture.run(`${tries}; echo x > mine && echo x > /tmp/mine && echo done`);
      expect((await read(fixture.runtime, spec.serverId)).text).to.equal('done\n');
      expect(readdirSync(spec.volume.path)).to.deep.equal(['mine']);
    });

    it('denies root and capabilities to the game', async () => {
      const spec = await fixture.run(
        'id -u; grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status; mount -t tmpfs x /tmp && echo mounted',
      );
      const { text } = await read(fixture.runtime, spec.serverId);
      expect(text).to.match(new RegExp(`^${spec.volume.uid}\n`));
      expect(text)
        .to.match(/CapEff:\s0{16}\n/)
        .and.match(/CapBnd:\s0{16}\n/);
      expect(text)
        .to.match(/NoNewPrivs:\s1\n/)
        .and.match(/Seccomp:\s2\n/);
      expect(text).not.to.include('mounted');
    });

    it('never runs a game as root', async () => {
      const volume = { ...fixture.volume(), uid: 0 };
      expect(await reasonOf(fixture.runtime.create(fixture.spec(forever, { volume })))).to.equal('INVALID_SPEC');
    });

    it('grants an installer what package managers need', async () => {
      const script =
        'grep CapBnd /proc/self/status; id -u; touch /var/installed && echo writable; while :; do sleep 0.1; done';
      const spec = fixture.install(script);
      const abort = new AbortController();
      let output = '';
      const result = reasonOf(fixture.runtime.install(spec, (chunk) => (output += chunk.toString()), abort.signal));
      await waitUntil('the script', () => output.includes('writable'));
      const { HostConfig } = await inspect(`${spec.serverId}_installer`);
      abort.abort();
      await result;
      // CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID: bits 0, 1, 3, 4, 5, 6, 7.
      expect(output)
        .to.include('00000000000000fb')
        .and.match(/\b0\r\n/);
      expect(HostConfig).to.deep.include({
        PidsLimit: 512,
        Memory: Math.round(1024 * 1.15) * 1024 * 1024,
        CpuQuota: 100_000,
        SecurityOpt: ['no-new-privileges'],
        Privileged: false,
      });
      const left = await testDocker().listContainers({
        all: true,
        filters: { label: [`panel.server=${spec.serverId}`] },
      });
      expect(left).to.deep.equal([]);
    });

    it('accepts a volume path with colons and spaces', async () => {
      const volume = fixture.volume();
      const odd = { ...volume, path: `${volume.path}/a b:/etc:rw` };
      mkdirSync(odd.path, { recursive: true });
      writeFileSync(`${odd.path}/world`, 'precious');
      const spec = await fixture.run('ls /home/container; ls -d /etc/passwd', { volume: odd });
      expect((await read(fixture.runtime, spec.serverId)).text).to.equal('world\n/etc/passwd\n');
    });

    it('binds each allocation on its address for TCP and UDP', async () => {
      const port = await freePort();
      const startup = `(nc -lu -p ${port} > udp) & echo ready; while :; do echo hello | nc -l -p ${port}; done`;
      const spec = await fixture.run(startup, { ports: [{ ip: '127.0.0.1', port }] });
      await readUntil(fixture.runtime, spec.serverId, 'ready');
      const { NetworkSettings } = await inspect(spec.serverId);
      const binding = [{ HostIp: '127.0.0.1', HostPort: String(port) }];
      expect(NetworkSettings.Ports).to.deep.equal({ [`${port}/tcp`]: binding, [`${port}/udp`]: binding });
      // Between two greetings, and before the first, the port has no listener.
      const isGreeted = async () => (await within(5000, 'an answer', receive(port))) === 'hello\n';
      await waitUntil('the greeting', isGreeted);
      const udp = createSocket('udp4');
      udp.send('ping', port, '127.0.0.1', () => udp.close());
    });

    it('names a port that another container has', async () => {
      const port = await freePort();
      const ports = [{ ip: '127.0.0.1', port }];
      await fixture.run(forever, { ports });
      const message = `port ${port} (TCP) of 127.0.0.1 is in use on the node by another container`;
      const error: unknown = await fixture.runtime
        .create(fixture.spec(forever, { ports }))
        .catch((caught: unknown) => caught);
      expect(error).to.deep.include({ reason: 'PORT_OCCUPIED' });
      expect((error as Error).message)
        .to.match(/^port \d+ \((TCP|UDP)\)/)
        .and.include(message.slice(-20));
    });

    it('names a port that was taken between creation and start, and starts when it is free', async () => {
      const port = await freePort();
      const spec = fixture.spec(forever, { ports: [{ ip: '127.0.0.1', port }] });
      await fixture.runtime.create(spec);
      const server = createServer().listen(port, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const error: unknown = await fixture.runtime.start(spec.serverId).catch((caught: unknown) => caught);
      const metadata = { ip: '127.0.0.1', port, protocol: 'tcp' };
      expect(error).to.deep.include({ reason: 'PORT_OCCUPIED', metadata });
      await new Promise((resolve) => server.close(resolve));
      await fixture.runtime.start(spec.serverId);
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ state: 'running' });
    });

    it('isolates games from one another', async () => {
      const listener = await fixture.run('echo ready; nc -l -p 7777; sleep 60');
      await readUntil(fixture.runtime, listener.serverId, 'ready');
      const address = (await inspect(listener.serverId)).NetworkSettings.Networks['panel_nw']?.IPAddress;
      const caller = await fixture.run(`echo hi | nc -w 2 ${address} 7777 && echo reached || echo walled`);
      expect((await read(fixture.runtime, caller.serverId)).text).to.include('walled');
    });

    it('pins a game to its processors, also while it runs, and changes what the kernel does at the limit anew', async () => {
      const limits = { memoryMb: 128, swapMb: 0, cpuPercent: 0, ioWeight: 500 };
      const pinned = { ...limits, threads: '0', isOomKillDisabled: true };
      const spec = await fixture.run(`grep Cpus_allowed_list /proc/self/status; ${forever}`, { limits: pinned });
      const { text } = await readUntil(fixture.runtime, spec.serverId, 'Cpus_allowed_list');
      expect(text).to.match(/Cpus_allowed_list:\s+0\r?\n/);
      const { HostConfig } = await inspect(spec.serverId);
      expect(HostConfig).to.include({ CpusetCpus: '0', OomKillDisable: true });
      expect(await fixture.runtime.updateLimits(spec.serverId, { ...pinned, threads: '0-1' })).to.equal(true);
      expect((await inspect(spec.serverId)).HostConfig.CpusetCpus).to.equal('0-1');
      expect(await fixture.runtime.updateLimits(spec.serverId, { ...limits, threads: '0' })).to.equal(false);
      expect(await fixture.runtime.updateLimits(spec.serverId, { ...limits, isOomKillDisabled: true })).to.equal(false);
    });

    it('names processors that the node does not have', async () => {
      const limits = { memoryMb: 64, swapMb: 0, cpuPercent: 0, ioWeight: 500, threads: '900' };
      const error: unknown = await fixture.run(forever, { limits }).catch((caught: unknown) => caught);
      expect(error).to.deep.include({ reason: 'START_FAILED' });
      expect((error as { metadata: { reason: string } }).metadata.reason).to.include('900');
    });

    it('keeps a start id that stays while the engine runs', async () => {
      const first = await fixture.runtime.startId();
      expect(first).to.be.a('string').and.not.equal('');
      expect(await fixture.open().startId()).to.equal(first);
    });

    it('changes limits of a running game and reports when it cannot', async () => {
      const spec = await fixture.run(forever);
      const more = { memoryMb: 128, swapMb: 0, cpuPercent: 50, ioWeight: 500 };
      expect(await fixture.runtime.updateLimits(spec.serverId, more)).to.equal(true);
      const { HostConfig } = await inspect(spec.serverId);
      expect(HostConfig).to.include({ Memory: 147 * 1024 * 1024, CpuQuota: 50_000 });
      expect(await fixture.runtime.updateLimits(spec.serverId, { ...more, memoryMb: 0 })).to.equal(false);
      expect(await fixture.runtime.updateLimits(spec.serverId, { ...more, cpuPercent: 0 })).to.equal(false);
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ state: 'running' });
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function receive(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  for await (const chunk of socket) return String(chunk);
  return '';
}
