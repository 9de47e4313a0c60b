import { expect } from 'chai';
import { createDocument } from '../../src/openapi/document.js';
import { documentedRoutes } from '../../src/routes/index.js';
import { html } from '../../src/routes/documentation/html.js';
import { gatewayFor, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';
import { Fixture } from '../support/fixture.js';

describe('the documentation', () => {
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

  it('is served for programs', async () => {
    const { status, body, headers } = await send(gateway.url, '/api/v1/openapi.json');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.contain('application/json');
    expect(body).to.deep.equal(JSON.parse(JSON.stringify(createDocument(documentedRoutes))));
  });

  it('is served for people, as a page that needs nothing from anywhere', async () => {
    const { status, text, headers } = await send(gateway.url, '/docs');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(headers['content-security-policy']).to.match(/^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+';/);
    expect(text).not.to.match(/<script|<img|<link|<iframe|\son\w+=|\ssrc=|https?:\/\/|@import|url\(/);
    for (const { path } of documentedRoutes) expect(text).to.contain(path);
    expect(text).to.contain('<!doctype html>');
  });

  it('has links that all lead somewhere on the page, each operation its own', async () => {
    const { text } = await send(gateway.url, '/docs');
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id ?? '');
    expect(new Set(ids).size, 'an id stands once').to.equal(ids.length);
    const links = new Set([...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href ?? ''));
    const elsewhere = [...links].filter((href) => !href.startsWith('#') || !ids.includes(href.slice(1)));
    expect(elsewhere).to.deep.equal(['/api/v1/openapi.json']);
    const operations = Object.values(createDocument(documentedRoutes).paths).flatMap((path) => Object.values(path));
    for (const { operationId } of operations) expect(links).to.include(`#${operationId}`);
  });

  it('takes no text for markup', () => {
    expect(html`<p title="${'"><script>'}">${'<b>&'}</p>`.text).to.equal(
      '<p title="&quot;&gt;&lt;script&gt;">&lt;b&gt;&amp;</p>',
    );
  });
});
