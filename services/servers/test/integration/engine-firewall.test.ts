import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createDockerRuntime } from '../../src/runtime/docker/docker-runtime.js';
import type { Runtime } from '../../src/runtime/runtime.js';
import { read } from '../runtime/reading.js';
import { OwnEngine, ownEngineMissing } from '../support/own-engine.js';
import { localImage } from '../support/world.js';

const manual = path.resolve(import.meta.dirname, '../../../../../docs/game-nodes.md');
const missing = await ownEngineMissing();

describe('the firewall rules of the manual', function () {
  if (missing !== null) {
    it(`need an engine of its own: ${missing}`, process.env.CI ? () => Promise.reject(new Error(missing)) : undefined);
    return;
  }
  this.timeout(60_000);
  let engine: OwnEngine;
  let runtime: Runtime;
  let service: ChildProcess;
  let volume = '';

  before(async () => {
    volume = mkdtempSync(path.join(tmpdir(), 'panel-volume-'));
    engine = await OwnEngine.start();
    runtime = createDockerRuntime({ url: engine.url });
    await engine.inside('ip', ['address', 'add', '169.254.169.254/32', 'dev', 'lo']);
    await engine.inside('ip', ['address', 'add', '10.1.2.3/32', 'dev', 'lo']);
    // Stands for the metadata service, a neighbour, and the panel's own ports.
    const listen = "require('node:net').createServer((s) => s.end('reached\\n')).listen(8080, () => console.log('up'))";
    const [command = '', ...args] = engine.commandInside(process.execPath, ['-e', listen]);
    service = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    if (service.stdout) await once(service.stdout, 'data');
  });
  after(async () => {
    service?.kill();
    await runtime?.close();
    await engine?.remove();
    if (volume !== '') rmSync(volume, { recursive: true, force: true });
  });

  /** Which of some addresses a game gets an answer from. */
  const reached = async (): Promise<string[]> => {
    const serverId = randomUUID();
    const targets = ['169.254.169.254', '10.1.2.3', await gatewayOf()];
    const tries = targets.map((ip) => `echo | nc -w 2 ${ip} 8080 | grep -q reached && echo ${ip}`);
    await runtime.create(game(serverId, `${tries.join('; ')}; true`));
    await runtime.start(serverId);
    const { text } = await read(runtime, serverId, { timeoutMs: 30_000 });
    await runtime.remove(serverId);
    return text.split('\n').filter((line) => /^[\d.]+$/.test(line));
  };
  const gatewayOf = async (): Promise<string> => {
    const network = (await engine.docker.getNetwork('panel_nw').inspect()) as {
      IPAM: { Config: { Gateway: string }[] };
    };
    return network.IPAM.Config[0]?.Gateway ?? '';
  };

  it('are needed, and keep games from the machine, its neighbours and its cloud', async () => {
    await runtime.create(game(randomUUID(), 'true')); // makes the network
    const before = await reached();
    expect(before).to.have.length(3);
    const block = /```sh\n([^`]*)```/.exec(readFileSync(manual, 'utf8'))?.[1] ?? '';
    const rules = block.split('\n').filter((line) => line.startsWith('iptables '));
    expect(rules).to.have.length(7);
    // This engine manages no rules, so its chain for operators is made here as Docker makes it.
    await engine.inside('iptables', ['-N', 'DOCKER-USER']);
    await engine.inside('iptables', ['-A', 'FORWARD', '-j', 'DOCKER-USER']);
    for (const rule of rules) {
      const [, ...args] = rule.split(' ');
      await engine.inside('iptables', args);
    }
    expect(await reached()).to.deep.equal([]);
  });

  function game(serverId: string, startup: string) {
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
});
