import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  EggSpec,
  ImportEggRequest_Format,
  ListServersRequest,
  ListServersRequest_Scope,
  Server,
  UpdateServerRequest,
} from '@panel/protos/servers';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { createFixture, fieldsOf, gameEgg, reasonOf, waitForServer, type Fixture } from '../support/fixture.js';

const seen = { name: 'x', user_viewable: true, user_editable: true };

function valuesOf({ server }: { server?: Server | undefined }): Record<string, string> {
  return Object.fromEntries(server?.variables.map(({ envVariable, serverValue }) => [envVariable, serverValue]) ?? []);
}

describe('server variables', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture();
  });
  after(() => fixture.stop());

  const serverWith = async (variables: readonly object[], environment: Record<string, string>): Promise<string> => {
    const content = eggBytes({ ...gameEgg, variables });
    const { egg } = await fixture.admin.eggs.importEgg({ content, format: ImportEggRequest_Format.JSON, nestId: '' });
    const { id } = await fixture.installed({ eggId: egg?.id ?? '', skipScripts: true, environment });
    return id;
  };

  it('accepts values from staff that staff read, even where a default violates its rules', async () => {
    const odd = { ...seen, env_variable: 'ODD', default_value: 'true', rules: 'required|boolean' };
    const must = { ...seen, env_variable: 'MUST', default_value: '', rules: 'required|string' };
    const serverId = await serverWith([odd, must], { MUST: 'be' });
    const set = (environment: Record<string, string>) =>
      fixture.admin.servers.updateServer(UpdateServerRequest.create({ serverId, environment }));
    const read = valuesOf(await fixture.admin.servers.getServer({ serverId, asStaff: true }));
    expect(read).to.deep.equal({ ODD: 'true', MUST: 'be' });
    expect(valuesOf(await set(read))).to.deep.equal(read);
    expect(await fieldsOf(set({ ...read, ODD: 'false' }))).to.deep.equal(['environment.ODD']);
    expect(await fieldsOf(set({ ...read, MUST: '' }))).to.deep.equal(['environment.MUST']);
    expect(valuesOf(await set({ ODD: '1' }))).to.deep.equal({ ODD: '1', MUST: 'be' });
  });

  it('checks values for a server that is not created yet', async () => {
    const slots = { ...seen, env_variable: 'SLOTS', default_value: '10', rules: 'required|integer|max:64' };
    const name = { ...seen, env_variable: 'NAME', default_value: '', rules: 'required|string' };
    const content = eggBytes({ ...gameEgg, variables: [slots, name] });
    const { egg } = await fixture.admin.eggs.importEgg({ content, format: ImportEggRequest_Format.JSON, nestId: '' });
    const check = async (environment: Record<string, string>) =>
      fieldsOf(fixture.admin.eggs.checkVariables({ eggId: egg?.id ?? '', environment }));
    expect(await check({ NAME: 'x' })).to.deep.equal([]);
    expect(await check({ NAME: 'x', SLOTS: '64' })).to.deep.equal([]);
    expect(await check({ SLOTS: '5000', OTHER: '' })).to.have.members([
      'environment.NAME',
      'environment.OTHER',
      'environment.SLOTS',
    ]);
    const gone = fixture.admin.eggs.checkVariables({ eggId: randomUUID(), environment: {} });
    expect(await reasonOf(gone)).to.equal('EGG_NOT_FOUND');
  });

  it('accepts unchanged read-only values and reveals nothing about hidden ones', async () => {
    const open = { ...seen, env_variable: 'OPEN', default_value: 'a', rules: 'string' };
    const fixed = { ...open, env_variable: 'FIXED', user_editable: false };
    const hidden = { ...open, env_variable: 'HIDDEN', user_viewable: false };
    const serverId = await serverWith([open, fixed, hidden], {});
    const set = (environment: Record<string, string>) => fixture.owner.servers.updateStartup({ serverId, environment });
    expect(valuesOf(await set({ OPEN: 'b', FIXED: 'a' }))).to.deep.equal({ OPEN: 'b', FIXED: 'a' });
    expect(await fieldsOf(set({ FIXED: 'b' }))).to.deep.equal(['environment.FIXED']);
    for (const value of ['a', 'b'])
      expect(await fieldsOf(set({ HIDDEN: value }))).to.deep.equal(['environment.HIDDEN']);
    // Unchanged values are not stored: they follow the egg.
    const { server: before } = await fixture.owner.servers.getServer({ serverId, asStaff: false });
    const { egg } = await fixture.admin.eggs.getEgg({ eggId: before?.egg?.id ?? '' });
    const variables = egg?.spec?.variables.map((variable) => ({ ...variable, defaultValue: 'c' })) ?? [];
    const spec = EggSpec.create({ variables });
    await fixture.admin.eggs.updateEgg({ eggId: egg?.id ?? '', spec, updateFields: ['variables'], nestId: '' });
    await fixture.admin.servers.reinstallServer({ serverId });
    await waitForServer(fixture.owner, serverId, ({ operation }) => operation === undefined);
    const { server } = await fixture.admin.servers.getServer({ serverId, asStaff: true });
    expect(server?.variables.map(({ serverValue }) => serverValue)).to.deep.equal(['b', 'c', 'c']);
  });

  it('takes the values of another egg where users cannot edit them, unless staff give others', async () => {
    const open = { ...seen, env_variable: 'OPEN', default_value: 'a', rules: 'string' };
    const app = (id: string) => ({
      ...open,
      env_variable: 'APP',
      default_value: id,
      user_editable: false,
      rules: `in:${id},9`,
    });
    const hidden = { ...app('x'), env_variable: 'HIDDEN', user_editable: true, user_viewable: false, rules: 'in:x,y' };
    const serverId = await serverWith([open, app('740'), hidden], { OPEN: 'b', APP: '740', HIDDEN: 'y' });
    const content = eggBytes({ ...gameEgg, variables: [open, app('2394010'), { ...hidden, rules: 'in:x' }] });
    const { egg } = await fixture.admin.eggs.importEgg({ content, format: ImportEggRequest_Format.JSON, nestId: '' });
    const change = { serverId, eggId: egg?.id ?? '', reinstall: true, skipScripts: true };
    const valuesAfter = async (environment: Record<string, string>) => {
      await fixture.admin.servers.updateServer(UpdateServerRequest.create({ ...change, environment }));
      await waitForServer(fixture.owner, serverId, ({ operation }) => operation === undefined);
      return valuesOf(await fixture.admin.servers.getServer({ serverId, asStaff: true }));
    };
    expect(await valuesAfter({})).to.deep.equal({ OPEN: 'b', APP: '2394010', HIDDEN: 'x' });
    expect(await valuesAfter({ APP: '9' }), 'the same egg again').to.deep.equal({ OPEN: 'b', APP: '9', HIDDEN: 'x' });
    change.eggId = fixture.eggId;
    await valuesAfter({});
    change.eggId = egg?.id ?? '';
    expect(await valuesAfter({ APP: '9' })).to.deep.equal({ OPEN: 'b', APP: '9', HIDDEN: 'x' });
  });

  it('keeps a lower-case name and a rule that cannot be run over changes of the egg, and takes no new one', async () => {
    const bad = 'regex:/(?<!a)b/';
    const variables = [{ ...seen, env_variable: 'motd', default_value: 'x', rules: [bad] }];
    const content = eggBytes({ ...gameEgg, variables });
    const { egg, warnings } = await fixture.admin.eggs.importEgg({
      content,
      format: ImportEggRequest_Format.JSON,
      nestId: '',
    });
    const eggId = egg?.id ?? '';
    expect(warnings).to.have.length(1);
    const update = (spec: Partial<EggSpec>) =>
      fixture.admin.eggs.updateEgg({
        eggId,
        spec: EggSpec.create(spec),
        updateFields: Object.keys(spec),
        nestId: '',
      });
    await update({ name: 'Renamed' });
    const [motd] = egg?.spec?.variables ?? [];
    if (!motd) throw new Error('no variable');
    await update({ variables: [{ ...motd, defaultValue: 'y\r\n' }] });
    const { content: file } = await fixture.admin.eggs.exportEgg({ eggId });
    expect(JSON.parse(file)).to.have.nested.property('variables[0]').that.includes({
      env_variable: 'motd',
      default_value: 'y',
      rules: bad,
    });
    expect(await fieldsOf(update({ variables: [{ ...motd, rules: ['regex:/(?<!c)d/'] }] }))).to.deep.equal([
      'variables.0.rules',
    ]);
  });

  it('shows the same variables in a list that holds each of them once, for owners and for staff', async () => {
    const open = { ...seen, env_variable: 'OPEN', default_value: 'a', rules: 'string' };
    const hidden = { ...open, env_variable: 'HIDDEN', user_viewable: false };
    const ids = [await serverWith([open, hidden], {}), await serverWith([open, hidden], { OPEN: 'b' })];
    const page = { page: 1, perPage: 100, sort: [], search: '' };
    for (const [clients, scope] of [
      [fixture.owner, ListServersRequest_Scope.OWN],
      [fixture.admin, ListServersRequest_Scope.ALL],
    ] as const) {
      const list = async (sharesVariables: boolean) =>
        clients.servers.listServers(ListServersRequest.create({ page, scope, sharesVariables }));
      const [whole, shared] = [await list(false), await list(true)];
      expect([whole.variables, whole.listed, shared.servers]).to.deep.equal([[], [], []]);
      const listed = shared.listed.map((one) => ({ ...one, server: Server.decode(one.server) }));
      for (const id of ids) {
        const expected = whole.servers.find((one) => one.id === id)?.variables;
        const found = listed.find(({ server }) => server.id === id);
        expect(expected?.length).to.be.greaterThan(0);
        expect(found?.server.variables).to.deep.equal([]);
        const restored = found?.server.variableValues.map(({ variable, serverValue }) => ({
          ...shared.variables[found.variablesFrom + variable],
          serverValue,
        }));
        expect(restored).to.deep.equal(expected);
      }
      const values = listed.reduce((sum, { server }) => sum + server.variableValues.length, 0);
      expect(shared.variables.length).to.be.lessThan(values);
    }
  });

  it('keeps each value of 50 concurrent writers', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `V${at}`);
    const serverId = await serverWith(
      names.map((name) => ({ ...seen, env_variable: name, default_value: '', rules: 'nullable|integer' })),
      {},
    );
    await Promise.all(
      names.map((name, at) => fixture.owner.servers.updateStartup({ serverId, environment: { [name]: String(at) } })),
    );
    const { server } = await fixture.owner.servers.getServer({ serverId, asStaff: false });
    expect(server?.variables.map(({ serverValue }) => serverValue)).to.deep.equal(names.map((_, at) => String(at)));
  });
});
