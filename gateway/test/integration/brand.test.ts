import { expect } from 'chai';
import { Settings } from '@panel/protos/admin';
import { gatewayFor, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';
import { Fixture } from '../support/fixture.js';

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');

describe('the brand', () => {
  const fixture = new Fixture();
  let gateway: TestGateway;
  const served = async (settings: Parameters<typeof Settings.create>[0]) => {
    fixture.settings = Settings.create(settings);
    gateway = await gatewayFor(fixture);
    return send(gateway.url, '/api/v1/brand');
  };

  before(async () => fixture.start());
  afterEach(async () => gateway.running.stop());
  after(async () => fixture.stop());

  it('uses the name of the panel as brand unless something else is set', async () => {
    const { status, body } = await served({ general: { name: 'My Panel' } });
    expect(status).to.equal(200);
    expect(body.data).to.deep.equal({
      name: 'My Panel',
      logo: null,
      colours: { primary: null, accent: null },
      test_clock: null,
    });
    expect((await send(gateway.url, '/api/v1/brand/logo')).status).to.equal(404);
  });

  it('serves the brand to everybody with an image of its own address', async () => {
    const logo = `data:image/png;base64,${png.toString('base64')}`;
    const brand = { name: 'Blocks', logo, primaryColour: '#112233', accentColour: '' };
    const { body } = await served({ general: { name: 'My Panel' }, brand });
    const data = body.data as { name: string; logo: string; colours: object };
    expect(data.name).to.equal('Blocks');
    expect(data.colours).to.deep.equal({ primary: '#112233', accent: null });
    const image = await send(gateway.url, data.logo);
    expect(image.status).to.equal(200);
    expect(image.headers['content-type']).to.equal('image/png');
    expect(image.headers['x-content-type-options']).to.equal('nosniff');
    expect(Buffer.from(image.text, 'latin1').equals(png)).to.equal(true);
  });

  it('shows no image of a type that could hold script, whatever is stored', async () => {
    const logo = `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`;
    const { body } = await served({ brand: { logo } });
    expect((body.data as { logo: unknown }).logo).to.equal(null);
    expect((await send(gateway.url, '/api/v1/brand/logo')).status).to.equal(404);
  });
});
