import { Server, Server_Status } from '@panel/protos/servers';
import { expect } from 'chai';
import type { EggVariable } from '../../src/domain/eggs/egg.js';
import type { Access } from '../../src/domain/servers/access.js';
import { digestOfPage, ListedServers, ServerEncoder } from '../../src/present/encoded-servers.js';
import { presentServer } from '../../src/present/server.js';
import type { VisibleServer } from '../../src/usecases/servers/view-server.js';
import { aServer } from '../support/server-fixture.js';

const variable = (envVariable: string, userViewable: boolean): EggVariable => ({
  name: envVariable.toLowerCase(),
  description: '',
  envVariable,
  defaultValue: 'a',
  userViewable,
  userEditable: true,
  rules: ['string'],
});
const egg = { ...aServer().egg, variables: [variable('OPEN', true), variable('HIDDEN', false)] };
const access = (changes: Partial<Access> = {}): Access => ({
  isOwner: true,
  isStaff: false,
  permissions: ['*'],
  pathRules: [],
  ...changes,
});
const visibleServer = (changes: Partial<VisibleServer> = {}): VisibleServer => ({
  server: aServer({ egg, environment: { OPEN: 'b' }, status: 'running' }),
  access: access(),
  asStaff: false,
  isNodeOnline: true,
  timezone: 'UTC',
  ...changes,
});

describe('encoded servers', () => {
  const ways: Record<string, Partial<VisibleServer>> = {
    owner: {},
    'owner while nobody reaches the node': { isNodeOnline: false },
    subuser: { access: access({ isOwner: false, permissions: ['startup.read'] }) },
    'subuser who may see no variables': { access: access({ isOwner: false, permissions: ['control.start'] }) },
    staff: { asStaff: true, access: access({ isOwner: false, isStaff: true }) },
    'owner who asks as staff': { asStaff: true, access: access({ isStaff: true }) },
  };

  it('encodes what each viewer sees, whoever has asked before', () => {
    const encoder = new ServerEncoder();
    const { server } = visibleServer();
    const digests = new Set<string>();
    for (let round = 0; round < 2; round++) {
      for (const [who, way] of Object.entries(ways)) {
        const list = new ListedServers(encoder);
        const visible = visibleServer({ ...way, server });
        const { server: bytes, variablesFrom, digest } = list.add(visible);
        const { variableValues, ...rest } = Server.decode(bytes);
        const variables = variableValues.map((one) => ({
          ...list.variables[variablesFrom + one.variable],
          serverValue: one.serverValue,
        }));
        const brief = presentServer(visible, { withoutCommands: !visible.asStaff });
        const alone = Server.decode(Server.encode(brief).finish());
        expect({ ...rest, variables, variableValues: [] }, who).to.deep.equal(alone);
        digests.add(digest);
        const whole = encoder.whole(visible);
        const by = presentServer(visible);
        expect(Server.decode(whole.server), who).to.deep.equal(Server.decode(Server.encode(by).finish()));
        digests.add(whole.digest);
      }
    }
    expect(digests.size).to.equal(2 * Object.keys(ways).length);
  });

  it('encodes a server once while the same viewers see the same', () => {
    const encoder = new ServerEncoder();
    const visible = visibleServer();
    const first = encoder.listed(visible);
    expect(encoder.listed({ ...visible, access: access() })).to.equal(first);
    expect(encoder.whole({ ...visible, access: access() }).server).to.equal(encoder.whole(visible).server);
    // Node health matters only to servers that may run.
    const stopped = visibleServer({ server: aServer({ egg, status: 'offline' }) });
    expect(encoder.listed({ ...stopped, isNodeOnline: false })).to.equal(encoder.listed(stopped));
    const unreachable = Server.decode(encoder.listed({ ...visible, isNodeOnline: false }).server);
    expect(unreachable.status).to.equal(Server_Status.UNKNOWN);
  });

  it('shares the variables of an egg among its servers, and finds the own ones among those of several', () => {
    const other = { ...egg, variables: [variable('OTHER', true)] };
    const list = new ListedServers(new ServerEncoder());
    const names = [egg, other, egg].map((of) => {
      const { server, variablesFrom } = list.add(visibleServer({ server: aServer({ egg: of }) }));
      const [value] = Server.decode(server).variableValues;
      return list.variables[variablesFrom + (value?.variable ?? 0)]?.name;
    });
    expect(names).to.deep.equal(['open', 'other', 'open']);
    expect(list.variables).to.have.length(2);
  });

  describe('digest of a page', () => {
    const other = visibleServer({ server: aServer({ egg, id: '77777777-7777-4777-8777-777777777777' }) });
    const digestWith = (...page: readonly VisibleServer[]) => {
      const list = new ListedServers(new ServerEncoder());
      return digestOfPage(page.map((one) => list.add(one)));
    };
    const changed = (changes: Parameters<typeof aServer>[0]) =>
      visibleServer({ server: aServer({ egg, environment: { OPEN: 'b' }, status: 'running', ...changes }) });
    const withVariable = (open: EggVariable) => changed({ egg: { ...egg, variables: [open] } });

    it('names equal pages of two encoders alike', () => {
      expect(digestWith(visibleServer(), other)).to.equal(digestWith(visibleServer(), other));
    });

    const causes: Record<string, readonly VisibleServer[]> = {
      name: [changed({ name: 'renamed' }), other],
      status: [changed({ status: 'offline' }), other],
      'health of the node': [visibleServer({ isNodeOnline: false }), other],
      'name of the egg': [changed({ egg: { ...egg, name: 'Renamed' } }), other],
      'name of a variable': [withVariable({ ...variable('OPEN', true), name: 'renamed' }), other],
      'value of a variable': [changed({ environment: { OPEN: 'c' } }), other],
      owner: [visibleServer({ access: access({ isOwner: false }) }), other],
      'rights of the viewer': [visibleServer({ access: access({ permissions: ['startup.read'] }) }), other],
      'view of staff': [visibleServer({ asStaff: true }), other],
      'server that is left out': [other],
      order: [other, visibleServer()],
    };
    for (const [cause, page] of Object.entries(causes)) {
      it(`depends on: ${cause}`, () => {
        expect(digestWith(...page)).not.to.equal(digestWith(visibleServer(), other));
      });
    }
  });
});
