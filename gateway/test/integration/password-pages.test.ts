import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { gatewayFor, type TestGateway } from '../support/gateway.js';
import { send, type TestResponse } from '../support/request.js';
import { Fixture } from '../support/fixture.js';

describe('pages of mailed links', () => {
  const fixture = new Fixture();
  let gateway: TestGateway;

  before(async () => {
    await fixture.start();
    gateway = await gatewayFor(fixture);
  });
  after(async () => {
    await gateway.running.stop();
    await fixture.stop();
  });

  const paths = ['/password/set', '/password/reset'];
  const policyOf = ({ headers }: TestResponse) => String(headers['content-security-policy']);
  const insideOf = (text: string, tag: string) => new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(text)?.[1] ?? '';

  for (const path of paths) {
    it(`serves ${path} as HTML with its purpose`, async () => {
      const page = await send(gateway.url, path);
      expect(page.status).to.equal(200);
      expect(page.headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(insideOf(page.text, 'title')).to.match(/^Choose a (new )?password$/);
      expect(page.headers['cache-control']).to.equal('no-store');
      expect(page.headers['referrer-policy']).to.equal('no-referrer');
      expect(page.headers['x-frame-options']).to.equal('DENY');
    });

    it(`runs only its own script and style on ${path}`, async () => {
      const page = await send(gateway.url, path);
      const policy = policyOf(page);
      for (const [tag, directive] of [
        ['script', 'script-src'],
        ['style', 'style-src'],
      ] as const) {
        const content = Buffer.from(insideOf(page.text, tag), 'latin1');
        const hash = createHash('sha256').update(content).digest('base64');
        expect(policy).to.contain(`${directive} 'sha256-${hash}'`);
        expect(page.text.split(`<${tag}`)).to.have.length(2);
      }
      expect(policy).to.contain("default-src 'none'").and.not.contain('unsafe');
      expect(policy).to.contain("form-action 'none'");
      expect(policy).to.contain("frame-ancestors 'none'");
      expect(page.text).not.to.match(/\son\w+=|style=|src=|href=|https?:|innerHTML|eval\(/i);
    });

    it(`labels every field and announces every message on ${path}`, async () => {
      const { text } = await send(gateway.url, path);
      const ids = new Set([...text.matchAll(/\sid="([\w-]+)"/g)].map(([, id]) => id));
      for (const [, id] of text.matchAll(/<input id="([\w-]+)"/g)) expect(text).to.contain(`<label for="${id}">`);
      for (const [, list = ''] of text.matchAll(/aria-describedby="([^"]+)"/g)) {
        for (const id of list.split(' ')) expect(ids).to.include(id);
      }
      for (const [, id] of text.matchAll(/(?:part|show|say)\('([\w-]+)'/g)) expect(ids, id).to.include(id);
      expect(text.match(/role="alert"/g)).to.have.length(3);
      expect(text).to.contain('<html lang="en">').and.contain('<noscript>');
    });
  }

  it('counts requests against the limit of the address', async () => {
    const one = await send(gateway.url, '/password/set');
    const other = await send(gateway.url, '/password/reset');
    const remaining = ({ headers }: TestResponse) => Number(headers['x-ratelimit-remaining']);
    expect(remaining(other)).to.equal(remaining(one) - 1);
  });
});
