import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import { serveSite, sitePolicy } from '../../src/middleware/serve-site.js';
import type { RequestState } from '../../src/middleware/request-state.js';
import { readSite } from '../../src/site/read-site.js';

const page = '<!doctype html><title>console</title>';
const script = 'export const x = 1;';

describe('serving the web console', () => {
  let nodes: readonly string[] = [];
  let directory: string;
  let server: Server;
  let url: string;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'panel-site-'));
    await mkdir(path.join(directory, 'assets'));
    await writeFile(path.join(directory, 'index.html'), page);
    await writeFile(path.join(directory, 'index.html.gz'), gzipSync(page));
    await writeFile(path.join(directory, 'assets', 'main-abc.js'), script);
    await writeFile(path.join(directory, 'assets', 'main-abc.js.br'), brotliCompressSync(script));
    await writeFile(path.join(directory, 'manifest.json'), '{}');
    const site = await readSite(directory);
    if (!site) throw new Error('the site was not read');
    const app = new Koa<RequestState>();
    app.use(serveSite(site, new Set(['api', 'docs']), async () => nodes));
    app.use((ctx) => {
      ctx.status = 404;
      ctx.body = 'route';
    });
    const handle = app.callback();
    server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.close();
    await rm(directory, { recursive: true });
  });

  const get = async (where: string, headers: Record<string, string> = { accept: 'text/html' }, method = 'GET') =>
    fetch(`${url}${where}`, { headers, method });

  it('answers the index for every page a browser asks for, never cached, under the policy', async () => {
    for (const where of ['/', '/servers/1/files', '/index.html']) {
      const response = await get(where);
      expect(response.status, where).to.equal(200);
      expect(await response.text()).to.equal(page);
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).to.equal('no-store');
      expect(response.headers.get('content-security-policy')).to.equal(sitePolicy);
      expect(response.headers.get('cross-origin-opener-policy')).to.equal('same-origin');
    }
  });

  it('lets pages, and nothing else, connect to the nodes that take files themselves', async () => {
    nodes = ['https://node1.example.com:2443', 'https://node2.example.com'];
    const policyOf = async (where: string) => (await get(where)).headers.get('content-security-policy');
    expect(await policyOf('/')).to.equal(
      sitePolicy.replace("connect-src 'self'", `connect-src 'self' ${nodes.join(' ')}`),
    );
    expect(await policyOf('/assets/main-abc.js')).to.equal(sitePolicy);
    nodes = [];
    expect(await policyOf('/')).to.equal(sitePolicy);
  });

  it('allows nothing inline and demands Trusted Types', () => {
    expect(sitePolicy).not.to.match(/unsafe|\*|https?:/);
    expect(sitePolicy).to.contain("require-trusted-types-for 'script'").and.to.contain('trusted-types panel');
  });

  it('answers files by their hashed name, for ever, compressed as the client takes it', async () => {
    const response = await get('/assets/main-abc.js', { 'accept-encoding': 'br, gzip' });
    expect(response.headers.get('content-encoding')).to.equal('br');
    expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(response.headers.get('vary')).to.equal('Accept-Encoding');
    expect(await response.text()).to.equal(script);
    const plain = await get('/assets/main-abc.js', { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).to.equal(null);
    expect(await plain.text()).to.equal(script);
  });

  it('answers HEAD without a body', async () => {
    const response = await get('/', { accept: 'text/html', 'accept-encoding': 'identity' }, 'HEAD');
    expect(response.headers.get('content-length')).to.equal(String(page.length));
    expect(await response.text()).to.equal('');
  });

  it('leaves routes, other methods, unknown files and requests that want no page alone', async () => {
    const refused = [
      await get('/api/v1/servers'),
      await get('/docs'),
      await get('/', { accept: 'text/html' }, 'POST'),
      await get('/assets/old-123.js', { accept: '*/*' }),
      await get('/', { accept: 'application/json' }),
      await get('/', { accept: 'application/json, text/html;q=0.9' }),
      await get('/', { accept: 'text/html;q=0, */*' }),
      await get('/manifest.json', { accept: '*/*' }),
    ];
    expect(refused.map(({ status }) => status)).to.deep.equal(refused.map(() => 404));
  });

  it('returns null where the console is not built', async () => {
    expect(await readSite(path.join(directory, 'missing'))).to.equal(null);
  });
});
