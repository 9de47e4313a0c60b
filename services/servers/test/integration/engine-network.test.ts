import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createDockerRuntime } from '@panel/runtime';
import type { Runtime } from '@panel/runtime';
import { read } from '@panel/runtime/testing';
import { entrypointImageName } from '@panel/testing/engine';
import { PrivateEngine, privateEngineMissing } from '../support/private-engine.js';
import { localImage } from '../support/fixture.js';

const run = promisify(execFile);
const manual = path.resolve(import.meta.dirname, '../../../../../docs/game-nodes.md');
const missing = await privateEngineMissing();

describe('outgoing network of games', function () {
  if (missing !== null) {
    it(
      `skips the outgoing network of games: needs its own engine (${missing})`,
      process.env.CI ? () => Promise.reject(new Error(missing)) : undefined,
    );
    return;
  }
  this.timeout(400_000);
  let engine: PrivateEngine;
  let runtime: Runtime;
  let open: Runtime;
  let service: ChildProcess;
  let volume = '';

  before(async () => {
    volume = mkdtempSync(path.join(tmpdir(), 'panel-volume-'));
    engine = await PrivateEngine.start();
    runtime = createDockerRuntime({ url: engine.url });
    open = createDockerRuntime({ url: engine.url, network: { dns: ['192.0.2.53'], reachesLinkLocal: true } });
    await engine.inside('ip', ['address', 'add', '169.254.169.254/32', 'dev', 'lo']);
    await engine.inside('ip', ['address', 'add', '10.1.2.3/32', 'dev', 'lo']);
    // Represents metadata service, neighbour and panel ports.
    const listen = "require('node:net').createServer((s) => s.end('reached\\n')).listen(8080, () => console.log('up'))";
    const [command = '', ...args] = engine.commandInside(process.execPath, ['-e', listen]);
    service = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    if (service.stdout) await once(service.stdout, 'data');
  });
  after(async () => {
    service?.kill();
    await runtime?.close();
    await open?.close();
    await engine?.remove();
    if (volume !== '') rmSync(volume, { recursive: true, force: true });
  });

  const metadata = '169.254.169.254';
  const neighbour = '10.1.2.3';
  /** Prints the reachable addresses. */
  const tryAll = (targets: readonly string[]) =>
    `${targets.map((ip) => `echo | nc -w 2 ${ip} 8080 | grep -q reached && echo ${ip}`).join('; ')}; true`;
  const addressesIn = (text: string) => text.split(/\r?\n/).filter((line) => /^[\d.]+$/.test(line));

  const printed = async (by: Runtime, startup: string, image?: string): Promise<string> => {
    const serverId = randomUUID();
    await by.create({ ...game(serverId, startup), ...(image === undefined ? {} : { image }) });
    await by.start(serverId);
    const { text } = await read(by, serverId, { timeoutMs: 120_000 });
    await by.remove(serverId);
    return text;
  };
  const reached = async (by = runtime) =>
    addressesIn(await printed(by, tryAll([metadata, neighbour, await gatewayOf()])));
  const gatewayOf = async (): Promise<string> => {
    const network = (await engine.docker.getNetwork('panel_nw').inspect()) as {
      IPAM: { Config: { Gateway: string }[] };
    };
    return network.IPAM.Config[0]?.Gateway ?? '';
  };

  const installed = async (by: Runtime, script: string): Promise<string> => {
    let output = '';
    const { image, environment, limits, ...spec } = game(randomUUID(), '');
    await by.install(
      {
        serverId: spec.serverId,
        image,
        environment,
        limits,
        entrypoint: 'sh',
        script,
        timeoutMs: 120_000,
        volume: spec.volume,
      },
      (chunk) => (output += chunk.toString()),
      new AbortController().signal,
    );
    return output;
  };

  it('reaches everything, including metadata services, when the operator allows it', async () => {
    await open.create(game(randomUUID(), 'true')); // makes the network
    expect(await reached(open)).to.deep.equal([metadata, neighbour, await gatewayOf()]);
    expect(addressesIn(await installed(open, tryAll([metadata])))).to.deep.equal([metadata]);
  });

  it('blocks metadata services by default, for games, untrusted images and installers', async () => {
    expect(await reached()).to.deep.equal([neighbour, await gatewayOf()]);
    const output = await printed(runtime, tryAll([metadata, neighbour]), `~${entrypointImageName}:1`);
    expect(output).to.include('entrypoint for: ');
    expect(addressesIn(output)).to.deep.equal([neighbour]);
    expect(addressesIn(await installed(runtime, tryAll([metadata, neighbour])))).to.deep.equal([neighbour]);
  });

  it('blocks metadata services in the first moment of ten games', async () => {
    const attack =
      'i=0; while [ $i -lt 40 ]; do echo | nc -w 1 169.254.169.254 8080 & i=$((i+1)); sleep 0.02; done; wait';
    const output = await Promise.all(Array.from({ length: 10 }, () => printed(runtime, `${attack}; echo done`)));
    for (const text of output) expect(text.trimEnd()).to.match(/done$/).and.not.include('reached');
  });

  it('does not change the network of the host', async () => {
    await runtime.create(game(randomUUID(), 'true')); // makes the networks
    const routes = await engine.inside('ip', ['route']);
    expect(routes).to.include('panel_nw').and.not.include('169.254');
    expect(await engine.inside('ip', ['-4', 'address', 'show', 'dev', 'panel_blackhole'])).to.equal('');
  });

  it('resolves the name of the container to its reachable address', async () => {
    for (let round = 0; round < 8; round++) {
      const output = await printed(
        runtime,
        'grep "$(cat /proc/sys/kernel/hostname)" /etc/hosts | head -n 1; ls /sys/class/net',
      );
      expect(output)
        .to.match(/^172\./)
        .and.match(/eth0/);
    }
  });

  it('uses the configured DNS servers', async () => {
    const serverId = randomUUID();
    await open.create(game(serverId, 'true'));
    const { HostConfig } = await engine.docker.getContainer(serverId).inspect();
    expect(HostConfig.Dns).to.deep.equal(['192.0.2.53']);
    await open.remove(serverId);
  });

  it('blocks the host and its neighbours with the documented firewall rules', async () => {
    const blocks = readFileSync(manual, 'utf8').matchAll(/```sh\n([^`]*)```/g);
    const rules = [...blocks].flatMap(([, block = '']) =>
      block.split('\n').filter((line) => line.startsWith('iptables ')),
    );
    expect(rules).to.have.length.at.least(7);
    try {
      // This engine manages no rules: make Docker's operator chain.
      await engine.inside('iptables', ['-N', 'DOCKER-USER']);
      await engine.inside('iptables', ['-A', 'FORWARD', '-j', 'DOCKER-USER']);
      for (const rule of rules) {
        const [, ...args] = rule.split(' ');
        await engine.inside('iptables', args);
      }
      expect(await reached()).to.deep.equal([]);
      expect(await reached(open)).to.deep.equal([]);
    } finally {
      for (const all of ['-F', '-X']) await engine.inside('iptables', [all]);
    }
  });

  const game = (serverId: string, startup: string) => gameIn(volume, serverId, startup);
});

describe('source address of games', function () {
  if (missing !== null) return; // reported above
  this.timeout(400_000);
  const peer = `panel-peer-${randomUUID().slice(0, 8)}`;
  const outside = '198.51.100.1';
  let engine: PrivateEngine;
  let runtime: Runtime;
  let service: ChildProcess;
  let volume = '';

  before(async () => {
    volume = mkdtempSync(path.join(tmpdir(), 'panel-volume-'));
    engine = await PrivateEngine.start({ flags: ['--iptables=true'] });
    runtime = createDockerRuntime({ url: engine.url });
    await run('ip', ['netns', 'add', peer]);
    await engine.inside('ip', ['link', 'add', 'outside', 'type', 'veth', 'peer', 'name', 'inside', 'netns', peer]);
    for (const last of [10, 11])
      await engine.inside('ip', ['address', 'add', `198.51.100.${last}/24`, 'dev', 'outside']);
    await engine.inside('ip', ['link', 'set', 'outside', 'up']);
    await run('ip', ['-n', peer, 'address', 'add', `${outside}/24`, 'dev', 'inside']);
    await run('ip', ['-n', peer, 'link', 'set', 'inside', 'up']);
    const tell =
      "require('node:net').createServer((s) => s.end(s.remoteAddress + '\\n')).listen(8080, '0.0.0.0', () => console.log('up'))";
    service = spawn('ip', ['netns', 'exec', peer, process.execPath, '-e', tell], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (service.stdout) await once(service.stdout, 'data');
  });
  after(async () => {
    service?.kill();
    await runtime?.close();
    await engine?.remove();
    await run('ip', ['netns', 'delete', peer]).catch(() => undefined);
    if (volume !== '') rmSync(volume, { recursive: true, force: true });
  });

  const seenOf = async (outgoingIp?: string): Promise<string> => {
    const spec = gameIn(volume, randomUUID(), `echo | nc -w 5 ${outside} 8080`);
    await runtime.create({ ...spec, ...(outgoingIp !== undefined && { outgoingIp }) });
    await runtime.start(spec.serverId);
    const { text } = await read(runtime, spec.serverId, { timeoutMs: 120_000 });
    await runtime.remove(spec.serverId);
    return text.trim();
  };

  it('sends from the address of the node, or the primary allocation when the egg requires it', async () => {
    expect(await seenOf()).to.equal('198.51.100.10');
    expect(await seenOf('198.51.100.11')).to.equal('198.51.100.11');
    expect(await seenOf()).to.equal('198.51.100.10');
  });
});

function gameIn(volume: string, serverId: string, startup: string) {
  return {
    serverId,
    generation: 1,
    image: localImage,
    startup,
    environment: {},
    volume: { path: volume, uid: 1000, gid: 1000 },
    limits: { memoryMb: 64, swapMb: 0, cpuPercent: 100, ioWeight: 500 },
    ports: [],
  };
}
