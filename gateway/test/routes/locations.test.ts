import { expect } from 'chai';
import { locationOf } from '../../src/routes/locations.js';
import { routes } from '../../src/routes/index.js';

const id = '00000000-0000-4000-8000-000000000000';
const other = '11111111-1111-4111-8111-111111111111';
/** What any creation answers of itself. */
const created = {
  id: other,
  path: '/logs/a b',
  order: { id: other },
  invoice: { id },
  credit_note: { id: other },
  gift_codes: [{ id: other }],
};

const filled = (path: string) => path.replace(/\{[^}]+\}/g, id);
const readable = routes
  .filter(({ method }) => method === 'GET')
  .map(({ path }) => new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+').replaceAll('.', '\\.')}$`));

describe('addresses of what was created', () => {
  const creating = routes.filter(({ status }) => status === 201);

  for (const route of creating) {
    it(`leads to a GET from ${route.path}`, () => {
      const location = locationOf(route, routes)(created, filled(route.path));
      expect(
        readable.some((path) => path.test(new URL(String(location), 'http://panel').pathname)),
        String(location),
      ).to.equal(true);
      expect(route.headers).to.include('Location');
    });
  }

  it('names the resource where it has an address, else its list', () => {
    const of = (path: string) => {
      const route = creating.find((each) => each.path === `/api/v1${path}`);
      if (!route) throw new Error(`${path} creates nothing`);
      return locationOf(route, routes)(created, filled(route.path));
    };
    expect(of('/admin/servers')).to.equal(`/api/v1/admin/servers/${other}`);
    expect(of('/admin/nests/{id}/eggs')).to.equal(`/api/v1/admin/eggs/${other}`);
    expect(of('/account/api-keys')).to.equal('/api/v1/account/api-keys');
    expect(of('/store/checkout')).to.equal(`/api/v1/billing/orders/${other}`);
    expect(of('/admin/billing/invoices/{id}/refund')).to.equal(`/api/v1/billing/invoices/${other}`);
    expect(of('/servers/{id}/files/copy')).to.equal(`/api/v1/servers/${id}/files/contents?path=%2Flogs%2Fa%20b`);
    expect(of('/servers/{id}/files/pull')).to.equal(`/api/v1/servers/${id}/files/operations/${other}`);
  });
});
