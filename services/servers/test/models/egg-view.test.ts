import { expect } from 'chai';
import { EggViewReader, encodeEggView } from '../../src/models/servers/egg-view.js';
import { aServer } from '../support/server-fixture.js';

describe('egg view', () => {
  const { egg } = aServer();

  it('decodes the stored egg without scripts and configuration', () => {
    const view = new EggViewReader().read(encodeEggView(egg));
    expect(view).to.deep.equal({ name: egg.name, startupCommands: [], variables: egg.variables });
  });

  it('parses equal text once and changed text again', () => {
    const reader = new EggViewReader();
    const first = reader.read(encodeEggView(egg));
    expect(reader.read(encodeEggView({ ...egg }))).to.equal(first);
    expect(reader.read(encodeEggView({ ...egg, name: 'renamed' })).name).to.equal('renamed');
    expect(first.name).to.equal(egg.name);
  });

  it('caches at most 500 eggs', () => {
    const reader = new EggViewReader();
    const first = reader.read(encodeEggView(egg));
    for (let index = 0; index < 500; index++) reader.read(encodeEggView({ ...egg, name: `egg ${index}` }));
    expect(reader.read(encodeEggView(egg))).to.not.equal(first);
    expect(reader.read(encodeEggView(egg))).to.deep.equal(first);
  });
});
