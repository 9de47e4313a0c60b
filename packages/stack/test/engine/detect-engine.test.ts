import { expect } from 'chai';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { detectEngine, type Engine } from '../../src/engine/detect-engine.js';
import type { RuntimeChoice } from '../../src/config.js';
import { OperatorError } from '@panel/programs';

describe('detectEngine', () => {
  let directory: string;
  let socket: string;
  let server: Server | undefined;
  let lines: string[];
  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'panel-engine-'));
    socket = path.join(directory, 'docker.sock');
    lines = [];
  });
  afterEach(() => {
    server?.close();
    server?.closeAllConnections();
    server = undefined;
    rmSync(directory, { recursive: true, force: true });
  });

  it('uses an engine that answers', async () => {
    await serve((request, response) => response.end(request.url === '/_ping' ? 'OK' : ''));
    expect(await detect('auto')).to.deep.equal({ kind: 'docker', url: `unix://${socket}` });
    expect(await detect('docker')).to.deep.equal({ kind: 'docker', url: `unix://${socket}` });
  });

  it('uses the process runtime without an engine and warns that it isolates nothing', async () => {
    expect(await detect('auto')).to.deep.equal({ kind: 'process' });
    expect(lines.join()).to.include('no isolation');
  });

  it('waits at most 2 s for an engine that hangs', async () => {
    await serve(() => undefined);
    const before = Date.now();
    expect(await detect('auto')).to.deep.equal({ kind: 'process' });
    expect(Date.now() - before).to.be.below(10_000);
  });

  it('uses the process runtime when configured', async () => {
    await serve((_, response) => response.end('OK'));
    expect(await detect('process')).to.deep.equal({ kind: 'process' });
  });

  it('refuses to start when docker is configured and does not answer', async () => {
    const error = await detect('docker').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(OperatorError);
    expect(String(error)).to.include('RUNTIME=docker').and.include('RUNTIME=process');
  });

  it('reaches an engine over TCP', async () => {
    server = createServer((_, response) => response.end('OK')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const url = `tcp://127.0.0.1:${port}`;
    expect(await detectEngine({ runtime: 'docker', dockerHost: url, log: () => undefined })).to.deep.equal({
      kind: 'docker',
      url,
    });
  });

  it('names the missing certificate', async () => {
    const options = {
      runtime: 'auto' as const,
      dockerHost: 'tcp://127.0.0.1:1',
      dockerCertPath: directory,
      log: () => undefined,
    };
    const error = await detectEngine(options).catch((reason: unknown) => reason);
    expect(String(error)).to.include('DOCKER_CERT_PATH').and.include('ca.pem');
  });

  async function serve(listener: RequestListener): Promise<void> {
    server = createServer(listener).listen(socket);
    await once(server, 'listening');
  }

  function detect(runtime: RuntimeChoice): Promise<Engine> {
    return detectEngine({ runtime, dockerHost: `unix://${socket}`, log: (line) => void lines.push(line) });
  }
});
