import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePorts, bindErrorCode, takePort } from '../../src/processes/ports.js';

describe('freePorts', () => {
  it('finds distinct ports outside the ranges of games and outgoing connections', async () => {
    const ports = await freePorts(40);
    expect(new Set(ports).size).to.equal(40);
    for (const port of ports) {
      expect(port).to.be.within(10_240, 61_000);
      expect(port < 25_500 || port > 25_700).to.equal(true);
      expect(await bindErrorCode(port, '127.0.0.1')).to.equal(undefined);
    }
  });

  it('leaves alone what another process has taken and does not listen on, until that process is killed', async function () {
    if (process.platform !== 'linux') this.skip();
    const ports = new URL('../../src/processes/ports.js', import.meta.url).href;
    const program = `import { freePorts } from '${ports}';
      process.send(await freePorts(1));
      setInterval(() => undefined, 1_000);`;
    const args = ['--input-type=module', '--eval', program];
    const other = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const exit = once(other, 'exit');
    try {
      const [[port]] = (await once(other, 'message')) as [[number]];
      expect(await bindErrorCode(port, '127.0.0.1')).to.equal(undefined);
      expect(await takePort(port, '127.0.0.1')).to.equal('EADDRINUSE');
      other.kill('SIGKILL');
      await exit;
      expect(await takePort(port, '127.0.0.1')).to.equal(undefined);
      expect(await takePort(port, '127.0.0.1'), 'again').to.equal(undefined);
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('reports why a port is unavailable', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    expect(await bindErrorCode(port, '127.0.0.1')).to.equal('EADDRINUSE');
    expect(await bindErrorCode(port, '203.0.113.1')).to.equal('EADDRNOTAVAIL');
    server.close();
  });
});
