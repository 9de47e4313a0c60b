import { expect } from 'chai';
import { createDocument } from '../../src/openapi/document.js';
import { documentedRoutes } from '../../src/routes/index.js';
import { Fixture } from '../support/fixture.js';
import { gatewayFor, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';

describe('documentation', () => {
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

  it('serves the OpenAPI document of the route table', async () => {
    const { status, body, headers } = await send(gateway.url, '/api/v1/openapi.json');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.contain('application/json');
    expect(body).to.deep.equal(JSON.parse(JSON.stringify(createDocument(documentedRoutes))));
  });

  it('serves a viewer with files of this panel only', async () => {
    const { status, text, headers } = await send(gateway.url, '/docs');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(headers['content-security-policy']).to.match(/^default-src 'none'; script-src 'self';/);
    expect(text).not.to.match(/https?:\/\/|\son\w+=/);
    const files = [...text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(files).to.have.length(3);
    for (const path of files) {
      const file = await send(gateway.url, `/${path}`);
      expect(file.status, path).to.equal(200);
      expect(file.headers['content-type'], path).to.match(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
      expect(file.headers['cache-control'], path).to.equal('public, max-age=3600');
    }
  });
});
