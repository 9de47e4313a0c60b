import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { compress, isCompressible } from '../../src/middleware/compress.js';
import type { RequestMiddleware } from '../../src/middleware/request-state.js';
import { routes } from '../../src/routes/index.js';
import { given, serveMiddleware } from '../support/koa.js';

const large = { data: Array.from({ length: 200 }, (_, index) => ({ id: index, name: 'a server' })) };

async function ask(body: unknown, accept: string | undefined, type?: string) {
  const answer: RequestMiddleware = async (ctx) => {
    if (type !== undefined) ctx.type = type;
    ctx.body = body;
  };
  const served = await serveMiddleware(given({}), compress(), answer);
  try {
    const headers: Record<string, string> = accept === undefined ? {} : { 'accept-encoding': accept };
    const { request } = await import('node:http');
    return await new Promise<{ encoding: string | undefined; vary: string | undefined; bytes: Buffer }>((resolve) => {
      request(served.url, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            encoding: response.headers['content-encoding'],
            vary: response.headers.vary,
            bytes: Buffer.concat(chunks),
          }),
        );
      }).end();
    });
  } finally {
    await served.stop();
  }
}

describe('compression', () => {
  it('compresses large JSON with Brotli, or with gzip where the client knows no better', async () => {
    const brotli = await ask(large, 'gzip, deflate, br');
    expect(brotli.encoding).to.equal('br');
    expect(JSON.parse(brotliDecompressSync(brotli.bytes).toString())).to.deep.equal(large);
    const gzip = await ask(large, 'gzip, deflate');
    expect(gzip.encoding).to.equal('gzip');
    expect(JSON.parse(gunzipSync(gzip.bytes).toString())).to.deep.equal(large);
    expect(gzip.vary).to.equal('Accept-Encoding');
    expect(gzip.bytes.length).to.be.below(JSON.stringify(large).length / 4);
  });

  it('compresses JSON that is encoded already, and leaves it alone where it is small', async () => {
    const encoded = Buffer.from(JSON.stringify(large));
    const brotli = await ask(encoded, 'br', 'application/json');
    expect(brotli.encoding).to.equal('br');
    expect(brotliDecompressSync(brotli.bytes)).to.deep.equal(encoded);
    const small = await ask(Buffer.from('{"data":"small"}'), 'br', 'application/json');
    expect([small.encoding, small.bytes.toString()]).to.deep.equal([undefined, '{"data":"small"}']);
  });

  it('leaves answers alone where nobody asks, and small ones, and bytes', async () => {
    for (const [body, accept, type] of [
      [large, undefined, undefined],
      [large, 'identity', undefined],
      [large, 'br;q=0, gzip;q=0', undefined],
      [{ data: 'small' }, 'br', undefined],
      [randomBytes(4096), 'br', 'application/octet-stream'],
      ['x'.repeat(4096), 'br', 'text/html'],
    ] as const) {
      expect((await ask(body, accept, type)).encoding, accept).to.equal(undefined);
    }
  });

  it('writes an answer as JSON once, whatever is sent', async () => {
    for (const accept of [undefined, 'identity', 'gzip', 'br']) {
      for (const size of [10, 4096]) {
        let written = 0;
        const text = 'x'.repeat(size);
        const toJSON = () => {
          written += 1;
          return text;
        };
        await ask({ data: { toJSON } }, accept);
        expect(written, `${accept} ${size}`).to.equal(1);
      }
    }
  });

  it('compresses no answer that may carry a secret', () => {
    const named = (name: string) => routes.find(({ method, path }) => `${method} ${path}` === name);
    const compressed = routes.filter(isCompressible).map(({ method, path }) => `${method} ${path}`);
    for (const name of [
      'GET /api/v1/servers/{id}/startup',
      'GET /api/v1/servers/{id}/files/contents',
      'GET /api/v1/admin/settings',
      'GET /api/v1/admin/servers/{id}',
      'POST /api/v1/account/api-keys',
      'POST /api/v1/browser/login',
    ]) {
      expect(named(name), name).not.to.equal(undefined);
      expect(compressed).not.to.include(name);
    }
    expect(compressed).to.include.members(['GET /api/v1/servers', 'GET /api/v1/openapi.json']);
    expect(compressed.filter((name) => !name.startsWith('GET '))).to.deep.equal([]);
  });
});
